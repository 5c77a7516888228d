import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** The EICAR test file's 68 bytes reversed, so that no scanner reports this program. */
const REVERSED = "*H+H$!ELIF-TSET-SURIVITNA-DRADNATS-RACIE$}7)CC7)^P(45XZP\\4[PA@%P!O5X";
const FILLER_BLOCK_BYTES = 64 * 1024;

/** Returns the EICAR test file: harmless, and detected by every scanner. */
export function eicarFile(): Uint8Array {
  return new TextEncoder().encode(REVERSED.split("").reverse().join(""));
}

/**
 * Yields a ZIP of exactly `sizeBytes` (at least 1 KB) whose last member is the EICAR test file, stored, behind filler that belongs to no
 * member. Official signatures match EICAR only as a complete file, hence an archive; filler in a member would count twice against clamd's
 * `MaxScanSize`. The filler is random, since clamd caches clean results.
 */
export function* selfTestArchive(sizeBytes: number): Generator<Uint8Array> {
  const first: Member = { name: "a.txt", bytes: new TextEncoder().encode("x") };
  const last: Member = { name: "eicar.com", bytes: eicarFile() };
  const head = localEntry(first);
  const tail = localEntry(last);
  const directorySize = 2 * 46 + first.name.length + last.name.length;
  const fillerBytes = sizeBytes - head.length - tail.length - directorySize - 22;
  yield head;
  const block = randomBytes(FILLER_BLOCK_BYTES);
  for (let left = fillerBytes; left > 0; left -= block.length) yield block.subarray(0, Math.min(left, block.length));
  yield tail;
  yield directoryEntry(first, 0);
  yield directoryEntry(last, head.length + fillerBytes);
  yield record("PK\x05\x06", [2, 0, 2, 0, 2, 2, 2, 2, 4, directorySize, 4, head.length + fillerBytes + tail.length, 2, 0]);
}

interface Member {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const DOS_DATE = (1 << 5) | 1;

function localEntry({ name, bytes }: Member): Uint8Array {
  return Buffer.concat([record("PK\x03\x04", commonFields(name, bytes)), Buffer.from(name), bytes]);
}

function directoryEntry({ name, bytes }: Member, offset: number): Uint8Array {
  const fields = [2, 20, ...commonFields(name, bytes), 2, 0, 2, 0, 2, 0, 4, 0, 4, offset];
  return Buffer.concat([record("PK\x01\x02", fields), Buffer.from(name)]);
}

/** Version, flags, method (stored), time, date, CRC, both sizes, lengths of name and extra field, which both entries share. */
function commonFields(name: string, bytes: Uint8Array): number[] {
  return [2, 10, 2, 0, 2, 0, 2, 0, 2, DOS_DATE, 4, crc32(bytes), 4, bytes.length, 4, bytes.length, 2, name.length, 2, 0];
}

/** Encodes a little-endian record: its magic, then pairs of a width in bytes and a value. */
function record(magic: string, fields: readonly number[]): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from(magic, "latin1")];
  for (let i = 0; i < fields.length; i += 2) {
    const field = Buffer.alloc(fields[i] ?? 0);
    field.writeUIntLE(fields[i + 1] ?? 0, 0, field.length);
    parts.push(field);
  }
  return Buffer.concat(parts);
}
