import { crc32 } from "node:zlib";
import { AppError } from "../../errors.ts";
import { freeChunk } from "../../lib/system/chunk-memory.ts";

export interface ArchiveMember<File> {
  readonly file: File;
  readonly bytes: Uint8Array;
}

interface Expected {
  /** The name of the member. */
  readonly name: string;
  readonly sizeBytes: number;
}

const LOCAL_FILE = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
/** The flag of a member whose checksum follows its bytes, between a signature and two sizes. */
const DESCRIPTOR_FLAG = 0x0008;
const DESCRIPTOR_BYTES = 16;

/**
 * Reads the members of a share's archive while they arrive. They are stored without compression, in the order of the expected files; some may be
 * missing. Throws UNAVAILABLE if the archive ends early or has unexpected members, and CONFLICT for a wrong checksum.
 */
export async function* readArchive<File extends Expected>(
  chunks: AsyncIterable<Uint8Array>,
  expected: readonly File[],
): AsyncGenerator<ArchiveMember<File>> {
  const reader = createReader(chunks);
  const { read } = reader;
  for (let next = 0; ; ) {
    const header = Buffer.from(await read(LOCAL_HEADER_BYTES));
    // The directory of the archive follows the last member.
    if (header.readUInt32LE(0) !== LOCAL_FILE) return;
    const name = Buffer.from(await read(header.readUInt16LE(26))).toString();
    await read(header.readUInt16LE(28));
    const index = expected.findIndex((file, index) => index >= next && file.name === name);
    const file = expected[index];
    if (file === undefined) throw new AppError("UNAVAILABLE", "The server sent an archive of other files. Try again.");
    next = index + 1;
    const bytes = await read(file.sizeBytes);
    const hasDescriptor = (header.readUInt16LE(6) & DESCRIPTOR_FLAG) !== 0;
    const checksum = hasDescriptor ? Buffer.from(await read(DESCRIPTOR_BYTES)).readUInt32LE(4) : header.readUInt32LE(14);
    if (checksum !== crc32(bytes)) throw new AppError("CONFLICT", "The server sent a damaged archive. Try again.");
    yield { file, bytes };
    reader.free();
  }
}

interface Reader {
  /** Reads exactly `size` bytes. They stay in memory until `free`. */
  read(size: number): Promise<Uint8Array>;
  /** Frees the memory of all bytes that were read. */
  free(): void;
}

function createReader(chunks: AsyncIterable<Uint8Array>): Reader {
  const iterator = chunks[Symbol.asyncIterator]();
  const used: Uint8Array[] = [];
  let whole: Uint8Array = new Uint8Array(0);
  let chunk = whole;
  return {
    async read(size) {
      if (chunk.length >= size) {
        const bytes = chunk.subarray(0, size);
        chunk = chunk.subarray(size);
        return bytes;
      }
      const bytes = new Uint8Array(size);
      used.push(bytes);
      for (let filled = 0; ; ) {
        const part = chunk.subarray(0, size - filled);
        bytes.set(part, filled);
        filled += part.length;
        chunk = chunk.subarray(part.length);
        if (filled === size) return bytes;
        const next = await iterator.next();
        if (next.done) throw new AppError("UNAVAILABLE", "The connection broke within an archive. Try again.");
        used.push(whole);
        whole = next.value;
        chunk = whole;
      }
    },
    free() {
      for (const bytes of used.splice(0)) freeChunk(bytes);
    },
  };
}
