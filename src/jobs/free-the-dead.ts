import type { Ctx } from "../context.ts";
import { listInstances, removeOtherInstances } from "../db/instances.ts";
import { releaseJobsOfTheDead } from "../db/jobs.ts";
import { listLiving } from "../instance.ts";

/** Frees at once what a process that has died held: one of this host as soon as the kernel says so, another as soon as its lease is over. True where there was one. */
export async function freeTheDead(ctx: Ctx): Promise<boolean> {
  const [known, living] = [await listInstances(ctx.db), await listLiving(ctx.db, ctx.now())];
  if (known.every(({ id }) => living.has(id))) return false;
  await freeDeadLeases(ctx);
  return true;
}

/** Jobs that a process left behind when it died can run again at once. */
export async function freeDeadLeases(ctx: Ctx): Promise<void> {
  // One transaction, so that a process which registers and takes a job in the middle does not look dead.
  await ctx.tx(async (ctx) => {
    const living = [...(await listLiving(ctx.db, ctx.now()))];
    await releaseJobsOfTheDead(ctx.db, living);
    await removeOtherInstances(ctx.db, living);
  });
}
