import { AppError } from "../errors.ts";

/** The operating system's code of an error (`ENOENT`), also where it is the cause of ours. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AppError) return systemCode(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Whether the error says that there is no such file. */
export const isMissing = (error: unknown): boolean => systemCode(error) === "ENOENT";

/** What the operating system refused → STORAGE_FULL or UNAVAILABLE, with no path in the message; anything else as it is. */
export function toDiskError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === "ENOSPC" || code === "EDQUOT") return storageFull(error);
  return new AppError("UNAVAILABLE", "The file store does not work at present. Please try again in a minute.", { cause: error });
}

/** Waits for work on the disk and translates what it throws by `toDiskError`. */
export async function fromDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toDiskError(error);
  }
}

/** Waits for work on the disk, or for nothing where the file is not there. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw toDiskError(error);
  }
}

export const storageFull = (cause?: unknown): AppError =>
  new AppError("STORAGE_FULL", "The server's disk is full. Please try again later, or tell the operator.", {
    cause,
    headers: { "Retry-After": "300" },
  });

export const isStorageFull = (error: unknown): boolean => error instanceof AppError && error.code === "STORAGE_FULL";

/** There is room, but uploads under way of the same network, or of callers without an account, have their share of it. */
export const storageTaken = (): AppError =>
  new AppError(
    "STORAGE_FULL",
    "Unfinished uploads hold the disk space that the server has for this one. Complete or abort yours, or try again in a few minutes.",
    { headers: { "Retry-After": "120" } },
  );
