import { crc32 } from "node:zlib";

/** The header data of a file in a ZIP, which is stored without compression. `/` in its name separates folders. */
export interface ZipEntry {
  readonly name: string;
  readonly sizeBytes: number;
  /** The CRC-32 of its bytes. If it is undefined, sizes and checksum follow the bytes, which not every streaming reader accepts. */
  readonly crc32: number | undefined;
  readonly modifiedMs: number;
  readonly isExecutable: boolean;
}

export interface ZipMember extends ZipEntry {
  /** Yields exactly `sizeBytes` bytes. */
  read(): AsyncIterable<Uint8Array>;
}

/** The largest size or offset without Zip64. */
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;
const FLAGS = { utf8: 0x0800, descriptor: 0x0008 };
const VERSION = { plain: 20, zip64: 45, madeBy: (3 << 8) | 45 };
const REGULAR_FILE = 0o100644;
const EXECUTABLE_FILE = 0o100755;
const END_BYTES = 22;
const ZIP64_END_BYTES = 56 + 20;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;

/** Returns the number of bytes that `writeZip` writes for these members. */
export function zipLength(members: readonly ZipEntry[]): number {
  let offset = 0;
  let directory = 0;
  for (const member of members) {
    const nameBytes = Buffer.byteLength(member.name);
    directory += CENTRAL_BYTES + nameBytes + centralExtra(member, offset).length;
    offset += LOCAL_BYTES + nameBytes + localExtra(member).length + member.sizeBytes + descriptorBytes(member);
  }
  return offset + directory + (needsZip64End(members.length, offset, directory) ? ZIP64_END_BYTES : 0) + END_BYTES;
}

/**
 * Writes the members as one ZIP, in order and in constant memory (PKWARE's APPNOTE 6.3.10; Zip64 if a number needs it). Throws if a member does not
 * have `sizeBytes` bytes, because the length of the archive was already sent.
 */
export async function* writeZip(members: readonly ZipMember[]): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  // Joins the end of a member with the start of the next one, because each chunk is a write.
  let between: Buffer = Buffer.alloc(0);
  for (const member of members) {
    const name = Buffer.from(member.name);
    const extra = localExtra(member);
    const header = Buffer.concat([localHeader(member, { nameBytes: name.length, extraBytes: extra.length }), name, extra]);
    yield Buffer.concat([between, header]);
    let checksum = knownChecksum(member) ?? 0;
    let sizeBytes = 0;
    for await (const chunk of member.read()) {
      if (hasDescriptor(member)) checksum = crc32(chunk, checksum);
      sizeBytes += chunk.length;
      yield chunk;
    }
    if (sizeBytes !== member.sizeBytes) throw new Error(`A file of an archive has ${sizeBytes} bytes instead of ${member.sizeBytes}.`);
    between = hasDescriptor(member) ? dataDescriptor(member, checksum) : Buffer.alloc(0);
    directory.push(centralHeader(member, { nameBytes: name.length, checksum, offset }), name, centralExtra(member, offset));
    offset += header.length + sizeBytes + between.length;
  }
  const central = Buffer.concat(directory);
  yield Buffer.concat([between, central, endOfDirectory(members.length, offset, central.length)]);
}

const isLarge = ({ sizeBytes }: ZipEntry): boolean => sizeBytes >= MAX_32;
const cut32 = (value: number): number => Math.min(value, MAX_32);
const knownChecksum = ({ sizeBytes, crc32 }: ZipEntry): number | undefined => (sizeBytes === 0 ? 0 : crc32);
const hasDescriptor = (member: ZipEntry): boolean => knownChecksum(member) === undefined;
const flagsOf = (member: ZipEntry): number => FLAGS.utf8 | (hasDescriptor(member) ? FLAGS.descriptor : 0);

function localHeader(member: ZipEntry, { nameBytes, extraBytes }: { nameBytes: number; extraBytes: number }): Buffer {
  const { sizeBytes, modifiedMs } = member;
  const header = Buffer.alloc(LOCAL_BYTES);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(isLarge(member) ? VERSION.zip64 : VERSION.plain, 4);
  header.writeUInt16LE(flagsOf(member), 6);
  header.writeUInt32LE(dosTime(modifiedMs), 10);
  header.writeUInt32LE(knownChecksum(member) ?? 0, 14);
  const shownBytes = hasDescriptor(member) && !isLarge(member) ? 0 : cut32(sizeBytes);
  header.writeUInt32LE(shownBytes, 18);
  header.writeUInt32LE(shownBytes, 22);
  header.writeUInt16LE(nameBytes, 26);
  header.writeUInt16LE(extraBytes, 28);
  return header;
}

/** Returns the extra field of a local header: the time, and the sizes of a large member, which are zeros if they follow its bytes. */
function localExtra(member: ZipEntry): Buffer {
  const shownBytes = hasDescriptor(member) ? 0 : member.sizeBytes;
  return Buffer.concat([isLarge(member) ? zip64Extra([shownBytes, shownBytes]) : Buffer.alloc(0), timeExtra(member)]);
}

const descriptorBytes = (member: ZipEntry): number => (hasDescriptor(member) ? (isLarge(member) ? 24 : 16) : 0);

function dataDescriptor(member: ZipEntry, checksum: number): Buffer {
  const { sizeBytes } = member;
  const descriptor = Buffer.alloc(descriptorBytes(member));
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(checksum, 4);
  if (isLarge(member)) {
    descriptor.writeBigUInt64LE(BigInt(sizeBytes), 8);
    descriptor.writeBigUInt64LE(BigInt(sizeBytes), 16);
    return descriptor;
  }
  descriptor.writeUInt32LE(sizeBytes, 8);
  descriptor.writeUInt32LE(sizeBytes, 12);
  return descriptor;
}

function centralHeader(member: ZipEntry, { nameBytes, checksum, offset }: { nameBytes: number; checksum: number; offset: number }): Buffer {
  const { sizeBytes, modifiedMs, isExecutable } = member;
  const header = Buffer.alloc(CENTRAL_BYTES);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(VERSION.madeBy, 4);
  header.writeUInt16LE(isLarge(member) || offset >= MAX_32 ? VERSION.zip64 : VERSION.plain, 6);
  header.writeUInt16LE(flagsOf(member), 8);
  header.writeUInt32LE(dosTime(modifiedMs), 12);
  header.writeUInt32LE(checksum, 16);
  header.writeUInt32LE(cut32(sizeBytes), 20);
  header.writeUInt32LE(cut32(sizeBytes), 24);
  header.writeUInt16LE(nameBytes, 28);
  header.writeUInt16LE(centralExtra(member, offset).length, 30);
  header.writeUInt16LE(isExecutable ? EXECUTABLE_FILE : REGULAR_FILE, 40);
  header.writeUInt32LE(cut32(offset), 42);
  return header;
}

/** Returns the extra field of a directory entry: the sizes and the offset that do not fit the header, and the time. */
function centralExtra(member: ZipEntry, offset: number): Buffer {
  const { sizeBytes } = member;
  return Buffer.concat([
    zip64Extra([...(isLarge(member) ? [sizeBytes, sizeBytes] : []), ...(offset >= MAX_32 ? [offset] : [])]),
    timeExtra(member),
  ]);
}

function zip64Extra(numbers: readonly number[]): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + 8 * numbers.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * numbers.length, 2);
  for (const [index, number] of numbers.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + 8 * index);
  return extra;
}

/**
 * Returns Info-ZIP's extended timestamp with the time of change in UTC, without which readers interpret `dosTime` in their own zone. Empty if 32 bits
 * are too few.
 */
function timeExtra({ modifiedMs }: ZipEntry): Buffer {
  const seconds = Math.floor(modifiedMs / 1000);
  if (seconds < 0 || seconds > 0x7fffffff) return Buffer.alloc(0);
  const extra = Buffer.alloc(9);
  extra.writeUInt16LE(0x5455, 0);
  extra.writeUInt16LE(5, 2);
  extra.writeUInt8(1, 4);
  extra.writeUInt32LE(seconds, 5);
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

/** The first and the last time that MS-DOS can express. */
const DOS_YEARS = { firstMs: Date.UTC(1980, 0, 1), lastMs: Date.UTC(2107, 11, 31, 23, 59, 58) };

/** Returns an MS-DOS time in UTC, accurate to two seconds, with the date in the upper half. */
function dosTime(ms: number): number {
  const time = new Date(Math.min(Math.max(ms, DOS_YEARS.firstMs), DOS_YEARS.lastMs));
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}
