import type { Ctx } from "../context.ts";
import { countAwaiting, wakeAwaiting } from "../db/jobs.ts";
import { SCANNER } from "./scan-job.ts";

/** How many jobs one statement makes due: others write in between. */
const BATCH_SIZE = 500;

/** Makes the checks due that wait for the scanner, where it answers. Asks it nothing where none waits. */
export async function wakeScans(ctx: Ctx): Promise<void> {
  // Counted once: a server that cannot reach the scanner may put them back meanwhile.
  for (let left = await countAwaiting(ctx.db, SCANNER); left > 0; left -= BATCH_SIZE) {
    if (!(await ctx.scanner.state()).ok) return;
    await wakeAwaiting(ctx.db, { awaits: SCANNER, nowMs: ctx.now(), limit: BATCH_SIZE });
    ctx.wakeJobs();
  }
}
