import type { TxCtx } from "../../context.ts";
import type { UserActor } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";

/** Throws NOT_FOUND where a parent is not another file of the caller's, whether or not it is still there. */
export async function checkUpstream(ctx: TxCtx, actor: UserActor, ids: readonly string[], upstream: readonly string[]): Promise<void> {
  if (upstream.length === 0) return;
  const own = await ctx.db.selectFrom("files").select("id").where("id", "in", upstream).where("owner_id", "=", actor.userId).execute();
  if (own.length === upstream.length && !upstream.some((id) => ids.includes(id))) return;
  throw new AppError("NOT_FOUND", "Each of upstreamFileIds must name another file of your account. List your files to find their ids.");
}
