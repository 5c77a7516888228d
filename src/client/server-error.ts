import { AppError, ERRORS, type ErrorCode } from "../errors.ts";
import { toSingleLine } from "../lib/file-name.ts";
import type { ApiError } from "../service/client.ts";

/** A server that is not trusted sends neither control characters nor endless texts to a model or a terminal. */
const MAX_MESSAGE_CHARACTERS = 1000;
const MAX_FIELDS_CHARACTERS = 20_000;

/** The cause of an error that no repetition changes: the response is not one of this version. */
export const OTHER_VERSION = Symbol("The server has another version.");

/** The cause of an error that a repetition only makes longer: the response is too large, or takes too long. */
export const ENDLESS = Symbol("The response has no end.");

/** The server's error, for callers that expect one of this process. */
export function toServerError({ status, code, message, body, retryAfterSeconds }: ApiError): AppError {
  const {
    success: _,
    error: __,
    errorCode: ___,
    ...fields
  } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : codeOf(status);
  const text = toSingleLine(message).slice(0, MAX_MESSAGE_CHARACTERS);
  const kept = JSON.stringify(fields).length > MAX_FIELDS_CHARACTERS ? {} : fields;
  return new AppError(known, text, { fields: kept, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

/** The code of a response that has none of this version, such as that of a reverse proxy. */
function codeOf(status: number): ErrorCode {
  const same = Object.entries(ERRORS).find(([, error]) => error.status === status);
  return same ? (same[0] as ErrorCode) : status >= 500 ? "UNAVAILABLE" : "VALIDATION_FAILED";
}
