import type { TransactionCtx } from "../../context.ts";
import type { WebhookDeliveryRow } from "../../db/tables/events.ts";
import { notFound } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { consume, rateLimited } from "../accounts/rate-limits.ts";
import { TEST_EVENT } from "../events/contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { findDelivery, insertDeliveries, listDeliveries, restartDelivery, restartFailedRows } from "./delivery-queries.ts";
import { endpointNotFound, getOwnEndpoint, toDelivery } from "./endpoints.ts";
import { enqueueEndpointJob, toEventBody } from "./enqueue-endpoint-job.ts";

/** `GET /webhooks/{id}/deliveries`: lists deliveries, newest first. `nextCursor` is null on the last page. */
export const listWebhookDeliveries: Operation<"listWebhookDeliveries"> = async (ctx, { actor }, { id, limit, cursor }) => {
  await getOwnEndpoint(ctx.db, actor, id);
  const pageSize = clampLimit(limit, { defaultLimit: 50, maxLimit: 200 });
  const rows = await listDeliveries(ctx.db, { endpointId: id, before: cursor, limit: pageSize + 1 });
  const page = rows.slice(0, pageSize);
  return { success: true, data: page.map(toDelivery), nextCursor: rows.length > pageSize ? (page.at(-1)?.id ?? null) : null };
};

/**
 * `POST /webhooks/{id}/deliveries/{deliveryId}/retry`: sends the same bytes with the same event ID again, in any state of the delivery.
 * Throws RATE_LIMITED for too many test events.
 */
export const retryWebhookDelivery: Operation<"retryWebhookDelivery"> = async (ctx, call, { id, deliveryId }) => {
  const response = await commitResponse(ctx, call, async (ctx) => {
    const endpoint = await getOwnEndpoint(ctx.db, call.actor, id);
    const restarted = await restartDelivery(ctx.db, { id: deliveryId, endpointId: endpoint.id, nowMs: ctx.now() });
    if (!restarted) throw notFound("delivery", "The log keeps deliveries of the last 30 days.");
    if (restarted.type === TEST_EVENT) await consumeTestRate(ctx, endpoint.owner_id);
    await enqueueEndpointJob(ctx, endpoint.id);
    return toDelivery(restarted);
  });
  ctx.wakeJobs();
  return response;
};

/** Restarts the failed ones of these deliveries. Resolves to their IDs. Call `ctx.wakeJobs()` afterwards. */
export async function restartFailedDeliveries(ctx: TransactionCtx, ids: readonly string[]): Promise<string[]> {
  const rows = await restartFailedRows(ctx.db, ids, ctx.now());
  for (const endpointId of new Set(rows.map(({ endpoint_id }) => endpoint_id))) await enqueueEndpointJob(ctx, endpointId);
  return rows.map(({ id }) => id);
}

/** The data of a test event: all members, for a file that does not exist. */
const SAMPLE = {
  fileId: "0000000000000000",
  shortId: "webhooks",
  name: "test.txt",
  size: 0,
  mimeType: "text/plain",
  sharePath: "/d/webhooks",
} as const;

/** `POST /webhooks/{id}/test`: sends `webhook.test`, also to a paused endpoint. Throws RATE_LIMITED. */
export const testWebhook: Operation<"testWebhook"> = async (ctx, call, { id }) => {
  const response = await commitResponse(ctx, call, async (ctx) => {
    const endpoint = await getOwnEndpoint(ctx.db, call.actor, id);
    await consumeTestRate(ctx, endpoint.owner_id);
    const delivery = toDelivery(await insertTestDelivery(ctx, endpoint.id));
    await enqueueEndpointJob(ctx, endpoint.id);
    return delivery;
  });
  ctx.wakeJobs();
  return response;
};

async function insertTestDelivery(ctx: TransactionCtx, endpointId: string): Promise<WebhookDeliveryRow> {
  const nowMs = ctx.now();
  const [id, eventId] = [newUuid(ctx.random, nowMs), newUuid(ctx.random, nowMs)];
  const body = toEventBody({ id: eventId, type: TEST_EVENT, createdAtMs: nowMs, data: SAMPLE });
  await insertDeliveries(ctx.db, [{ id, endpointId, eventId, type: TEST_EVENT, body, isManual: true, nowMs }]);
  const added = await findDelivery(ctx.db, { id, endpointId });
  if (!added) throw endpointNotFound();
  return added;
}

/** Counts a test event per account, so that more endpoints do not allow more events (request limits, "Test events"). Throws RATE_LIMITED. */
async function consumeTestRate(ctx: TransactionCtx, ownerId: string): Promise<void> {
  const rate = ctx.config.rates.webhookTests;
  const nowMs = ctx.now();
  const { allowed, resetsAtMs } = await consume(ctx.db, { name: "webhookTests", subject: ownerId, rate, nowMs });
  if (allowed) return;
  throw rateLimited({
    nowMs,
    resetsAtMs,
    message: ({ retryAfterSeconds }) => `Too many test events. Wait ${retryAfterSeconds} seconds, then try again.`,
    fields: ({ retryAfterSeconds }) => ({ retryAfterSeconds }),
  });
}
