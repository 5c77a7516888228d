import type { Settled } from "./settle-blob.ts";

interface Count {
  readonly files: number;
  readonly bytes: number;
}

/** What a copy found and did. */
export interface CopyReport {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  /** Brought over now, and read back; of a dry run, what there is to bring. */
  readonly copied: Count;
  /** There already. */
  readonly present: Count;
  /** There already, and read again now. */
  readonly verified: Count;
  /** There, but in the wrong area: set aside at the target, or brought back. */
  readonly moved: number;
  /** Whose files were deleted while they were on their way. */
  readonly gone: number;
  /** Removed at the target, since their files are gone. */
  readonly removed: number;
  /** At the target, of no file that the database knows; left alone. */
  readonly unknown: number;
  /** Not brought over; of the first thousand, which and why. */
  readonly failed: number;
  readonly failures: readonly { readonly fileId: string; readonly reason: string }[];
  /** Which live in the store where they began. */
  readonly uploadsUnderWay: number;
}

/** How far a copy is: of the files that must have bytes, those dealt with; their bytes include those on their way. */
export interface CopyProgress {
  readonly done: Count;
  readonly total: Count;
  readonly failed: number;
}

/** Counts while a copy runs. */
export interface CopyTally {
  /** A blob is right as it is, by what the target lists. */
  present(sizeBytes: number): void;
  settled(settled: Settled, sizeBytes: number): void;
  read(count: number): void;
  removed(count: number): void;
  unknown(count: number): void;
  progress(): CopyProgress;
  report(of: Pick<CopyReport, "from" | "to" | "dryRun" | "uploadsUnderWay">): CopyReport;
}

const MAX_LISTED = 1000;

/** `total`: of the files that must have bytes. */
export function createTally(total: Count): CopyTally {
  const copied = { files: 0, bytes: 0 };
  const present = { files: 0, bytes: 0 };
  const verified = { files: 0, bytes: 0 };
  const done = { files: 0, bytes: 0 };
  const counts = { moved: 0, gone: 0, removed: 0, unknown: 0, failed: 0 };
  const failures: { fileId: string; reason: string }[] = [];
  let readBytes = 0;

  return {
    present(sizeBytes) {
      add(present, sizeBytes);
      add(done, sizeBytes);
    },
    settled(settled, sizeBytes) {
      add(done, sizeBytes);
      if (settled.kind === "copied") add(copied, sizeBytes);
      else if (settled.kind === "verified") add(verified, sizeBytes);
      else counts[settled.kind] += 1;
      if (settled.kind === "failed" && failures.length < MAX_LISTED) failures.push({ fileId: settled.fileId, reason: settled.reason });
    },
    read(count) {
      readBytes += count;
    },
    removed(count) {
      counts.removed += count;
    },
    unknown(count) {
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
