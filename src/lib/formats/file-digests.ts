import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** The digests of a file's bytes: the hexadecimal SHA-256 that identifies it, and the CRC-32 for archives. */
export interface FileDigests {
  readonly sha256: string;
  readonly crc32: number;
}

/** Creates a computation of both digests in one pass over the bytes, which `update` gets in order. `digest` may be called once, at the end. */
export function createFileDigests(): { update(chunk: Uint8Array): void; digest(): FileDigests } {
  const hash = createHash("sha256");
  let checksum = 0;
  return {
    update(chunk) {
      hash.update(chunk);
      checksum = crc32(chunk, checksum);
    },
    digest: () => ({ sha256: hash.digest("hex"), crc32: checksum }),
  };
}
