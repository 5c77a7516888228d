import { AppError } from "../errors.ts";
import type { PartPlace } from "./store.ts";

/** What a part is answered that has another size than its own. */
export const sizeMismatch = ({ partNumber, sizeBytes }: Pick<PartPlace, "partNumber" | "sizeBytes">, received: string): AppError =>
  new AppError(
    "SIZE_MISMATCH",
    `Part ${partNumber} has ${sizeBytes} bytes, but the request carried ${received}. Send exactly the bytes of that part again.`,
  );

/** What a part is answered whose bytes are not those that were announced. */
export const digestMismatch = ({ partNumber }: Pick<PartPlace, "partNumber">): AppError =>
  new AppError(
    "DIGEST_MISMATCH",
    `The bytes of part ${partNumber} do not have the SHA-256 that was announced. Send the part again, or ask for a new URL with the right digest.`,
  );

/** What a transfer of a part is answered whose place another one of the same part has taken. */
export const partTakenOver = (): AppError =>
  new AppError("CONFLICT", "Another transfer of the same part took its place. Ask which parts have arrived, and send what is missing.");

/** What bytes are answered whose upload is over, or is being closed. */
export const uploadClosed = (): AppError =>
  new AppError(
    "UPLOAD_CLOSED",
    "This upload is finished or was given up, so it takes no more bytes. Start a new upload to send the file again.",
  );

/** What reading is answered where no blob has that key. */
export const blobNotFound = (): AppError => new AppError("NOT_FOUND", "The bytes of this file are not here any more.");
