import assert from "node:assert/strict";
import type { Output } from "../../../../src/service/contract.ts";
import type { FileEvent } from "../../../../src/service/events/contract.ts";
import { startServer, type TestServer } from "../../../support/server.ts";
import {
  makeAuthority,
  type Received,
  startReceiver,
  type TestAuthority,
  type WebhookReceiver,
} from "../../../support/services/webhook-receiver.ts";
import { until } from "../../../support/until.ts";
import { type ServerWith, withAccounts } from "../accounts/accounts.ts";
import { type ApiResponse, call, clientOf, type InputOf } from "../api/api.ts";

export type Webhook = Output<"updateWebhook">;
export type WebhookWithSecret = Output<"createWebhook">;

export type Delivery = Output<"testWebhook">;

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
  { url, events = ALL_EVENTS }: { readonly url: string; readonly events?: readonly FileEvent[] },
): Promise<WebhookWithSecret> {
  return (await clientOf(server, { key }).call("createWebhook", { url, events: [...events] })).data;
}

export const listWebhooks = async (server: Server, key: string): Promise<readonly Webhook[]> =>
  (await clientOf(server, { key }).call("listWebhooks", {})).data;

export async function getWebhook(server: Server, key: string, id: string): Promise<Webhook> {
  return (await listWebhooks(server, key)).find((webhook) => webhook.id === id) ?? assert.fail("The webhook is not listed.");
}

/** Changes, pauses or enables an endpoint. */
export async function changeWebhook(server: Server, key: string, input: InputOf<"updateWebhook">): Promise<Webhook> {
  return (await clientOf(server, { key }).call("updateWebhook", input)).data;
}

/** Sends a test event; resolves to its delivery. */
export async function sendTest(server: Server, key: string, id: string): Promise<Delivery> {
  return (await clientOf(server, { key }).call("testWebhook", { id })).data;
}

export async function getDeliveries(
  server: Server,
  key: string,
  id: string,
  paging: Omit<InputOf<"listWebhookDeliveries">, "id"> = {},
): Promise<readonly Delivery[]> {
  return (await clientOf(server, { key }).call("listWebhookDeliveries", { id, ...paging })).data;
}

/** Waits for an event of the type among the events received after the first `after` ones. */
export const waitForEvent = (receiver: WebhookReceiver, type: string, after = 0): Promise<Received> =>
  until(`${type} is received`, () => receiver.received.slice(after).find(({ event }) => event.type === type));
