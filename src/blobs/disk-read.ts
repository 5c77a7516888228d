import { open } from "node:fs/promises";
import { AppError } from "../errors.ts";
import { fromDisk } from "./disk-errors.ts";
import type { ByteRange } from "./store.ts";

const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file in fresh chunks, one being read ahead; rejects with ENOENT's translation, and where the file ends before the range. */
export async function* readFileRange(path: string, range?: ByteRange): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await fromDisk(open(path, "r"));
  let ahead: Promise<Uint8Array> | undefined;
  try {
    const end = range?.end ?? (await fromDisk(file.stat())).size;
    const readAt = async (position: number): Promise<Uint8Array> => {
      const bytes = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
      const { bytesRead } = await fromDisk(file.read(bytes, 0, bytes.length, position));
      if (bytesRead === 0) throw new AppError("UNAVAILABLE", "The stored bytes end too early. Please tell the operator.");
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
    await file.close();
  }
}
