import type { BlobKey, CommittedPart } from "../../blobs/store.ts";
import type { PartDigest } from "../uploads/verify-parts.ts";

/**
 * The rate in bytes a second from which an upload is not scanned early. It needs the processors itself, and ends long before a scan could.
 */
const FAST = 200 * 1024 ** 2;

/** Time after which the rate of an upload is known. */
export const MEASURE_MS = 1_000;

/** The rate in bytes a second below which an upload gives way to another: its scan after the upload takes far less time than the upload. */
const CRAWLING = 1024 ** 2;

/** Time after which an upload may count as crawling. */
const CRAWLING_AFTER_MS = 10_000;

/** An upload of which an early scan reads the bytes that have arrived. */
export interface ArrivingUpload {
  readonly key: BlobKey;
  readonly sizeBytes: number;
  /** The time when its first bytes came, for an upload in parts when its first part was stored, in milliseconds. */
  readonly startedAtMs: number;
  /** The parts of the readable bytes, in order; empty for a direct upload. */
  readonly parts: PartDigest[];
  /** Stored parts that follow a missing one, by the offset of their first byte. */
  readonly laterParts: Map<number, PartDigest>;
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
export function addPart(upload: ArrivingUpload, part: PartDigest): void {
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
export function isSlow(upload: ArrivingUpload, nowMs: number): boolean {
  return nowMs - upload.startedAtMs >= MEASURE_MS && rateOf(upload, nowMs) < FAST;
}

/** Returns whether an upload arrives so slowly, or not at all any more, that others need the early scan more. */
export function isCrawling(upload: ArrivingUpload, nowMs: number): boolean {
  return upload.state === "arriving" && nowMs - upload.startedAtMs >= CRAWLING_AFTER_MS && rateOf(upload, nowMs) < CRAWLING;
}

/** Bytes a second that became readable. */
const rateOf = ({ startedAtMs, readableBytes }: ArrivingUpload, nowMs: number): number => readableBytes / ((nowMs - startedAtMs) / 1000);
