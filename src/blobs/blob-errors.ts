import { AppError } from "../errors.ts";
import type { PartInput } from "./store.ts";

/** Creates the error for a part whose size differs from its expected size. */
export const sizeMismatch = ({ partNumber, sizeBytes }: Pick<PartInput, "partNumber" | "sizeBytes">, received: string): AppError =>
  new AppError(
    "SIZE_MISMATCH",
    `Part ${partNumber} has ${sizeBytes} bytes, but the request contained ${received}. Send exactly the bytes of that part again.`,
  );

/** Creates the error for a part whose bytes differ from its expected digest. */
export const digestMismatch = ({ partNumber }: Pick<PartInput, "partNumber">): AppError =>
  new AppError(
    "DIGEST_MISMATCH",
    `Part ${partNumber} does not match its expected SHA-256. Send the part again, or request a new URL with the right digest.`,
  );

/** Creates the error for a transfer of a part that another transfer of the same part replaced. */
export const partReplaced = (): AppError =>
  new AppError("CONFLICT", "Another transfer replaced this part. List the uploaded parts, and send the missing ones.");

/** Creates the error for bytes of an upload that is committed, discarded, or being closed. */
export const uploadClosed = (): AppError =>
  new AppError("UPLOAD_CLOSED", "This upload was completed or aborted. Start a new upload to send the file again.");

/** Creates the error for a key without a blob. */
export const blobNotFound = (): AppError => new AppError("NOT_FOUND", "The file's bytes were deleted. Ask the sender to upload it again.");
