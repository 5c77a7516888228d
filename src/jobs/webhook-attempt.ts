import type { Ctx, TxCtx } from "../context.ts";
import type { WebhookDeliveryRow, WebhookEndpointRow } from "../db/tables/events.ts";
import { recordAttempt } from "../db/webhook-deliveries.ts";
import { noteFailure, noteSuccess, pauseWebhook } from "../db/webhooks.ts";
import { WEBHOOKS, webhookPauseMs } from "../domain/webhooks.ts";
import type { AttemptResult, WebhookSender } from "./webhook-sender.ts";

/** Makes one attempt and writes down how it went: rejects only where that cannot be written, and then it will be made again. */
export async function attemptDelivery(
  ctx: Ctx,
  send: WebhookSender,
  { delivery, endpoint }: { delivery: WebhookDeliveryRow; endpoint: WebhookEndpointRow },
): Promise<void> {
  const result = await sendSigned(ctx, send, delivery, endpoint);
  ctx.log.debug({ webhook: endpoint.id, delivery: delivery.id, ...result }, "webhook attempted");
  await ctx.tx((ctx) => settle(ctx, delivery, result));
}

async function sendSigned(
  ctx: Ctx,
  send: WebhookSender,
  delivery: WebhookDeliveryRow,
  endpoint: WebhookEndpointRow,
): Promise<AttemptResult> {
  const secret = openSecret(ctx, endpoint);
  if (secret === undefined) return { responseStatus: null, error: UNREADABLE_SECRET };
  return await send({ url: endpoint.url, secret, id: delivery.event_id, body: delivery.body, nowMs: ctx.now() });
}

const UNREADABLE_SECRET = "The signing secret cannot be read any more, since the server's own secret has changed. Rotate it.";

function openSecret(ctx: Ctx, endpoint: WebhookEndpointRow): string | undefined {
  try {
    return ctx.keyring.decrypt(endpoint.secret);
  } catch {
    return undefined;
  }
}

async function settle(ctx: TxCtx, delivery: WebhookDeliveryRow, { responseStatus, error }: AttemptResult): Promise<void> {
  const nowMs = ctx.now();
  const pauseMs = error === null ? undefined : webhookPauseMs(delivery.failures + 1, (ctx.random(1)[0] ?? 0) / 255);
  const nextAttemptAtMs = pauseMs === undefined ? null : nowMs + pauseMs;
  const isRecorded = await recordAttempt(ctx.db, { id: delivery.id, responseStatus, error, nextAttemptAtMs, nowMs });
  if (!isRecorded) return;
  if (error === null) return await noteSuccess(ctx.db, delivery.endpoint_id);
  const counters = await noteFailure(ctx.db, { id: delivery.endpoint_id, isLast: nextAttemptAtMs === null });
  if (counters?.status !== "active" || counters.failed_events < WEBHOOKS.failedEventsToPause) return;
  const reason = `${WEBHOOKS.failedEventsToPause} events in a row could not be delivered in eight attempts each. The last one: ${error}`;
  await pauseWebhook(ctx.db, { id: delivery.endpoint_id, reason, nowMs });
  ctx.log.warn({ webhook: delivery.endpoint_id }, "webhook endpoint paused: five events in a row failed for good");
}
