import type { TxCtx } from "../../context.ts";
import { takeRate } from "../../db/rate-windows.ts";
import { rateLimited } from "../../domain/rate-limited.ts";

/**
 * Counts a test event that is sent, or sent again: by account, so that more endpoints do not send more (request limits, "Test events").
 * Throws RATE_LIMITED.
 */
export async function takeTestRate(ctx: TxCtx, subject: string): Promise<void> {
  const rate = ctx.config.rates.webhookTests;
  const nowMs = ctx.now();
  const { allowed, resetsAtMs } = await takeRate(ctx.db, { name: "webhookTests", subject, rate, nowMs });
  if (allowed) return;
  throw rateLimited({
    nowMs,
    resetsAtMs,
    message: ({ retryAfterSeconds }) => `Too many test events. Wait ${retryAfterSeconds} seconds.`,
    fields: ({ retryAfterSeconds }) => ({ retryAfterSeconds }),
  });
}
