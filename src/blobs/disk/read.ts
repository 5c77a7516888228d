import { type FileHandle, open } from "node:fs/promises";
import { AppError } from "../../errors.ts";
import { CHUNK_BYTES } from "../../lib/system/chunk-memory.ts";
import type { ReadOptions } from "../store.ts";
import { fromDisk } from "./errors.ts";

/**
 * Reads a file's bytes, one chunk ahead. Rejects with the translation of ENOENT, and with UNAVAILABLE if the file is shorter than the
 * range.
 */
export async function* readFileRange(path: string, options: ReadOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await fromDisk(open(path, "r"));
  try {
    yield* readOpenFile(file, options);
  } finally {
    await file.close();
  }
}

/** Reads an open file's bytes, as `readFileRange` does. The caller closes the file. */
export async function* readOpenFile(file: FileHandle, { range, memory }: ReadOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
  let ahead: Promise<Uint8Array> | undefined;
  let chunkIndex = 0;
  try {
    const end = range?.end ?? (await fromDisk(file.stat())).size;
    const readAt = async (position: number): Promise<Uint8Array> => {
      const sizeBytes = Math.min(CHUNK_BYTES, end - position);
      const bytes = memory?.[chunkIndex++ % 2]?.subarray(0, sizeBytes) ?? Buffer.allocUnsafeSlow(sizeBytes);
      const { bytesRead } = await fromDisk(file.read(bytes, 0, bytes.length, position));
      if (bytesRead === 0) throw new AppError("UNAVAILABLE", "The stored file is shorter than expected. Tell the administrator.");
      return bytes.subarray(0, bytesRead);
    };
    let position = range?.start ?? 0;
    if (position < end) ahead = readAt(position);
    while (ahead) {
      const chunk = await ahead;
      position += chunk.length;
      ahead = position < end ? readAt(position) : undefined;
      ahead?.catch(() => undefined);
      yield chunk;
    }
  } finally {
    await ahead?.catch(() => undefined);
  }
}
