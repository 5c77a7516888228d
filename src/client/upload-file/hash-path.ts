import { createHash } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";

const SMALL_BYTES = 1024 * 1024;

/** SHA-256 of a file, hexadecimal. Rejects with the signal's reason, and the file system's error. */
export async function hashPath(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  // A stream costs more than the bytes of a small file.
  if (statSync(path).size <= SMALL_BYTES) return hash.update(readFileSync(path)).digest("hex");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}
