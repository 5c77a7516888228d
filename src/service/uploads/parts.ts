import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { digestMismatch, sizeMismatch } from "../../blobs/blob-errors.ts";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { UploadPartRow } from "../../db/tables/uploads.ts";
import { AppError, invalidField } from "../../errors.ts";
import { signToken, verifyToken } from "../../lib/secrets/signed-token.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { accountDisabled } from "../accounts/user-actor.ts";
import type { Operation } from "../operation.ts";
import { findPart, findSessionByKey, hasExpectedParts, listParts, saveExpectedParts, savePart, touchOpenSession } from "./queries.ts";
import {
  checkSessionOpen,
  findPartSpan,
  getSession,
  isMultipart,
  type MultipartSession,
  type OwnedSession,
  toStagedBlob,
  uploadCompleted,
  uploadNotFound,
} from "./session.ts";

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

interface ReplayedPart {
  readonly session: MultipartSession;
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** The expected digest. */
  readonly sha256: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Minimum age of the last record when a repeated part records activity again. */
const TOUCH_AFTER_MS = 60_000;

/**
 * Returns whether a part of an open upload was uploaded with the same bytes. False if presigned URLs were issued, because the store may have received
 * other bytes since; the part is then written again.
 */
async function isReplay(ctx: Pick<Ctx, "db">, { session, sha256 }: ReplayedPart, before: UploadPartRow | undefined): Promise<boolean> {
  return before?.sha256 === sha256 && !(await hasExpectedParts(ctx.db, session.file_id));
}

/**
 * Resolves to the ETag of an uploaded part if `body` has the same bytes, which are compared and not written. Throws UPLOAD_CLOSED, SIZE_MISMATCH,
 * DIGEST_MISMATCH, and CONFLICT if the part was replaced meanwhile.
 */
async function replayPart(ctx: Ctx, { session, body, ...part }: ReplayedPart): Promise<{ etag: string }> {
  const find = () => findPart(ctx.db, session.id, part.partNumber);
  if ((await find())?.sha256 !== part.sha256) throw session.state === "completed" ? uploadCompleted() : partReplacedOrEnded();
  const hash = createHash("sha256");
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > part.sizeBytes) throw sizeMismatch(part, "more");
    hash.update(chunk);
  }
  if (received < part.sizeBytes) throw sizeMismatch(part, `${received}`);
  if (hash.digest("hex") !== part.sha256) throw digestMismatch(part);
  const recorded = await find();
  if (recorded?.sha256 !== part.sha256) throw partReplacedOrEnded();
  if (ctx.now() - session.last_byte_at >= TOUCH_AFTER_MS) await touchOpenSession(ctx.db, { id: session.id, nowMs: ctx.now() });
  return { etag: recorded.etag };
}

const partReplacedOrEnded = (): AppError =>
  new AppError("CONFLICT", "The part was replaced or the upload ended meanwhile. List the uploaded parts, and send the missing ones.");

/** Validity of the signed URL of a part. */
const PART_URL_TTL_MS = DAY_MS;

/**
 * `POST /files/multipart/batch-urls`: returns signed URLs for the PUT of parts, each bound to the part's SHA-256. They are URLs of this server or of
 * the store.
 */
export const batchPartUrls: Operation<"batchPartUrls"> = async (ctx, { actor }, input) => {
  const owned = await getSession(ctx.db, actor, input);
  const { session } = owned;
  const isCompleted = session.state === "completed";
  if (isCompleted) await checkPartsOfFile(ctx.db, session.id, input.partDigests);
  else checkSessionOpen(ctx, session);
  const expiresAtMs = ctx.now() + PART_URL_TTL_MS;
  const parts = Object.entries(input.partDigests).map(([number, sha256]) => toPart(session, number, sha256));
  const presigned = isCompleted ? undefined : await ctx.blobs.presignParts?.(toStagedBlob(session), parts, PART_URL_TTL_MS);
  if (presigned || (!isCompleted && (await hasExpectedParts(ctx.db, owned.file.id)))) await saveExpected(ctx, owned, parts);
  const toUrl = ({ partNumber, sha256 }: Part, index: number): string =>
    presigned?.[index] ?? signPartUrl(ctx, { sessionKey: session.session_key, partNumber, sha256 }, expiresAtMs);
  const urls = Object.fromEntries(parts.map((part, index) => [String(part.partNumber), toUrl(part, index)]));
  return { success: true, urls, expiresAt: toIso(expiresAtMs) };
};

type Part = ReturnType<typeof toPart>;

function toPart(session: MultipartSession, number: string, sha256: string) {
  const partNumber = Number(number);
  const span = findPartSpan(session, partNumber);
  if (!span) throw outOfRange(number, session.total_parts);
  return { partNumber, sha256, ...span };
}

/**
 * Records the expected parts before presigned URLs are issued for them, because the server does not see those parts. Also records activity, because
 * requests for URLs are the only sign of a client that continues.
 */
async function saveExpected(ctx: Ctx, { session, file }: OwnedSession, parts: readonly Part[]): Promise<void> {
  await ctx.transaction(async (ctx) => {
    if (!(await touchOpenSession(ctx.db, { id: session.id, nowMs: ctx.now() })))
      throw new AppError("UPLOAD_CLOSED", "This upload was completed or aborted meanwhile. Check its status.");
    await saveExpectedParts(
      ctx.db,
      parts.map(({ partNumber, sha256, offset, sizeBytes }) => ({
        file_id: file.id,
        part_number: partNumber,
        start_byte: offset,
        size_bytes: sizeBytes,
        sha256,
      })),
    );
  });
}

function outOfRange(number: string, totalParts: number): AppError {
  const shown = number.slice(0, 20);
  return invalidField(`partDigests.${shown}`, `Part ${shown} does not exist. This upload has the parts 1 to ${totalParts}.`);
}

/** Signs a URL of this server that accepts one part. */
function signPartUrl(ctx: Pick<Ctx, "urls" | "keyring">, part: PartReference, expiresAtMs: number): string {
  const { sessionKey, partNumber, sha256 } = part;
  const { expiry, signature } = signToken(ctx.keyring, "part", [sessionKey, partNumber, sha256], Math.floor(expiresAtMs / 1000));
  return `${ctx.urls.siteUrl}/up/${sessionKey}/${partNumber}?d=${sha256}&e=${expiry}&s=${signature}`;
}

/** Verifies the signed URL of a part; undefined if this server did not issue it or it has expired. */
export function verifyPartUrl(
  ctx: Pick<Ctx, "keyring" | "now">,
  { sessionKey, partNumber: digits, query }: { sessionKey: string; partNumber: string; query: URLSearchParams },
): PartReference | undefined {
  if (!/^\d{1,5}$/.test(digits)) return undefined;
  const [partNumber, sha256] = [Number(digits), query.get("d") ?? ""];
  const token = { expiry: query.get("e") ?? "", signature: query.get("s") ?? "" };
  const expiresAtSeconds = verifyToken(ctx.keyring, "part", [sessionKey, partNumber, sha256], token);
  if (expiresAtSeconds === undefined || ctx.now() >= expiresAtSeconds * 1000) return undefined;
  return { sessionKey, partNumber, sha256 };
}

/**
 * Checks that all requested parts are in the completed file, because a client that missed the response may repeat the whole upload (uploads,
 * "Completing"). Throws UPLOAD_CLOSED otherwise.
 */
async function checkPartsOfFile(db: Db, sessionId: string, digests: Readonly<Record<string, string>>): Promise<void> {
  const inFile = new Map((await listParts(db, sessionId)).map((part) => [String(part.part_number), part.sha256]));
  if (Object.entries(digests).some(([number, sha256]) => inFile.get(number) !== sha256)) throw uploadCompleted();
}
