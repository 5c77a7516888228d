import { createHash } from "node:crypto";
import type { AnnouncedPartRow } from "../db/tables/uploads.ts";

/** Holds the parts of a file against what was announced of them, while the file is read in order. */
export interface PartCheck {
  add(chunk: Uint8Array): void;
  /** The first part that has other bytes, or has not been read to its end. */
  findOther(): number | undefined;
}

/** `parts` in order; bytes of no part count for nothing. */
export function createPartCheck(parts: readonly AnnouncedPartRow[]): PartCheck {
  let at = 0;
  let index = 0;
  let hash = createHash("sha256");
  let other: number | undefined;
  return {
    add(chunk) {
      const end = at + chunk.length;
      for (let part = parts[index]; part && part.start_byte < end; part = parts[index]) {
        const partEnd = part.start_byte + part.size_bytes;
        hash.update(chunk.subarray(Math.max(0, part.start_byte - at), Math.min(chunk.length, partEnd - at)));
        if (partEnd > end) break;
        if (hash.digest("hex") !== part.sha256) other ??= part.part_number;
        hash = createHash("sha256");
        index += 1;
      }
      at = end;
    },
    findOther: () => other ?? parts[index]?.part_number,
  };
}
