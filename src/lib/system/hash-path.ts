import { createHash } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";

const SMALL_BYTES = 1024 * 1024;

/** Computes the hexadecimal SHA-256 of a file. Rejects with the signal's reason, and the file system's error. */
export async function hashPath(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  // For a small file, a stream costs more than reading the bytes.
  if (statSync(path).size <= SMALL_BYTES) return hash.update(readFileSync(path)).digest("hex");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}
