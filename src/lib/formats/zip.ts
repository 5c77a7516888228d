import { joinBytes } from "./join-bytes.ts";

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

/** Continues a CRC-32 with bytes. Servers and browsers have different ones. */
export type Checksum = (bytes: Uint8Array, before: number) => number;

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
const STORED = 0;
const FIRST_DISK = 0;

const utf8 = new TextEncoder();

/** Returns the number of bytes that `writeZip` writes for these members. */
export function zipLength(members: readonly ZipEntry[]): number {
  let offset = 0;
  let directory = 0;
  for (const member of members) {
    const nameBytes = utf8.encode(member.name).length;
    directory += CENTRAL_BYTES + nameBytes + centralExtra(member, offset).length;
    offset += LOCAL_BYTES + nameBytes + localExtra(member).length + member.sizeBytes + descriptorBytes(member);
  }
  return offset + directory + (needsZip64End(members.length, offset, directory) ? ZIP64_END_BYTES : 0) + END_BYTES;
}

/**
 * Writes the members as one ZIP, in order and in constant memory (PKWARE's APPNOTE 6.3.10; Zip64 if a number needs it). Throws if a member does not
 * have `sizeBytes` bytes, because the length of the archive was already sent.
 */
export async function* writeZip(members: Iterable<ZipMember> | AsyncIterable<ZipMember>, crc32: Checksum): AsyncGenerator<Uint8Array> {
  const directory: Uint8Array[] = [];
  let count = 0;
  let offset = 0;
  // Joins the end of a member with the start of the next one, because each chunk is a write.
  let between = new Uint8Array();
  for await (const member of members) {
    const name = utf8.encode(member.name);
    const extra = localExtra(member);
    const header = joinBytes([localHeader(member, { nameBytes: name.length, extraBytes: extra.length }), name, extra]);
    yield joinBytes([between, header]);
    let checksum = knownChecksum(member) ?? 0;
    let sizeBytes = 0;
    for await (const chunk of member.read()) {
      if (hasDescriptor(member)) checksum = crc32(chunk, checksum);
      sizeBytes += chunk.length;
      yield chunk;
    }
    if (sizeBytes !== member.sizeBytes) throw new Error(`A file of an archive has ${sizeBytes} bytes instead of ${member.sizeBytes}.`);
    between = hasDescriptor(member) ? dataDescriptor(member, checksum) : new Uint8Array();
    directory.push(centralHeader(member, { nameBytes: name.length, checksum, offset }), name, centralExtra(member, offset));
    offset += header.length + sizeBytes + between.length;
    count += 1;
  }
  const central = joinBytes(directory);
  yield joinBytes([between, central, endOfDirectory(count, offset, central.length)]);
}

const isLarge = ({ sizeBytes }: ZipEntry): boolean => sizeBytes >= MAX_32;
const cut32 = (value: number): number => Math.min(value, MAX_32);
const knownChecksum = ({ sizeBytes, crc32 }: ZipEntry): number | undefined => (sizeBytes === 0 ? 0 : crc32);
const hasDescriptor = (member: ZipEntry): boolean => knownChecksum(member) === undefined;
const flagsOf = (member: ZipEntry): number => FLAGS.utf8 | (hasDescriptor(member) ? FLAGS.descriptor : 0);

/** Joins numbers without a sign, in little-endian order, each with its size in bytes. */
function pack(fields: readonly (readonly [bytes: 1 | 2 | 4 | 8, value: number])[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) view.setBigUint64(at, BigInt(value), true);
    else if (bytes === 4) view.setUint32(at, value, true);
    else if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint8(at, value);
    at += bytes;
  }
  return packed;
}

function localHeader(member: ZipEntry, { nameBytes, extraBytes }: { nameBytes: number; extraBytes: number }): Uint8Array {
  const shownBytes = hasDescriptor(member) && !isLarge(member) ? 0 : cut32(member.sizeBytes);
  return pack([
    [4, 0x04034b50],
    [2, isLarge(member) ? VERSION.zip64 : VERSION.plain],
    [2, flagsOf(member)],
    [2, STORED],
    [4, dosTime(member.modifiedMs)],
    [4, knownChecksum(member) ?? 0],
    [4, shownBytes],
    [4, shownBytes],
    [2, nameBytes],
    [2, extraBytes],
  ]);
}

/** Returns the extra field of a local header: the time, and the sizes of a large member, which are zeros if they follow its bytes. */
function localExtra(member: ZipEntry): Uint8Array {
  const shownBytes = hasDescriptor(member) ? 0 : member.sizeBytes;
  return joinBytes([isLarge(member) ? zip64Extra([shownBytes, shownBytes]) : new Uint8Array(), timeExtra(member)]);
}

const descriptorBytes = (member: ZipEntry): number => (hasDescriptor(member) ? (isLarge(member) ? 24 : 16) : 0);

function dataDescriptor(member: ZipEntry, checksum: number): Uint8Array<ArrayBuffer> {
  const sizeField = isLarge(member) ? 8 : 4;
  return pack([
    [4, 0x08074b50],
    [4, checksum],
    [sizeField, member.sizeBytes],
    [sizeField, member.sizeBytes],
  ]);
}

function centralHeader(
  member: ZipEntry,
  { nameBytes, checksum, offset }: { nameBytes: number; checksum: number; offset: number },
): Uint8Array {
  const { sizeBytes, modifiedMs, isExecutable } = member;
  return pack([
    [4, 0x02014b50],
    [2, VERSION.madeBy],
    [2, isLarge(member) || offset >= MAX_32 ? VERSION.zip64 : VERSION.plain],
    [2, flagsOf(member)],
    [2, STORED],
    [4, dosTime(modifiedMs)],
    [4, checksum],
    [4, cut32(sizeBytes)],
    [4, cut32(sizeBytes)],
    [2, nameBytes],
    [2, centralExtra(member, offset).length],
    // The length of a comment, the number of the disk, and attributes of the content.
    [2, 0],
    [2, FIRST_DISK],
    [2, 0],
    // The upper half of the external attributes is the mode.
    [2, 0],
    [2, isExecutable ? EXECUTABLE_FILE : REGULAR_FILE],
    [4, cut32(offset)],
  ]);
}

/** Returns the extra field of a directory entry: the sizes and the offset that do not fit the header, and the time. */
function centralExtra(member: ZipEntry, offset: number): Uint8Array {
  const { sizeBytes } = member;
  return joinBytes([
    zip64Extra([...(isLarge(member) ? [sizeBytes, sizeBytes] : []), ...(offset >= MAX_32 ? [offset] : [])]),
    timeExtra(member),
  ]);
}

function zip64Extra(numbers: readonly number[]): Uint8Array {
  if (numbers.length === 0) return new Uint8Array();
  return pack([[2, 1], [2, 8 * numbers.length], ...numbers.map((number) => [8, number] as const)]);
}

/**
 * Returns Info-ZIP's extended timestamp with the time of change in UTC, without which readers interpret `dosTime` in their own zone. Empty if 32 bits
 * are too few.
 */
function timeExtra({ modifiedMs }: ZipEntry): Uint8Array {
  const seconds = Math.floor(modifiedMs / 1000);
  if (seconds < 0 || seconds > 0x7fffffff) return new Uint8Array();
  return pack([
    [2, 0x5455],
    [2, 5],
    [1, 1],
    [4, seconds],
  ]);
}

const needsZip64End = (count: number, offset: number, directoryBytes: number): boolean =>
  count >= MAX_16 || offset >= MAX_32 || directoryBytes >= MAX_32;

function endOfDirectory(count: number, offset: number, directoryBytes: number): Uint8Array {
  const end = pack([
    [4, 0x06054b50],
    [2, FIRST_DISK],
    [2, FIRST_DISK],
    [2, Math.min(count, MAX_16)],
    [2, Math.min(count, MAX_16)],
    [4, cut32(directoryBytes)],
    [4, cut32(offset)],
    // The length of a comment.
    [2, 0],
  ]);
  if (!needsZip64End(count, offset, directoryBytes)) return end;
  const zip64 = pack([
    [4, 0x06064b50],
    // The number of the bytes that follow in this record.
    [8, 44],
    [2, VERSION.madeBy],
    [2, VERSION.zip64],
    [4, FIRST_DISK],
    [4, FIRST_DISK],
    [8, count],
    [8, count],
    [8, directoryBytes],
    [8, offset],
    // The position of this record.
    [4, 0x07064b50],
    [4, FIRST_DISK],
    [8, offset + directoryBytes],
    [4, 1],
  ]);
  return joinBytes([zip64, end]);
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
