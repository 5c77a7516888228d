import type { Ctx } from "../../context.ts";
import { findOrphans } from "./orphans.ts";
import { KEEP_ROW_MS, PURGEABLE } from "./purge-files.ts";
import { listAbandoned } from "./reap-uploads.ts";
import type { CleanupReport } from "./run-cleanup.ts";

/** What a cleanup would deal with now; changes nothing. */
export async function planCleanup(ctx: Ctx): Promise<CleanupReport> {
  const nowMs = ctx.now();
  const { expired } = await ctx.db
    .selectFrom("shares")
    .select((select) => select.fn.countAll<number>().as("expired"))
    .where("status", "=", "active")
    .where("expires_at", "<=", nowMs)
    .executeTakeFirstOrThrow();
  const { purged } = await ctx.db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .select((select) => select.fn.countAll<number>().as("purged"))
    .where("files.blob_state", "in", PURGEABLE)
    .where((where) =>
      where.or([
        where("files.purge_at", "<=", nowMs),
        where.and([where("files.status", "=", "active"), where("shares.status", "=", "active"), where("shares.expires_at", "<=", nowMs)]),
      ]),
    )
    .executeTakeFirstOrThrow();
  const { forgotten } = await ctx.db
    .selectFrom("files")
    .select((select) => select.fn.countAll<number>().as("forgotten"))
    .where("ended_at", "<=", nowMs - KEEP_ROW_MS)
    .where("blob_state", "=", "gone")
    .executeTakeFirstOrThrow();
  const abandoned = new Set((await listAbandoned(ctx)).map((session) => session.blob_key));
  let orphans = 0;
  for await (const { key } of findOrphans(ctx)) if (!abandoned.has(key)) orphans += 1;
  return { expired, purged, uploads: abandoned.size, orphans, forgotten };
}
