import { TEST_EVENT } from "../../contract/webhooks.ts";
import { restartDelivery } from "../../db/webhook-deliveries.ts";
import { AppError } from "../../errors.ts";
import { enqueueEndpoint } from "../../events/enqueue-endpoint.ts";
import type { Operation } from "../operation.ts";
import { getOwnWebhook } from "./own-webhook.ts";
import { takeTestRate } from "./take-test-rate.ts";
import { toDelivery } from "./webhook-view.ts";

/**
 * `POST /webhooks/{id}/deliveries/{deliveryId}/retry`: sends the same bytes under the same event id again, whether or not they were taken.
 * Throws RATE_LIMITED for too many test events.
 */
export const retryWebhookDelivery: Operation<"retryWebhookDelivery"> = async (ctx, { actor, remember }, { id, deliveryId }) => {
  const answer = await ctx.tx(async (ctx) => {
    const webhook = await getOwnWebhook(ctx.db, actor, id);
    const restarted = await restartDelivery(ctx.db, { id: deliveryId, endpointId: webhook.id, nowMs: ctx.now() });
    if (!restarted) throw new AppError("NOT_FOUND", "There is no such delivery. The log keeps those of the last 30 days.");
    if (restarted.type === TEST_EVENT) await takeTestRate(ctx, webhook.owner_id);
    await enqueueEndpoint(ctx, webhook.id);
    const answer = { success: true, data: toDelivery(restarted) } as const;
    await remember?.(ctx, answer);
    return answer;
  });
  ctx.wakeJobs();
  return answer;
};
