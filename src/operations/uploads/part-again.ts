import { createHash } from "node:crypto";
import { digestMismatch, sizeMismatch } from "../../blobs/store-errors.ts";
import type { Ctx } from "../../context.ts";
import { hasAnnounced } from "../../db/announced-parts.ts";
import type { Db } from "../../db/database.ts";
import type { UploadPartRow, UploadSessionRow } from "../../db/tables/uploads.ts";
import { findPart, listParts, touchOpenSession } from "../../db/upload-sessions.ts";
import { AppError } from "../../errors.ts";
import { uploadCompleted } from "./session.ts";

/**
 * A client that sends a whole upload again, since it never saw the answer, asks for addresses of parts that are in the file by now.
 * Throws UPLOAD_CLOSED where one of them is not (decisions, "Uploads": URLs can be asked for again at any time).
 */
export async function checkPartsOfFile(db: Db, sessionId: string, digests: Readonly<Record<string, string>>): Promise<void> {
  const inFile = new Map((await listParts(db, sessionId)).map((part) => [String(part.part_number), part.sha256]));
  if (Object.entries(digests).some(([number, sha256]) => inFile.get(number) !== sha256)) throw uploadCompleted();
}

export interface PartAgain {
  readonly session: UploadSessionRow;
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** As announced in the address. */
  readonly sha256: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** How old the note of an upload's last byte may be before a replayed part renews it. */
const TOUCH_AFTER_MS = 60_000;

/**
 * Whether a part of an open upload has arrived with these very bytes. Where senders have addresses of the store itself, other bytes may
 * have come since, past this server: then it is to be written again.
 */
export async function isReplay(ctx: Pick<Ctx, "db">, { session, sha256 }: PartAgain, before: UploadPartRow | undefined): Promise<boolean> {
  return before?.sha256 === sha256 && !(await hasAnnounced(ctx.db, session.file_id));
}

/**
 * Answers a part that has arrived as it was answered first, where the bytes are the same; they are compared as they are read, and nothing is
 * written. Throws UPLOAD_CLOSED, SIZE_MISMATCH, DIGEST_MISMATCH; CONFLICT where the part was replaced meanwhile.
 */
export async function confirmPart(ctx: Ctx, { session, body, ...place }: PartAgain): Promise<{ etag: string }> {
  const find = () => findPart(ctx.db, session.id, place.partNumber);
  if ((await find())?.sha256 !== place.sha256) throw session.state === "completed" ? uploadCompleted() : replaced();
  const hash = createHash("sha256");
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > place.sizeBytes) throw sizeMismatch(place, "more");
    hash.update(chunk);
  }
  if (received < place.sizeBytes) throw sizeMismatch(place, `${received}`);
  if (hash.digest("hex") !== place.sha256) throw digestMismatch(place);
  const part = await find();
  if (part?.sha256 !== place.sha256) throw replaced();
  if (ctx.now() - session.last_byte_at >= TOUCH_AFTER_MS) await touchOpenSession(ctx.db, { id: session.id, nowMs: ctx.now() });
  return { etag: part.etag };
}

const replaced = (): AppError =>
  new AppError(
    "CONFLICT",
    "The part was replaced, or its upload ended, while it was sent again. Ask which parts have arrived, and send what is missing.",
  );
