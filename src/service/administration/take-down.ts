import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { DAY_MS } from "../../lib/duration.ts";
import { toIso } from "../../lib/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { endFilesOnly } from "../files/end-file.ts";
import { cancelRemovalWithoutBytes } from "../files/remove-bytes.ts";
import { closeShare, findLinkedShare, listShareFiles } from "../shares/queries.ts";

export interface TakedownReport {
  readonly shortId: string;
  readonly status: "dmca_removed";
  readonly files: readonly { readonly id: string; readonly name: string; readonly status: string }[];
  /** ISO 8601. Until then the bytes remain, unserved, so that a mistaken takedown can be examined. */
  readonly bytesUntil: string;
}

/**
 * Blocks a share and its files everywhere: 451 on pages, 404 in the API and for signed URLs (expiry, "Takedown"). A link that
 * redirects to a shipment blocks the shipment. The bytes are removed after the days of quarantine. Safe to repeat. Throws NOT_FOUND for an
 * unknown or deleted share.
 */
export async function takeDown(ctx: Ctx, origin: AuditOrigin, shareId: string): Promise<TakedownReport> {
  const removeAtMs = ctx.now() + ctx.config.quarantineDays * DAY_MS;
  const { shortId, files } = await ctx.transaction(async (ctx) => {
    const share = await findLinkedShare(ctx.db, shareId);
    if (!share) throw new AppError("NOT_FOUND", `There is no share ${shareId}. Use its short ID or its link.`);
    const shortId = share.short_id;
    if (share.status === "deleted")
      throw new AppError("NOT_FOUND", `The share ${shareId} was deleted by its owner. There is nothing to take down.`);
    await endFilesOnly(ctx, await listShareFiles(ctx.db, shortId), { status: "dmca_removed", removeAtMs });
    await closeShare(ctx, shortId, "dmca_removed");
    await cancelRemovalWithoutBytes(ctx.db, shortId);
    await recordAudit(ctx, origin, { action: "share.taken_down", subject: shortId, account: share.owner_id });
    return { shortId, files: await listShareFiles(ctx.db, shortId) };
  });
  return {
    shortId,
    status: "dmca_removed",
    files: files.map(({ id, name, status }) => ({ id, name, status })),
    bytesUntil: toIso(Math.max(0, ...files.map((file) => file.remove_at ?? 0)) || ctx.now()),
  };
}
