import type { Db } from "../../db/database.ts";
import type { WebhookDeliveryRow, WebhookEndpointRow } from "../../db/tables/events.ts";
import { AppError, notFound } from "../../errors.ts";
import { newSecret, newUuid } from "../../lib/secrets/ids.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type Actor, requireUser } from "../accounts/actor.ts";
import { requireAsDefined } from "../accounts/requirements.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import type { Input } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { type Webhook, type WebhookDelivery, webhooksContract } from "./contract.ts";
import { checkNewWebhookUrl } from "./endpoint-url.ts";
import { enqueueEndpointJob } from "./enqueue-endpoint-job.ts";
import { WEBHOOKS } from "./limits.ts";
import {
  changeEndpoint,
  countEndpoints,
  deleteEndpoint,
  type EndpointChange,
  findOwnEndpoint,
  insertEndpoint,
  listEndpoints,
  subscribedEvents,
} from "./queries.ts";

/**
 * `POST /webhooks`: creates an endpoint, at most ten per account. Only this response contains the signing secret. Throws TOO_MANY_WEBHOOKS,
 * URL_NOT_ALLOWED.
 */
export const createWebhook: Operation<"createWebhook"> = async (ctx, call, { url, events, description }) => {
  const ownerId = requireAsDefined(ctx, call, webhooksContract.createWebhook).userId;
  await checkNewWebhookUrl(url, ctx.config.webhookNetworks);
  const secret = newSecret(ctx.random, "whsec_");
  return await commitResponse(ctx, call, async (ctx) => {
    if ((await countEndpoints(ctx.db, ownerId)) >= WEBHOOKS.perAccount) throw tooManyEndpoints();
    const nowMs = ctx.now();
    const row = await insertEndpoint(ctx.db, {
      id: newUuid(ctx.random, nowMs),
      owner_id: ownerId,
      url,
      events: JSON.stringify(events),
      description: description || null,
      secret: ctx.keyring.encrypt(secret),
      created_at: nowMs,
      updated_at: nowMs,
    });
    await recordAudit(ctx, call, { action: "webhook.created", subject: row.id, account: ownerId, details: webhookDetails(row) });
    return { ...toWebhook(row), secret };
  });
};

/** Returns the details of an endpoint for the audit log, without the path and query of its URL, which may contain secrets. */
const webhookDetails = ({ url, status }: Pick<WebhookEndpointRow, "url" | "status">) => ({ host: new URL(url).host, status });

const tooManyEndpoints = (): AppError =>
  new AppError(
    "TOO_MANY_WEBHOOKS",
    `The account already has ${WEBHOOKS.perAccount} webhook endpoints. Delete one that you no longer need.`,
  );

/** `GET /webhooks`. */
export const listWebhooks: Operation<"listWebhooks"> = async (ctx, { actor }) => {
  const rows = await listEndpoints(ctx.db, requireUser(actor).userId);
  return rows.map(toWebhook);
};

/** `PATCH /webhooks/{id}`: changes an endpoint. Resuming it resets its failure counts and sends its waiting deliveries. */
export const updateWebhook: Operation<"updateWebhook"> = async (ctx, call, { id, ...fields }) => {
  const before = await getOwnEndpoint(ctx.db, call.actor, id);
  if (fields.url !== undefined && fields.url !== before.url) await checkNewWebhookUrl(fields.url, ctx.config.webhookNetworks);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const changed = await changeEndpoint(ctx.db, {
      id,
      ownerId: requireUser(call.actor).userId,
      nowMs: ctx.now(),
      change: toChange(fields),
    });
    if (!changed) throw endpointNotFound();
    await recordAudit(ctx, call, { action: "webhook.changed", subject: id, account: changed.owner_id, details: webhookDetails(changed) });
    if (fields.status === "active") await enqueueEndpointJob(ctx, id);
    return toWebhook(changed);
  });
  if (fields.status === "active") ctx.wakeJobs();
  return response;
};

const RESUMED: EndpointChange = { status: "active", paused_reason: null, failed_attempts: 0, failed_events: 0 };
const PAUSED: EndpointChange = { status: "paused", paused_reason: "Paused by its owner." };

function toChange({ url, events, description, status }: Omit<Input<"updateWebhook">, "id">): EndpointChange {
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: JSON.stringify(events) }),
    ...(description !== undefined && { description: description || null }),
    ...(status === "active" && RESUMED),
    ...(status === "paused" && PAUSED),
  };
}

/** `POST /webhooks/{id}/rotate`: replaces the secret for later attempts. Only this response contains the new one. */
export const rotateWebhookSecret: Operation<"rotateWebhookSecret"> = async (ctx, call, { id }) => {
  const secret = newSecret(ctx.random, "whsec_");
  const change = { secret: ctx.keyring.encrypt(secret) };
  return await commitResponse(ctx, call, async (ctx) => {
    const row = await changeEndpoint(ctx.db, { id, ownerId: requireUser(call.actor).userId, nowMs: ctx.now(), change });
    if (!row) throw endpointNotFound();
    await recordAudit(ctx, call, { action: "webhook.rotated", subject: id, account: row.owner_id, details: webhookDetails(row) });
    return { ...toWebhook(row), secret };
  });
};

/** `DELETE /webhooks/{id}`: deletes an endpoint and its deliveries. */
export const deleteWebhook: Operation<"deleteWebhook"> = async (ctx, call, { id }) => {
  return await commitResponse(ctx, call, async (ctx) => {
    const ownerId = requireUser(call.actor).userId;
    if (!(await deleteEndpoint(ctx.db, { id, ownerId }))) throw endpointNotFound();
    await recordAudit(ctx, call, { action: "webhook.deleted", subject: id, account: ownerId });
    return { id };
  });
};

/** Gets an endpoint of the actor. Throws NOT_FOUND. */
export async function getOwnEndpoint(db: Db, actor: Actor, id: string): Promise<WebhookEndpointRow> {
  const endpoint = await findOwnEndpoint(db, { id, ownerId: requireUser(actor).userId });
  if (!endpoint) throw endpointNotFound();
  return endpoint;
}

export const endpointNotFound = (): AppError => notFound("webhook endpoint", "List your endpoints to find its ID.", "in your account");

/** Converts a row to the response for its owner, without the secret. */
function toWebhook(row: WebhookEndpointRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: subscribedEvents(row),
    description: row.description,
    status: row.status,
    pausedReason: row.paused_reason,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  };
}

/** Converts a row to the response for the endpoint's owner. */
export function toDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type as WebhookDelivery["type"],
    status: row.status,
    attempts: row.attempts,
    responseStatus: row.response_status,
    error: row.error,
    createdAt: toIso(row.created_at),
    nextAttemptAt: toIso(row.next_attempt_at),
    deliveredAt: toIso(row.delivered_at),
  };
}
