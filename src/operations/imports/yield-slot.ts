import type { Ctx } from "../../context.ts";
import { isNewcomerWaiting } from "../../db/fair-jobs.ts";
import { AppError } from "../../errors.ts";
import { IMPORT_JOB } from "./init-import.ts";
import type { LiveImport } from "./live-imports.ts";

/** How many import jobs run at the same time in one process; most of them wait for the network. */
export const IMPORT_SLOTS = 32;
/** Of one owner, or of one address. */
export const IMPORT_SLOTS_PER_KEY = 3;

/**
 * Ends `live` where it is slow, the slowest of this process, all slots are taken, and a caller waits who has no import running. It goes on
 * later, as one that was interrupted.
 */
export async function yieldSlot(ctx: Ctx, live: LiveImport): Promise<void> {
  const { count, findSlowest } = ctx.imports.live;
  if (count() < IMPORT_SLOTS || findSlowest() !== live) return;
  if (!(await isNewcomerWaiting(ctx.db, { kind: IMPORT_JOB, isLarge: false, nowMs: ctx.now() }))) return;
  live.abort(new AppError("UNAVAILABLE", "The remote server sent slowly while others waited. Use a faster source, or try again later."));
}
