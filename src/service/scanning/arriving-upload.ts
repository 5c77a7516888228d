import type { BlobKey, CommittedPart } from "../../blobs/store.ts";
import type { ExpectedPartRow } from "../../db/tables/uploads.ts";

/**
 * The rate in bytes a second from which an upload is not scanned early. It needs the processors itself, and ends long before a scan could.
 */
const FAST = 200 * 1024 ** 2;

/** Time after which the rate of an upload is known. */
export const MEASURE_MS = 1_000;

export type ArrivingPart = Omit<ExpectedPartRow, "file_id">;

/** An upload of which an early scan reads the bytes that have arrived. */
export interface ArrivingUpload {
  readonly key: BlobKey;
  readonly sizeBytes: number;
  /** The time when its first bytes arrived, in milliseconds. */
  readonly startedAtMs: number;
  /** The parts of the readable bytes, in order; empty for a direct upload. */
  readonly parts: ArrivingPart[];
  /** Stored parts that follow a missing one, by the offset of their first byte. */
  readonly laterParts: Map<number, ArrivingPart>;
  readableBytes: number;
  /** The end of the bytes that the scan awaits. */
  awaitedBytes: number;
  state: "arriving" | "committed" | "claimed" | "cancelled";
}

export const newArrivingUpload = (upload: Pick<ArrivingUpload, "key" | "sizeBytes" | "startedAtMs">): ArrivingUpload => ({
  ...upload,
  parts: [],
  laterParts: new Map(),
  readableBytes: 0,
  awaitedBytes: 0,
  state: "arriving",
});

/** Adds a stored part, which becomes readable once all parts before it are stored. */
export function addPart(upload: ArrivingUpload, part: ArrivingPart): void {
  const { parts, laterParts } = upload;
  laterParts.set(part.start_byte, part);
  for (let next = laterParts.get(upload.readableBytes); next; next = laterParts.get(upload.readableBytes)) {
    laterParts.delete(next.start_byte);
    parts.push(next);
    upload.readableBytes += next.size_bytes;
  }
}

/** Returns whether the upload arrived as it was committed: completely, and with these parts. */
export const hasArrivedAs = ({ parts, readableBytes, sizeBytes }: ArrivingUpload, committed: readonly CommittedPart[]): boolean =>
  readableBytes === sizeBytes &&
  parts.length === committed.length &&
  committed.every(({ partNumber, sha256 }, index) => parts[index]?.part_number === partNumber && parts[index].sha256 === sha256);

/** Returns whether the upload is so slow that a scan does not delay it. */
export function isSlow({ startedAtMs, readableBytes }: ArrivingUpload, nowMs: number): boolean {
  const elapsedMs = nowMs - startedAtMs;
  return elapsedMs >= MEASURE_MS && readableBytes / (elapsedMs / 1000) < FAST;
}
