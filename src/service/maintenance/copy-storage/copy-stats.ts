import type { BlobOutcome } from "./reconcile-blob.ts";

interface Count {
  readonly files: number;
  readonly bytes: number;
}

/** The result of a copy. */
export interface CopyReport {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  /** Blobs that were copied and read back or, in a dry run, would be copied. */
  readonly copied: Count;
  /** Blobs that the target's list already contained. */
  readonly present: Count;
  /** Blobs that the target already had and that were read again. */
  readonly verified: Count;
  /** Number of blobs that were moved to or from quarantine at the target. */
  readonly moved: number;
  /** Number of blobs that were removed because their files were deleted during the copy. */
  readonly deletedMeanwhile: number;
  /** Number of blobs that were removed at the target because their files were removed earlier. */
  readonly removed: number;
  /** Number of blobs at the target without a file in the database, which remain. */
  readonly unknown: number;
  /** Number of blobs that were not copied. */
  readonly failed: number;
  /** The first thousand failures. */
  readonly failures: readonly { readonly fileId: string; readonly reason: string }[];
  /** Number of running uploads, whose bytes stay in the store where they started. */
  readonly unfinishedUploads: number;
}

/** The progress of a copy, in files that must have bytes. `done.bytes` includes blobs that are being copied. */
export interface CopyProgress {
  readonly done: Count;
  readonly total: Count;
  readonly failed: number;
}

/** Counts the outcomes of a running copy. */
export interface CopyStats {
  /** Counts a blob that is correct according to the target's list. */
  addPresent(sizeBytes: number): void;
  addOutcome(outcome: BlobOutcome, sizeBytes: number): void;
  addBytesRead(count: number): void;
  addRemoved(count: number): void;
  addUnknown(count: number): void;
  progress(): CopyProgress;
  report(of: Pick<CopyReport, "from" | "to" | "dryRun" | "unfinishedUploads">): CopyReport;
}

const MAX_FAILURES = 1000;

/** Creates the counters. `total` is the number of files that must have bytes, and their bytes. */
export function createCopyStats(total: Count): CopyStats {
  const copied = { files: 0, bytes: 0 };
  const present = { files: 0, bytes: 0 };
  const verified = { files: 0, bytes: 0 };
  const done = { files: 0, bytes: 0 };
  const counts = { moved: 0, deletedMeanwhile: 0, removed: 0, unknown: 0, failed: 0 };
  const failures: { fileId: string; reason: string }[] = [];
  let readBytes = 0;

  return {
    addPresent(sizeBytes) {
      add(present, sizeBytes);
      add(done, sizeBytes);
    },
    addOutcome(outcome, sizeBytes) {
      add(done, sizeBytes);
      if (outcome.kind === "copied") add(copied, sizeBytes);
      else if (outcome.kind === "verified") add(verified, sizeBytes);
      else counts[outcome.kind] += 1;
      if (outcome.kind === "failed" && failures.length < MAX_FAILURES) failures.push({ fileId: outcome.fileId, reason: outcome.reason });
    },
    addBytesRead(count) {
      readBytes += count;
    },
    addRemoved(count) {
      counts.removed += count;
    },
    addUnknown(count) {
      counts.unknown += count;
    },
    progress: () => ({
      done: { files: done.files, bytes: Math.min(total.bytes, Math.max(done.bytes, present.bytes + readBytes)) },
      total,
      failed: counts.failed,
    }),
    report: (of) => ({ ...of, copied, present, verified, ...counts, failures }),
  };
}

function add(count: { files: number; bytes: number }, sizeBytes: number): void {
  count.files += 1;
  count.bytes += sizeBytes;
}
