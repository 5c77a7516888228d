import { createHash } from "node:crypto";
import type { ExpectedPartRow } from "../../db/tables/uploads.ts";

/** A part and its digest. */
export type PartDigest = Omit<ExpectedPartRow, "file_id">;

/** Compares the parts of a file with their expected digests while the file is read in order. */
export interface PartVerifier {
  add(chunk: Uint8Array): void;
  /** Returns the number of the first part that differs or was not read completely; undefined if there is none. */
  findMismatch(): number | undefined;
}

/** Creates a verifier for `parts`, which must be in order. Bytes between parts are ignored. */
export function createPartVerifier(parts: readonly PartDigest[]): PartVerifier {
  let offset = 0;
  let index = 0;
  let hash = createHash("sha256");
  let mismatch: number | undefined;
  return {
    add(chunk) {
      const end = offset + chunk.length;
      for (let part = parts[index]; part && part.start_byte < end; part = parts[index]) {
        const partEnd = part.start_byte + part.size_bytes;
        hash.update(chunk.subarray(Math.max(0, part.start_byte - offset), Math.min(chunk.length, partEnd - offset)));
        if (partEnd > end) break;
        if (hash.digest("hex") !== part.sha256) mismatch ??= part.part_number;
        hash = createHash("sha256");
        index += 1;
      }
      offset = end;
    },
    findMismatch: () => mismatch ?? parts[index]?.part_number,
  };
}
