import { crc32 } from "node:zlib";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { accountDisabled } from "../accounts/user-actor.ts";
import { findPart, findSessionByKey, savePart, touchOpenSession } from "./queries.ts";
import { isReplay, replayPart } from "./replay-part.ts";
import { checkSessionOpen, findPartSpan, isMultipart, type MultipartSession, toStagedBlob, uploadNotFound } from "./session.ts";

/** The reference of a part: its upload, its number, and the digest that its bytes must have. */
export interface PartReference {
  readonly sessionKey: string;
  readonly partNumber: number;
  readonly sha256: string;
}

export interface PartUploadInput {
  readonly part: PartReference;
  /** The size in bytes; undefined if the client did not send it. */
  readonly sizeBytes: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Receives one part, which is durable and recorded when the call resolves to its ETag. A failed part leaves an earlier upload of it unchanged, and a
 * repeated part is only compared (uploads, "Uploads in parts"). Throws SIZE_MISMATCH, DIGEST_MISMATCH, UPLOAD_CLOSED, NOT_FOUND, STORAGE_FULL,
 * TOO_MANY_UPLOADS, and UNAUTHENTICATED if the owner's account is disabled.
 */
export async function putPart(ctx: Ctx, input: PartUploadInput): Promise<{ etag: string }> {
  const located = await locatePart(ctx.db, input);
  const { id: sessionId, quota_owner: quotaOwner } = located.session;
  return await ctx.uploadBodyLimiter.run({ quotaOwner, sessionId }, () => receivePart(ctx, input, located));
}

/** Receives a part that the server has fetched, as `putPart` does. It does not count as a transfer of the caller. */
export async function putFetchedPart(ctx: Ctx, input: PartUploadInput): Promise<{ etag: string }> {
  return await receivePart(ctx, input, await locatePart(ctx.db, input));
}

interface LocatedPart {
  readonly session: MultipartSession;
  readonly span: { readonly offset: number; readonly sizeBytes: number };
}

async function locatePart(db: Db, { part: { sessionKey, partNumber }, sizeBytes }: PartUploadInput): Promise<LocatedPart> {
  const session = await findSessionByKey(db, sessionKey);
  if (!isMultipart(session)) throw uploadNotFound();
  if (session.uploader_disabled_at !== null) throw accountDisabled();
  const span = findPartSpan(session, partNumber);
  if (!span) throw uploadNotFound();
  if (sizeBytes !== undefined && sizeBytes !== span.sizeBytes) throw wrongSize(partNumber, span.sizeBytes);
  return { session, span };
}

async function receivePart(ctx: Ctx, { part, body }: PartUploadInput, { session, span }: LocatedPart): Promise<{ etag: string }> {
  const { partNumber, sha256 } = part;
  const replay = { session, partNumber, sha256, sizeBytes: span.sizeBytes, body };
  if (session.state === "completed") return await replayPart(ctx, replay);
  checkSessionOpen(ctx, session);
  const before = await findPart(ctx.db, session.id, partNumber);
  if (await isReplay(ctx, replay, before)) return await replayPart(ctx, replay);
  const onReplace = async (): Promise<void> => {
    await ctx.db.deleteFrom("upload_parts").where("session_id", "=", session.id).where("part_number", "=", partNumber).execute();
  };
  const target = { partNumber, ...span, sha256, isUploaded: before !== undefined, onReplace };
  // For a file of several parts, the job that reads them in order computes the checksum.
  const measured = session.total_parts === 1 ? withChecksum(body) : { body, checksum: () => null };
  return await ctx.blobs.writePart(toStagedBlob(session), target, measured.body, async ({ etag }) => {
    await ctx.transaction(async (ctx) => {
      if (!(await touchOpenSession(ctx.db, { id: session.id, nowMs: ctx.now() })))
        throw new AppError("UPLOAD_CLOSED", "This upload was completed or aborted while the part was sent. Check its status.");
      await savePart(ctx.db, {
        session_id: session.id,
        part_number: partNumber,
        size_bytes: span.sizeBytes,
        sha256,
        etag,
        crc32: measured.checksum(),
      });
    });
  });
}

/** Computes the CRC-32 of a body while it is read. `checksum` is valid after the last byte. */
function withChecksum(body: AsyncIterable<Uint8Array>): { readonly body: AsyncIterable<Uint8Array>; checksum(): number } {
  let checksum = 0;
  async function* read(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  }
  return { body: read(), checksum: () => checksum };
}

function wrongSize(partNumber: number, sizeBytes: number): AppError {
  return new AppError("SIZE_MISMATCH", `Part ${partNumber} of this upload has ${sizeBytes} bytes. Send exactly that many.`);
}
