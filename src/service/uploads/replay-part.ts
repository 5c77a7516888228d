import { createHash } from "node:crypto";
import { digestMismatch, sizeMismatch } from "../../blobs/blob-errors.ts";
import type { Ctx } from "../../context.ts";
import type { UploadPartRow } from "../../db/tables/uploads.ts";
import { AppError } from "../../errors.ts";
import { findPart, hasExpectedParts, touchOpenSession } from "./queries.ts";
import { type MultipartSession, uploadCompleted } from "./session.ts";

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
export async function isReplay(
  ctx: Pick<Ctx, "db">,
  { session, sha256 }: ReplayedPart,
  before: UploadPartRow | undefined,
): Promise<boolean> {
  return before?.sha256 === sha256 && !(await hasExpectedParts(ctx.db, session.file_id));
}

/**
 * Resolves to the ETag of an uploaded part if `body` has the same bytes, which are compared and not written. Throws UPLOAD_CLOSED, SIZE_MISMATCH,
 * DIGEST_MISMATCH, and CONFLICT if the part was replaced meanwhile.
 */
export async function replayPart(ctx: Ctx, { session, body, ...part }: ReplayedPart): Promise<{ etag: string }> {
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
