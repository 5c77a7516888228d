import assert from "node:assert/strict";
import { startServer, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { makeAuthority, type Received, startReceiver, type TestAuthority, type WebhookReceiver } from "../../support/webhook-receiver.ts";
import { type ServerWith, withAccounts } from "./accounts.ts";
import { type ApiResponse, call, clientOf, type InputOf } from "./api.ts";

/** A webhook endpoint as the API shows it; with its secret after creation and rotation. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly status: string;
  readonly pausedReason: string | null;
  readonly secret?: string;
}

export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly deliveredAt: string | null;
}

export const ALL_EVENTS = ["file.ready", "file.failed", "file.expired", "file.authorized", "file.downloaded"] as const;

/** Starts a server that may send webhooks to loopback and trusts the tests' certificate authority. */
export const startSendingServer = (
  authority: Pick<TestAuthority, "caFile">,
  env: Readonly<Record<string, string>> = {},
): Promise<TestServer> =>
  startServer({
    env: {
      FILEHOST_SCANNER: "off",
      FILEHOST_RATE_LIMITS: "off",
      FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
      // These suites send more test events than the default limit allows.
      FILEHOST_LIMITS: '{"rates":{"webhookTests":1000}}',
      NODE_EXTRA_CA_CERTS: authority.caFile,
      ...env,
    },
  });

/** A server with one account that may send webhooks to local receivers. */
export interface WebhookServer extends ServerWith<"me"> {
  receive(): Promise<WebhookReceiver>;
}

export async function startWebhookServer(): Promise<WebhookServer> {
  const authority = await makeAuthority();
  const server = await withAccounts(startSendingServer(authority), { me: {} });
  const dispose = server[Symbol.asyncDispose].bind(server);
  return Object.assign(server, {
    receive: () => startReceiver(authority),
    [Symbol.asyncDispose]: async () => {
      await dispose();
      await authority[Symbol.asyncDispose]();
    },
  });
}

type Server = { readonly url: string };

export const postWebhook = (server: Server, key: string | undefined, json: unknown): Promise<ApiResponse> =>
  call(server, "POST", "/api/webhooks", { key, json });

/** Creates an endpoint; asserts that it is accepted. */
export async function addWebhook(
  server: Server,
  key: string,
  { url, events = ALL_EVENTS }: { readonly url: string; readonly events?: readonly string[] },
): Promise<Webhook & { readonly secret: string }> {
  return (await clientOf(server, { key }).call("createWebhook", { url, events: [...events] } as InputOf<"createWebhook">)).data;
}

export async function getWebhook(server: Server, key: string, id: string): Promise<Webhook> {
  const { data } = await clientOf(server, { key }).call("listWebhooks", {});
  return data.find((webhook) => webhook.id === id) ?? assert.fail("The webhook is not listed.");
}

export async function getDeliveries(server: Server, key: string, id: string, query = ""): Promise<readonly Delivery[]> {
  const { status, body } = await call<{ readonly data: readonly Delivery[] }>(server, "GET", `/api/webhooks/${id}/deliveries${query}`, {
    key,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Waits for an event of that type among those received after the first `after` ones. */
export const waitForEvent = (receiver: WebhookReceiver, type: string, after = 0): Promise<Received> =>
  until(`${type} is received`, () => receiver.received.slice(after).find(({ event }) => event.type === type));
