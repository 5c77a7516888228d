import { AppError } from "../../errors.ts";

/** Returns the store's error code, such as `NoSuchUpload`; undefined for other errors. */
export const s3ErrorCode = (error: unknown): string | undefined => (error instanceof Error ? error.name : undefined);

/** Returns whether the object does not exist. A missing bucket is a different error. */
export const isNoObject = (error: unknown): boolean =>
  ["NoSuchKey", "NotFound"].includes(s3ErrorCode(error) ?? "") || (s3Status(error) === 404 && s3ErrorCode(error) !== "NoSuchBucket");

/** Awaits a request to the store and translates its errors by `toS3Error`. */
export async function fromS3<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toS3Error(error);
  }
}

/** Awaits a request to the store; resolves to undefined for an expected error. */
export async function unlessExpected<T>(call: Promise<T>, isExpected: (error: unknown) => boolean): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw toS3Error(error);
  }
}

export const isNoUpload = (error: unknown): boolean => s3ErrorCode(error) === "NoSuchUpload";

/** Translates any error of a request to STORAGE_FULL or UNAVAILABLE, without details of the store in the message. */
export function toS3Error(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (s3Status(error) === 507 || FULL_CODES.includes(s3ErrorCode(error) ?? ""))
    return new AppError("STORAGE_FULL", "The server's file store is full. Try again later, or tell the administrator.", { cause: error });
  return new AppError("UNAVAILABLE", "The file store is not available. Try again in a minute.", {
    cause: error,
    retryAfterSeconds: 10,
  });
}

/** Creates the error for a successful response without its content, which was truncated or is not the store's. */
export const missingEtag = (): Error => new Error("The store responded without an entity tag");

/** Creates the error for a list whose next page does not advance, so that it would never end. */
export const listStalled = (): AppError =>
  new AppError(
    "UNAVAILABLE",
    "The file store announced more list entries, but did not return them. Check the store and any proxy in front of it.",
  );

const FULL_CODES = ["QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "StorageFull"];

/** Returns the HTTP status of the store's response. */
export function s3Status(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  const { $metadata: metadata } = error;
  if (typeof metadata !== "object" || metadata === null || !("httpStatusCode" in metadata)) return undefined;
  return typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}
