import type { Ctx } from "../context.ts";
import { listInstances } from "../db/instances.ts";
import { listLiving } from "../instance.ts";
import { freeDeadLeases } from "./cleanup/run-cleanup.ts";

/** Frees at once what a process that has died held: one of this host as soon as the kernel says so, another as soon as its lease is over. True where there was one. */
export async function freeTheDead(ctx: Ctx): Promise<boolean> {
  const [known, living] = [await listInstances(ctx.db), await listLiving(ctx.db, ctx.now())];
  if (known.every(({ id }) => living.has(id))) return false;
  await freeDeadLeases(ctx);
  return true;
}
