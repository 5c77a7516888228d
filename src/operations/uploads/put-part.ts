import { accountDisabled } from "../../auth/owner-actor.ts";
import type { Ctx } from "../../context.ts";
import { findPart, findSessionByKey, savePart, touchOpenSession } from "../../db/upload-sessions.ts";
import { AppError } from "../../errors.ts";
import { confirmPart } from "./part-again.ts";
import type { PartAddress } from "./part-url.ts";
import { checkOpen, partSpan, stagedBlob, unknownUpload } from "./session.ts";

export interface SentPart {
  readonly address: PartAddress;
  /** Undefined where the sender does not say. */
  readonly sizeBytes: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Takes one part, at its place in the file; durable and recorded when it resolves to its ETag. A part that fails leaves nothing that counts,
 * and one that had arrived stays (decisions, "Uploads"). Throws SIZE_MISMATCH, DIGEST_MISMATCH, UPLOAD_CLOSED, NOT_FOUND,
 * STORAGE_FULL, and UNAUTHENTICATED while the account of its owner is disabled.
 */
export async function putPart(ctx: Ctx, { address, sizeBytes, body }: SentPart): Promise<{ etag: string }> {
  const row = await findSessionByKey(ctx.db, address.sessionKey);
  if (!row || row.size_bytes === null || row.part_size === null || row.total_parts === null) throw unknownUpload();
  if (row.owner_disabled_at !== null) throw accountDisabled();
  const session = { ...row, size_bytes: row.size_bytes, part_size: row.part_size, total_parts: row.total_parts };
  const span = partSpan(session, address.partNumber);
  if (!span) throw unknownUpload();
  if (sizeBytes !== undefined && sizeBytes !== span.sizeBytes) throw wrongSize(address.partNumber, span.sizeBytes);
  if (session.state === "completed") return await confirmPart(ctx.db, { sessionId: session.id, ...address, ...span, body });
  checkOpen(ctx, session);
  const before = await findPart(ctx.db, session.id, address.partNumber);
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
