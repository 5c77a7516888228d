import { decodeZipNames, type StoredName } from "./zip-names.ts";

/** One entry of a ZIP's directory. */
export interface ZipEntry {
  /** The name in the archive, which is not safe as a path. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly isFolder: boolean;
  readonly isEncrypted: boolean;
}

export interface ZipDirectory {
  /** The entries in the order of the directory, at most the requested number. */
  readonly entries: readonly ZipEntry[];
  /** The number of entries that the archive declares. */
  readonly count: number;
}

/** Reads bytes of the archive, from `start` to `end` (exclusive), which are within its size. */
export type ReadRange = (start: number, end: number) => Promise<Buffer>;

const END = { signature: 0x06054b50, bytes: 22 } as const;
const ZIP64_LOCATOR = { signature: 0x07064b50, bytes: 20 } as const;
const ZIP64_END = { signature: 0x06064b50, bytes: 56 } as const;
const HEADER = { signature: 0x02014b50, bytes: 46 } as const;
const MAX_COMMENT_BYTES = 0xffff;
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const ZIP64_EXTRA = 1;
const ENCRYPTED = 1;
const UTF8 = 1 << 11;

interface DirectoryEnd {
  readonly count: number;
  readonly offset: number;
  readonly sizeBytes: number;
}

/**
 * Lists the first entries of a ZIP (PKWARE's APPNOTE 6.3.10, with Zip64), reading only its end and at most `maxBytes` of its directory; undefined
 * without a valid directory.
 */
export async function readZipDirectory(
  read: ReadRange,
  { archiveBytes, maxEntries, maxBytes }: { readonly archiveBytes: number; readonly maxEntries: number; readonly maxBytes: number },
): Promise<ZipDirectory | undefined> {
  const end = await findDirectory(read, archiveBytes);
  if (end === undefined || end.offset + end.sizeBytes > archiveBytes) return undefined;
  const directory = await read(end.offset, end.offset + Math.min(end.sizeBytes, maxBytes));
  const stored = [...parseEntries(directory, Math.min(end.count, maxEntries))];
  const names = decodeZipNames(stored.map(({ name }) => name));
  const entries = stored.map((entry, index) => {
    const name = names[index] ?? "";
    return { ...entry, name, isFolder: /[/\\]$/.test(name) };
  });
  return entries.length === 0 && end.count > 0 ? undefined : { entries, count: Math.max(end.count, entries.length) };
}

async function findDirectory(read: ReadRange, archiveBytes: number): Promise<DirectoryEnd | undefined> {
  const tailStart = Math.max(0, archiveBytes - END.bytes - MAX_COMMENT_BYTES - ZIP64_LOCATOR.bytes);
  const tail = await read(tailStart, archiveBytes);
  for (let at = tail.length - END.bytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END.signature || at + END.bytes + tail.readUInt16LE(at + 20) !== tail.length) continue;
    const end = { count: tail.readUInt16LE(at + 10), sizeBytes: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) };
    const isZip64 = end.count === MAX_16 || end.sizeBytes === MAX_32 || end.offset === MAX_32;
    const locator = at - ZIP64_LOCATOR.bytes;
    if (!isZip64 || locator < 0 || tail.readUInt32LE(locator) !== ZIP64_LOCATOR.signature) return end;
    return await readZip64End(read, toNumber(tail, locator + 8), archiveBytes);
  }
  return undefined;
}

async function readZip64End(read: ReadRange, offset: number, archiveBytes: number): Promise<DirectoryEnd | undefined> {
  if (offset + ZIP64_END.bytes > archiveBytes) return undefined;
  const end = await read(offset, offset + ZIP64_END.bytes);
  if (end.readUInt32LE(0) !== ZIP64_END.signature) return undefined;
  return { count: toNumber(end, 32), sizeBytes: toNumber(end, 40), offset: toNumber(end, 48) };
}

interface StoredEntry extends Pick<ZipEntry, "sizeBytes" | "isEncrypted"> {
  readonly name: StoredName;
}

function* parseEntries(directory: Buffer, maxEntries: number): Generator<StoredEntry> {
  let at = 0;
  for (let index = 0; index < maxEntries; index += 1) {
    if (at + HEADER.bytes > directory.length || directory.readUInt32LE(at) !== HEADER.signature) return;
    const nameEnd = at + HEADER.bytes + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    if (extraEnd > directory.length) return;
    const flags = directory.readUInt16LE(at + 8);
    const extra = directory.subarray(nameEnd, extraEnd);
    const name = { bytes: directory.subarray(at + HEADER.bytes, nameEnd), isUtf8: (flags & UTF8) !== 0, extra };
    const declaredBytes = directory.readUInt32LE(at + 24);
    const sizeBytes = declaredBytes === MAX_32 ? zip64Size(extra) : declaredBytes;
    yield { name, sizeBytes, isEncrypted: (flags & ENCRYPTED) !== 0 };
    at = extraEnd + directory.readUInt16LE(at + 32);
  }
}

/** Returns the size in an entry's Zip64 field, where it is the first number. */
function zip64Size(extra: Buffer): number {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === ZIP64_EXTRA && at + 12 <= extra.length) return toNumber(extra, at + 4);
  }
  return MAX_32;
}

const toNumber = (buffer: Buffer, offset: number): number => Number(buffer.readBigUInt64LE(offset));
