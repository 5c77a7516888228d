import { open } from "node:fs/promises";
import { AppError } from "../../errors.ts";

/** The largest size, which exceeds every file of keys. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a text file that a person names, which may be a pipe or an endless device. Throws VALIDATION_FAILED above 1 MB, and the file system's error.
 */
export async function readSmallFile(path: string): Promise<string> {
  await using file = await open(path, "r");
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  let size = 0;
  while (size < bytes.length) {
    const { bytesRead } = await file.read(bytes, size, bytes.length - size, null);
    if (bytesRead === 0) return bytes.toString("utf8", 0, size);
    size += bytesRead;
  }
  throw new AppError("VALIDATION_FAILED", `${path} has more than 1 MB, so it is not a file of keys or passphrases. Name another one.`);
}
