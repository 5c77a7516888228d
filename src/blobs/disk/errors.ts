import { AppError, systemCode } from "../../errors.ts";
import { FULL_DISK_CODES } from "../../lib/system/system-reasons.ts";
import { formatSize } from "../../lib/text/format-size.ts";

/** Returns whether the error is that a file does not exist. */
export const isMissing = (error: unknown): boolean => systemCode(error) === "ENOENT";

/**
 * Translates an operating system's error to STORAGE_FULL or UNAVAILABLE, without paths in the message. Returns any other error unchanged.
 */
export function toDiskError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = systemCode(error);
  if (code === undefined) return error;
  if (FULL_DISK_CODES.has(code)) return storageFull(error);
  return new AppError("UNAVAILABLE", "The file store is not available. Try again in a minute.", { cause: error });
}

/** Awaits disk work and translates its errors by `toDiskError`. */
export async function fromDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toDiskError(error);
  }
}

/** Awaits disk work; resolves to undefined if the file does not exist. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw toDiskError(error);
  }
}

const storageFull = (cause?: unknown): AppError =>
  new AppError("STORAGE_FULL", "The server's disk is full. Try again later, or ask the administrator to free space.", {
    cause,
    retryAfterSeconds: 300,
  });

/** Creates the error for an upload that needs `moreBytes` of a disk that has `leftBytes` for uploads, which may be below 0. */
export const tooLittleSpace = (moreBytes: number, leftBytes: number): AppError =>
  new AppError(
    "STORAGE_FULL",
    leftBytes > 0
      ? `This upload needs ${formatSize(moreBytes)} more, and the server's disk has ${formatSize(leftBytes)} left for uploads. Send less, or ask the administrator to free space.`
      : "The server's disk has no space left for uploads. Try again later, or ask the administrator to free space.",
    { retryAfterSeconds: 300 },
  );

/** Creates the error for free space of which uploads of the same network or of anonymous callers have reserved their fraction. */
export const storageReserved = (): AppError =>
  new AppError(
    "STORAGE_FULL",
    "Unfinished uploads have reserved the free disk space. Complete or abort yours, or try again in a few minutes.",
    { retryAfterSeconds: 120 },
  );
