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
  /** Copied and read back; in a dry run, to be copied. */
  readonly copied: Count;
  /** Already at the target, by its list. */
  readonly present: Count;
  /** Already at the target, and read again. */
  readonly verified: Count;
  /** Moved to or from quarantine at the target. */
  readonly moved: number;
  /** Removed because their files were deleted during the copy. */
  readonly deletedMeanwhile: number;
  /** Removed at the target because their files were removed earlier. */
  readonly removed: number;
  /** Blobs of the target that have no file in the database; they stay. */
  readonly unknown: number;
  /** Blobs that were not copied. */
  readonly failed: number;
  /** The first thousand of them. */
  readonly failures: readonly { readonly fileId: string; readonly reason: string }[];
  /** Running uploads, whose bytes stay in the store where they started. */
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
  /** A blob that the target's list shows to be correct. */
  addPresent(sizeBytes: number): void;
  addOutcome(outcome: BlobOutcome, sizeBytes: number): void;
  addBytesRead(count: number): void;
  addRemoved(count: number): void;
  addUnknown(count: number): void;
  progress(): CopyProgress;
  report(of: Pick<CopyReport, "from" | "to" | "dryRun" | "unfinishedUploads">): CopyReport;
}

const MAX_FAILURES = 1000;

/** `total`: the files that must have bytes. */
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
