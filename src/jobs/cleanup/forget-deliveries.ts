import type { Ctx } from "../../context.ts";
import { removeOldDeliveries } from "../../db/webhook-deliveries.ts";
import { DAY_MS } from "../../domain/ttl.ts";
import { WEBHOOKS } from "../../domain/webhooks.ts";

const BATCH = 500;

/** Forgets what the log of webhooks keeps no longer, sent or not; in short batches. */
export async function forgetDeliveries(ctx: Ctx): Promise<void> {
  const beforeMs = ctx.now() - WEBHOOKS.logDays * DAY_MS;
  while ((await removeOldDeliveries(ctx.db, { beforeMs, limit: BATCH })) === BATCH);
}
