import { crc32 } from "node:zlib";

/** A file in a ZIP, stored without compression. `/` in its name separates folders. */
export interface ZipMember {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Exactly `sizeBytes` bytes. */
  read(): AsyncIterable<Uint8Array>;
}

/** Larger sizes and offsets need Zip64. */
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;
/** The checksum and sizes follow the bytes; names are UTF-8. */
const FLAGS = 0x0808;
const VERSION = { plain: 20, zip64: 45, madeBy: (3 << 8) | 45 };
const REGULAR_FILE = (0o100644 << 16) >>> 0;
const END_BYTES = 22;
const ZIP64_END_BYTES = 56 + 20;

/** The size of what `writeZip` writes for these members. */
export function zipLength(members: readonly Pick<ZipMember, "name" | "sizeBytes">[]): number {
  let offset = 0;
  let directory = 0;
  for (const { name, sizeBytes } of members) {
    const nameBytes = Buffer.byteLength(name);
    directory += 46 + nameBytes + centralExtra({ sizeBytes, offset }).length;
    offset += 30 + nameBytes + (isLarge(sizeBytes) ? 20 + 24 : 16) + sizeBytes;
  }
  return offset + directory + (needsZip64End(members.length, offset, directory) ? ZIP64_END_BYTES : 0) + END_BYTES;
}

/**
 * Writes the members as one ZIP, in order and in constant memory (PKWARE's APPNOTE 6.3.10; Zip64 if a number needs it). Throws if a member
 * does not have `sizeBytes` bytes, since the length of the archive was already sent.
 */
export async function* writeZip(members: readonly ZipMember[]): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  // Joins the end of a member with the start of the next one: each chunk is a write.
  let between: Buffer = Buffer.alloc(0);
  for (const member of members) {
    const name = Buffer.from(member.name);
    const header = Buffer.concat([localHeader(member, name.length), name, localExtra(member)]);
    yield Buffer.concat([between, header]);
    let checksum = 0;
    let sizeBytes = 0;
    for await (const chunk of member.read()) {
      checksum = crc32(chunk, checksum);
      sizeBytes += chunk.length;
      yield chunk;
    }
    if (sizeBytes !== member.sizeBytes) throw new Error(`A file of an archive has ${sizeBytes} bytes instead of ${member.sizeBytes}.`);
    const descriptor = dataDescriptor(checksum, sizeBytes);
    between = descriptor;
    directory.push(centralHeader(member, { nameBytes: name.length, checksum, offset }), name, centralExtra({ sizeBytes, offset }));
    offset += header.length + sizeBytes + descriptor.length;
  }
  const central = Buffer.concat(directory);
  yield Buffer.concat([between, central, endOfDirectory(members.length, offset, central.length)]);
}

const isLarge = (sizeBytes: number): boolean => sizeBytes >= MAX_32;
const cut32 = (value: number): number => Math.min(value, MAX_32);

function localHeader({ sizeBytes, modifiedMs }: ZipMember, nameBytes: number): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(isLarge(sizeBytes) ? VERSION.zip64 : VERSION.plain, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt32LE(dosTime(modifiedMs), 10);
  if (isLarge(sizeBytes)) header.fill(0xff, 18, 26);
  header.writeUInt16LE(nameBytes, 26);
  header.writeUInt16LE(isLarge(sizeBytes) ? 20 : 0, 28);
  return header;
}

/** Declares 64-bit sizes after a large member's bytes. */
function localExtra({ sizeBytes }: ZipMember): Buffer {
  if (!isLarge(sizeBytes)) return Buffer.alloc(0);
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  return extra;
}

function dataDescriptor(checksum: number, sizeBytes: number): Buffer {
  const descriptor = Buffer.alloc(isLarge(sizeBytes) ? 24 : 16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(checksum, 4);
  if (isLarge(sizeBytes)) {
    descriptor.writeBigUInt64LE(BigInt(sizeBytes), 8);
    descriptor.writeBigUInt64LE(BigInt(sizeBytes), 16);
    return descriptor;
  }
  descriptor.writeUInt32LE(sizeBytes, 8);
  descriptor.writeUInt32LE(sizeBytes, 12);
  return descriptor;
}

function centralHeader(
  { sizeBytes, modifiedMs }: ZipMember,
  { nameBytes, checksum, offset }: { nameBytes: number; checksum: number; offset: number },
): Buffer {
  const header = Buffer.alloc(46);
  const extraBytes = centralExtra({ sizeBytes, offset }).length;
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(VERSION.madeBy, 4);
  header.writeUInt16LE(extraBytes > 0 ? VERSION.zip64 : VERSION.plain, 6);
  header.writeUInt16LE(FLAGS, 8);
  header.writeUInt32LE(dosTime(modifiedMs), 12);
  header.writeUInt32LE(checksum, 16);
  header.writeUInt32LE(cut32(sizeBytes), 20);
  header.writeUInt32LE(cut32(sizeBytes), 24);
  header.writeUInt16LE(nameBytes, 28);
  header.writeUInt16LE(extraBytes, 30);
  header.writeUInt32LE(REGULAR_FILE, 38);
  header.writeUInt32LE(cut32(offset), 42);
  return header;
}

/** The numbers that do not fit the header: both sizes, and the member's offset. */
function centralExtra({ sizeBytes, offset }: { sizeBytes: number; offset: number }): Buffer {
  const numbers = [...(isLarge(sizeBytes) ? [sizeBytes, sizeBytes] : []), ...(isLarge(offset) ? [offset] : [])];
  if (numbers.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + 8 * numbers.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * numbers.length, 2);
  for (const [index, number] of numbers.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + 8 * index);
  return extra;
}

const needsZip64End = (count: number, offset: number, directoryBytes: number): boolean =>
  count >= MAX_16 || offset >= MAX_32 || directoryBytes >= MAX_32;

function endOfDirectory(count: number, offset: number, directoryBytes: number): Buffer {
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(cut32(directoryBytes), 12);
  end.writeUInt32LE(cut32(offset), 16);
  if (!needsZip64End(count, offset, directoryBytes)) return end;
  const zip64 = Buffer.alloc(ZIP64_END_BYTES);
  zip64.writeUInt32LE(0x06064b50, 0);
  zip64.writeBigUInt64LE(44n, 4);
  zip64.writeUInt16LE(VERSION.madeBy, 12);
  zip64.writeUInt16LE(VERSION.zip64, 14);
  zip64.writeBigUInt64LE(BigInt(count), 24);
  zip64.writeBigUInt64LE(BigInt(count), 32);
  zip64.writeBigUInt64LE(BigInt(directoryBytes), 40);
  zip64.writeBigUInt64LE(BigInt(offset), 48);
  zip64.writeUInt32LE(0x07064b50, 56);
  zip64.writeBigUInt64LE(BigInt(offset + directoryBytes), 64);
  zip64.writeUInt32LE(1, 72);
  return Buffer.concat([zip64, end]);
}

/** An MS-DOS time in UTC, accurate to two seconds: the date in the upper half. */
function dosTime(ms: number): number {
  const time = new Date(ms);
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}
