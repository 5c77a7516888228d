import { type FileStatusName, isBlocked, isDownloadable, isWaiting, toFileStatus } from "../site/file-status.ts";
import type { ShareFile } from "./share-page-props.ts";

/** The totals of several files on a page. */
export interface FileTotals {
  readonly count: number;
  /** The total size; null if a size is not known yet. */
  readonly sizeBytes: number | null;
  /** The number of files that can be downloaded now. */
  readonly ready: number;
  readonly readyBytes: number;
  readonly uploading: number;
  /** The number of files that are being uploaded or scanned. */
  readonly waiting: number;
  readonly blocked: number;
  readonly statuses: ReadonlyMap<FileStatusName, number>;
  /** The bytes that have arrived in uploads of known size. */
  readonly receivedBytes: number;
  readonly isLimited: boolean;
}

export function totalFiles(files: readonly ShareFile[]): FileTotals {
  const statuses = new Map<FileStatusName, number>();
  const totals = { count: files.length, ready: 0, readyBytes: 0, uploading: 0, waiting: 0, blocked: 0, receivedBytes: 0, isLimited: false };
  let sizeBytes: number | null = 0;
  for (const file of files) {
    const status = toFileStatus(file);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    sizeBytes = sizeBytes === null || file.sizeBytes === null ? null : sizeBytes + file.sizeBytes;
    if (isOfferedNow(file)) {
      totals.ready += 1;
      totals.readyBytes += file.sizeBytes ?? 0;
    }
    if (status === "uploading") totals.uploading += 1;
    if (isWaiting(status)) totals.waiting += 1;
    if (isBlocked(status)) totals.blocked += 1;
    totals.receivedBytes += status === "uploading" ? (file.receivedBytes ?? 0) : (file.sizeBytes ?? 0);
    totals.isLimited ||= file.downloadsLeft !== null;
  }
  return { ...totals, sizeBytes, statuses };
}

/** Whether a file's status and limit allow a download. */
export const isOfferedNow = (file: ShareFile): boolean => isDownloadable(toFileStatus(file)) && file.downloadsLeft !== 0;

/** Returns the common status of all files that are neither waiting nor blocked; undefined if it differs. The page shows it once. */
export function commonStatus({ statuses }: FileTotals): FileStatusName | undefined {
  const downloadable = [...statuses.keys()].filter(isDownloadable);
  return downloadable.length === 1 ? downloadable[0] : undefined;
}
