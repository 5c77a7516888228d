import type { Ctx } from "../../context.ts";
import { removeOldIdempotency } from "../../db/idempotency.ts";
import { removeOldImports } from "../../db/imports.ts";
import { removeEmptyQuotas } from "../../db/quotas.ts";
import { removeLapsedRates } from "../../db/rate-windows.ts";
import { ANONYMOUS_QUOTA_PREFIX } from "../../domain/actor.ts";
import { DAY_MS } from "../../domain/ttl.ts";
import { lapseShares } from "../../operations/shares/lapse-shares.ts";
import { freeDeadLeases } from "../free-the-dead.ts";
import { expireShares } from "./expire-shares.ts";
import { forgetDeliveries } from "./forget-deliveries.ts";
import { removeOrphans } from "./orphans.ts";
import { forgetFiles, purgeFiles } from "./purge-files.ts";
import { reapUploads } from "./reap-uploads.ts";
import { removeAgents } from "./remove-agents.ts";

/** How long a write can be sent again for the same answer (decisions, "Idempotency"). */
const KEEP_IDEMPOTENCY_MS = DAY_MS;

/** How long an import that is over can be asked for. */
const KEEP_IMPORTS_MS = 7 * DAY_MS;

/** How many of each a cleanup dealt with. */
export interface CleanupReport {
  readonly expired: number;
  readonly purged: number;
  readonly uploads: number;
  readonly orphans: number;
  readonly forgotten: number;
}

export interface CleanupOptions {
  /** Bytes that no file has: left alone, those with a blob's name, or all that lies in the store's folders. */
  readonly orphans: "none" | "blobs" | "all";
}

/** Each minute: what has expired, been used up or been given up goes; jobs of dead processes are free again. Fine while others do the same. */
export async function runCleanup(ctx: Ctx, options: CleanupOptions): Promise<CleanupReport> {
  await lapseShares(ctx);
  const expired = await expireShares(ctx);
  const purged = await purgeFiles(ctx);
  const uploads = await reapUploads(ctx);
  await freeDeadLeases(ctx);
  const orphans = options.orphans === "none" ? 0 : await removeOrphans(ctx, { strangers: options.orphans === "all" });
  const forgotten = await forgetFiles(ctx);
  await forgetDeliveries(ctx);
  await removeAgents(ctx);
  await removeEmptyQuotas(ctx.db, ANONYMOUS_QUOTA_PREFIX);
  await removeOldImports(ctx.db, ctx.now() - KEEP_IMPORTS_MS);
  await removeLapsedRates(ctx.db, ctx.now());
  await ctx.db
    .deleteFrom("delegations")
    .where("expires_at", "<=", ctx.now() - DAY_MS)
    .execute();
  await removeOldIdempotency(ctx.db, ctx.now() - KEEP_IDEMPOTENCY_MS);
  await ctx.db
    .deleteFrom("download_grants")
    .where("expires_at", "<=", ctx.now())
    .where((where) =>
      where.exists(
        where
          .selectFrom("files")
          .select("files.id")
          .whereRef("files.id", "=", "download_grants.file_id")
          .where("files.blob_state", "=", "gone"),
      ),
    )
    .execute();
  return { expired, purged, uploads, orphans, forgotten };
}
