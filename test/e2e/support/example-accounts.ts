import { getChallenge, solve } from "./agents.ts";
import { type Example, NOTHING_NAMED } from "./example.ts";
import { aDelivery, aKey, aWebhook } from "./made.ts";

/** Of the server itself, agents, keys, selling and webhooks. */
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

  connectSeller: { good: async () => ({ body: { action: "status", sync: false } }), scope: "full", foreign: NOTHING_NAMED },
  getSellerStatus: { good: async () => ({ query: { sync: "true" } }), scope: "full", foreign: NOTHING_NAMED },
  onboardSeller: { good: async () => ({ body: { country: "DE" } }), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  openSellerDashboard: { good: async () => ({ body: {} }), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  createCheckout: { good: async () => ({ body: { shortId: "abcdefgh" } }), refusal: 409, foreign: NOTHING_NAMED },
  claimPurchase: { good: async () => ({ body: { sessionId: "cs_test_1" } }), refusal: 409, foreign: NOTHING_NAMED },
  createUpgradeCheckout: { good: async () => ({ body: {} }), scope: "files_write", refusal: 409, foreign: NOTHING_NAMED },

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
