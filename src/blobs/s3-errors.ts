import { AppError } from "../errors.ts";

/** The code by which the store calls an error, such as `NoSuchUpload`. */
export const s3Code = (error: unknown): string | undefined => (error instanceof Error ? error.name : undefined);

/** Whether the store says that there is no such object; a missing bucket is another matter. */
export const isNoObject = (error: unknown): boolean =>
  ["NoSuchKey", "NotFound"].includes(s3Code(error) ?? "") || (s3Status(error) === 404 && s3Code(error) !== "NoSuchBucket");

/** Waits for a call of the store and translates what it throws by `toS3Error`. */
export async function fromS3<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toS3Error(error);
  }
}

/** Waits for a call of the store, or for nothing where it answers with one of the codes. */
export async function unlessS3<T>(call: Promise<T>, isExpected: (error: unknown) => boolean): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw toS3Error(error);
  }
}

export const isNoUpload = (error: unknown): boolean => s3Code(error) === "NoSuchUpload";

/** Whatever a call of the store threw → STORAGE_FULL or UNAVAILABLE, with nothing of the store in the message. */
export function toS3Error(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (s3Status(error) === 507 || FULL.includes(s3Code(error) ?? ""))
    return new AppError("STORAGE_FULL", "The server's file store is full. Please try again later, or tell the operator.", { cause: error });
  return new AppError("UNAVAILABLE", "The file store does not work at present. Please try again in a minute.", {
    cause: error,
    headers: { "Retry-After": "10" },
  });
}

/** An answer that says yes, but not to what: it was cut off, or is not the store's. */
export const noEtag = (): Error => new Error("The store answered without an entity tag");

/** A list of the store's says that it goes on, but comes to what was listed already, or to nothing: it would never end. */
export const listStandsStill = (): AppError =>
  new AppError(
    "UNAVAILABLE",
    "The file store says that its list goes on, and then does not go on with it. Nothing can be told from such a list: look at the store, and at what is between it and this server.",
  );

const FULL = ["QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "StorageFull"];

/** The HTTP status of the store's answer that an error tells of. */
export function s3Status(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  const { $metadata: metadata } = error;
  if (typeof metadata !== "object" || metadata === null || !("httpStatusCode" in metadata)) return undefined;
  return typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}
