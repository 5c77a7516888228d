import { getChallenge, solve } from "./agents.ts";
import { type Example, NOTHING_NAMED } from "./example.ts";
import { aDelivery, aKey, aWebhook } from "./made.ts";

/** Of the server itself, agents, keys and webhooks. */
export const ACCOUNT_EXAMPLES: Readonly<Record<string, Example>> = {
  getHealth: { good: async () => ({}), foreign: NOTHING_NAMED },
  getCapabilities: { good: async () => ({}), foreign: NOTHING_NAMED },
  requestChallenge: { good: async () => ({}), foreign: NOTHING_NAMED },
  registerAgent: {
    async good({ server }) {
      const challenge = await getChallenge(server);
      return { body: { label: "An agent", challenge_id: challenge.challenge_id, nonce: solve(challenge) } };
    },
    foreign: NOTHING_NAMED,
  },
  getMe: { good: async () => ({}), scope: "files_read", foreign: NOTHING_NAMED },
  listKeys: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  createKey: { good: async () => ({ body: { label: "For reading", scope: "files_read" } }), scope: "full", foreign: NOTHING_NAMED },
  revokeKey: { good: async (world) => ({ path: { id: await aKey(world) } }), scope: "full", foreign: "same" },
  rotateKey: { good: async (world) => ({ path: { id: await aKey(world) } }), scope: "full", foreign: "same" },

  listWebhooks: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  createWebhook: {
    good: async ({ hookUrl }) => ({ body: { url: hookUrl, events: ["file.ready"], description: "A note" } }),
    scope: "full",
    foreign: NOTHING_NAMED,
  },
  updateWebhook: {
    good: async (world) => ({
      path: { id: await aWebhook(world) },
      body: { url: world.hookUrl, events: ["file.failed"], status: "paused" },
    }),
    scope: "full",
    foreign: "same",
  },
  deleteWebhook: { good: async (world) => ({ path: { id: await aWebhook(world) } }), scope: "full", foreign: "same" },
  rotateWebhookSecret: { good: async (world) => ({ path: { id: await aWebhook(world) } }), scope: "full", foreign: "same" },
  testWebhook: { good: async (world) => ({ path: { id: await aWebhook(world) } }), scope: "full", foreign: "same" },
  listWebhookDeliveries: {
    good: async (world) => ({ path: { id: (await aDelivery(world)).id }, query: { limit: "10" } }),
    scope: "full",
    foreign: "same",
  },
  retryWebhookDelivery: { good: async (world) => ({ path: await aDelivery(world) }), scope: "full", foreign: "same" },
};
