import type { Ctx, TransactionCtx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { DAY_MS } from "../../lib/duration.ts";
import { toIso } from "../../lib/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { endFilesOnly } from "../files/end-file.ts";
import { cancelRemovalWithoutBytes } from "../files/remove-bytes.ts";
import { restoreShare } from "../files/restore-share.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { insertBlocks } from "../scanning/blocklist.ts";
import { closeShare, findLinkedShare, listShareFiles } from "../shares/queries.ts";

export interface TakedownReport {
  readonly shortId: string;
  readonly status: "dmca_removed";
  readonly files: readonly { readonly id: string; readonly name: string; readonly status: string }[];
  /** ISO 8601. Until then the bytes remain, unserved, so that a mistaken takedown can be examined. */
  readonly bytesUntil: string;
  /** The SHA-256 digests of its files that were added to the blocklist. */
  readonly blocked: readonly string[];
}

export interface TakedownOptions {
  /** Adds the digests of its files to the blocklist, with a note. */
  readonly block?: { readonly reason?: string | undefined } | undefined;
}

/**
 * Blocks a share and its files everywhere: 451 on pages, 404 in the API and for signed URLs (expiry, "Takedown"). A link that
 * redirects to a shipment blocks the shipment. The bytes are removed after the days of quarantine. Safe to repeat. Throws NOT_FOUND for an
 * unknown or deleted share.
 */
export async function takeDown(ctx: Ctx, origin: AuditOrigin, shareId: string, { block }: TakedownOptions = {}): Promise<TakedownReport> {
  const removeAtMs = ctx.now() + ctx.config.quarantineDays * DAY_MS;
  const { shortId, files, blocked } = await ctx.transaction(async (ctx) => {
    const share = await findLinkedShare(ctx.db, shareId);
    if (!share) throw new AppError("NOT_FOUND", `There is no share ${shareId}. Use its short ID or its link.`);
    const shortId = share.short_id;
    if (share.status === "deleted")
      throw new AppError("NOT_FOUND", `The share ${shareId} was deleted by its owner. There is nothing to take down.`);
    await endFilesOnly(ctx, await listShareFiles(ctx.db, shortId), { status: "dmca_removed", removeAtMs });
    await closeShare(ctx, shortId, "dmca_removed");
    await cancelRemovalWithoutBytes(ctx.db, shortId);
    const files = await listShareFiles(ctx.db, shortId);
    const digests = files.flatMap(({ sha256 }) => sha256 ?? []);
    const { added } = block ? await insertBlocks(ctx, origin, { digests, reason: block.reason }) : { added: [] };
    await recordAudit(ctx, origin, { action: "share.taken_down", subject: shortId, account: share.owner_id });
    return { shortId, files, blocked: added };
  });
  ctx.wakeJobs();
  return {
    shortId,
    status: "dmca_removed",
    files: files.map(({ id, name, status }) => ({ id, name, status })),
    bytesUntil: toIso(Math.max(0, ...files.map((file) => file.remove_at ?? 0)) || ctx.now()),
    blocked,
  };
}

export interface RestoreReport {
  readonly shortId: string;
  /** The files that are back. */
  readonly files: readonly { readonly id: string; readonly name: string }[];
  /** How many files are not, because their bytes are removed. */
  readonly lost: number;
}

/**
 * Undoes a takedown: the share's links work again, with the files whose bytes are not removed (expiry, "Takedown"). Throws NOT_FOUND for an unknown
 * share, CONFLICT if it was not taken down or nothing of it is left.
 */
export async function undoTakedown(ctx: Ctx, origin: AuditOrigin, shareId: string): Promise<RestoreReport> {
  const report = await ctx.transaction((ctx) => bringBack(ctx, origin, shareId));
  ctx.wakeJobs();
  return report;
}

async function bringBack(ctx: TransactionCtx, origin: AuditOrigin, shareId: string): Promise<RestoreReport> {
  const share = await findLinkedShare(ctx.db, shareId);
  if (!share) throw new AppError("NOT_FOUND", `There is no share ${shareId}. Use its short ID or its link.`);
  if (share.status !== "dmca_removed") throw new AppError("CONFLICT", `The share ${shareId} was not taken down. Nothing was changed.`);
  const restored = await restoreShare(ctx, share);
  await recordAudit(ctx, origin, { action: "share.restored", subject: share.short_id, account: share.owner_id });
  const all = await listShareFiles(ctx.db, share.short_id);
  const lost = all.filter(({ status }) => status === "dmca_removed").length;
  return { shortId: share.short_id, files: restored.map(({ id, name }) => ({ id, name })), lost };
}

/** `POST /admin/shares/{shortId}/takedown`. */
export const takeDownShare: Operation<"takeDownShare"> = async (ctx, call, { shortId, block, reason }) => {
  const { files, blocked, ...taken } = await takeDown(ctx, call, shortId, block ? { block: { reason: reason ?? undefined } } : {});
  return { ...taken, files: files.map(({ id, name }) => ({ id, name })), blocked: [...blocked] };
};

/** `POST /admin/shares/{shortId}/restore`. */
export const restoreTakenDown: Operation<"restoreTakenDown"> = async (ctx, call, { shortId }) => {
  const { files, ...report } = await commitResponse(ctx, call, async (ctx) => await bringBack(ctx, call, shortId));
  ctx.wakeJobs();
  return { ...report, files: [...files] };
};
