import { accountDisabled } from "../../auth/owner-actor.ts";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { findPart, findSessionByKey, savePart, touchOpenSession } from "../../db/upload-sessions.ts";
import { AppError } from "../../errors.ts";
import { confirmPart, isReplay } from "./part-again.ts";
import type { PartAddress } from "./part-url.ts";
import { checkOpen, type OwnedSession, partSpan, stagedBlob, unknownUpload } from "./session.ts";

export interface SentPart {
  readonly address: PartAddress;
  /** Undefined where the sender does not say. */
  readonly sizeBytes: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Takes one part, at its place in the file; durable and recorded when it resolves to its ETag. A part that fails leaves nothing that counts,
 * and one that had arrived stays (decisions, "Uploads"). The same part again is read and compared, and not written. Throws SIZE_MISMATCH,
 * DIGEST_MISMATCH, UPLOAD_CLOSED, NOT_FOUND, STORAGE_FULL, TOO_MANY_UPLOADS, and UNAUTHENTICATED while the account of its owner is disabled.
 */
export async function putPart(ctx: Ctx, sent: SentPart): Promise<{ etag: string }> {
  const located = await locatePart(ctx.db, sent);
  const { id: sessionId, quota_owner: quotaOwner } = located.session;
  return await ctx.transfers.run({ quotaOwner, sessionId }, () => receivePart(ctx, sent, located));
}

/** The same for a part that this server has fetched itself, which counts as no caller's transfer. */
export async function putFetchedPart(ctx: Ctx, sent: SentPart): Promise<{ etag: string }> {
  return await receivePart(ctx, sent, await locatePart(ctx.db, sent));
}

interface LocatedPart {
  readonly session: OwnedSession["session"];
  readonly span: { readonly offset: number; readonly sizeBytes: number };
}

async function locatePart(db: Db, { address, sizeBytes }: SentPart): Promise<LocatedPart> {
  const row = await findSessionByKey(db, address.sessionKey);
  if (!row || row.size_bytes === null || row.part_size === null || row.total_parts === null) throw unknownUpload();
  if (row.owner_disabled_at !== null) throw accountDisabled();
  const session = { ...row, size_bytes: row.size_bytes, part_size: row.part_size, total_parts: row.total_parts };
  const span = partSpan(session, address.partNumber);
  if (!span) throw unknownUpload();
  if (sizeBytes !== undefined && sizeBytes !== span.sizeBytes) throw wrongSize(address.partNumber, span.sizeBytes);
  return { session, span };
}

async function receivePart(ctx: Ctx, { address, body }: SentPart, { session, span }: LocatedPart): Promise<{ etag: string }> {
  const again = { session, partNumber: address.partNumber, sha256: address.sha256, sizeBytes: span.sizeBytes, body };
  if (session.state === "completed") return await confirmPart(ctx, again);
  checkOpen(ctx, session);
  const before = await findPart(ctx.db, session.id, address.partNumber);
  if (await isReplay(ctx, again, before)) return await confirmPart(ctx, again);
  const onReplace = async (): Promise<void> => {
    await ctx.db.deleteFrom("upload_parts").where("session_id", "=", session.id).where("part_number", "=", address.partNumber).execute();
  };
  const place = { partNumber: address.partNumber, ...span, sha256: address.sha256, arrived: before !== undefined, onReplace };
  return await ctx.blobs.writePart(stagedBlob(session), place, body, async ({ etag }) => {
    await ctx.tx(async (ctx) => {
      if (!(await touchOpenSession(ctx.db, { id: session.id, nowMs: ctx.now() })))
        throw new AppError("UPLOAD_CLOSED", "This upload was completed or aborted while the part was on its way.");
      await savePart(ctx.db, {
        session_id: session.id,
        part_number: address.partNumber,
        size_bytes: span.sizeBytes,
        sha256: address.sha256,
        etag,
      });
    });
  });
}

function wrongSize(partNumber: number, sizeBytes: number): AppError {
  return new AppError("SIZE_MISMATCH", `Part ${partNumber} of this upload has ${sizeBytes} bytes. Send exactly those.`);
}
