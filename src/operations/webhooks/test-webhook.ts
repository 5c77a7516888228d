import type { TxCtx } from "../../context.ts";
import { TEST_EVENT } from "../../contract/webhooks.ts";
import type { WebhookDeliveryRow } from "../../db/tables/events.ts";
import { findDelivery, insertDeliveries } from "../../db/webhook-deliveries.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { enqueueEndpoint } from "../../events/enqueue-endpoint.ts";
import { toEventBody } from "../../events/event-body.ts";
import type { Operation } from "../operation.ts";
import { getOwnWebhook, webhookNotFound } from "./own-webhook.ts";
import { takeTestRate } from "./take-test-rate.ts";
import { toDelivery } from "./webhook-view.ts";

/** A file that does not exist: receivers find every member of an event. */
const SAMPLE = {
  fileId: "0000000000000000",
  shortId: "webhooks",
  name: "test.txt",
  size: 0,
  mimeType: "text/plain",
  sharePath: "/d/webhooks",
} as const;

/** `POST /webhooks/{id}/test`: sends `webhook.test`, also to a paused endpoint. Throws RATE_LIMITED. */
export const testWebhook: Operation<"testWebhook"> = async (ctx, { actor, remember }, { id }) => {
  const answer = await ctx.tx(async (ctx) => {
    const webhook = await getOwnWebhook(ctx.db, actor, id);
    await takeTestRate(ctx, webhook.owner_id);
    const data = toDelivery(await insertTest(ctx, webhook.id));
    await enqueueEndpoint(ctx, webhook.id);
    await remember?.(ctx, { success: true, data });
    return { success: true, data } as const;
  });
  ctx.wakeJobs();
  return answer;
};

async function insertTest(ctx: TxCtx, endpointId: string): Promise<WebhookDeliveryRow> {
  const nowMs = ctx.now();
  const [id, eventId] = [newUuid(ctx.random, nowMs), newUuid(ctx.random, nowMs)];
  const body = toEventBody({ id: eventId, type: TEST_EVENT, createdAtMs: nowMs, data: SAMPLE });
  await insertDeliveries(ctx.db, [{ id, endpointId, eventId, type: TEST_EVENT, body, byHand: true, nowMs }]);
  const added = await findDelivery(ctx.db, { id, endpointId });
  if (!added) throw webhookNotFound();
  return added;
}
