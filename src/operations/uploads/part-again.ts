import { createHash } from "node:crypto";
import { digestMismatch, sizeMismatch } from "../../blobs/store-errors.ts";
import type { Db } from "../../db/database.ts";
import { findPart, listParts } from "../../db/upload-sessions.ts";
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
  readonly sessionId: string;
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** As announced in the address. */
  readonly sha256: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Answers a part of a completed upload as it was answered first, where the bytes are the same; nothing is written.
 * Throws UPLOAD_CLOSED, SIZE_MISMATCH, DIGEST_MISMATCH.
 */
export async function confirmPart(db: Db, { sessionId, body, ...place }: PartAgain): Promise<{ etag: string }> {
  const part = await findPart(db, sessionId, place.partNumber);
  if (part?.sha256 !== place.sha256) throw uploadCompleted();
  const hash = createHash("sha256");
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > place.sizeBytes) throw sizeMismatch(place, "more");
    hash.update(chunk);
  }
  if (received < place.sizeBytes) throw sizeMismatch(place, `${received}`);
  if (hash.digest("hex") !== place.sha256) throw digestMismatch(place);
  return { etag: part.etag };
}
