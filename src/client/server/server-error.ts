import { AppError, ERRORS, type ErrorCode } from "../../errors.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import type { ApiError } from "../../service/client.ts";
import { BodyRefused, isProxyRefusal } from "../../transfer/failures.ts";

/** The longest message. An untrusted server must not send endless texts or control characters to a model or a terminal. */
const MAX_MESSAGE_CHARACTERS = 1000;
const MAX_FIELDS_CHARACTERS = 20_000;

/** The cause of an error that a repetition does not change: the response is not in the format of this version. */
export const OTHER_VERSION = Symbol("The server has another version.");

/** The cause of an error that a repetition only delays: the response is too large, or takes too long. */
export const ENDLESS = Symbol("The response has no end.");

/** Converts the server's error for callers that expect an error of this process. */
export function toServerError({ status, code, message, body, retryAfterSeconds }: ApiError): AppError {
  const {
    success: _,
    error: __,
    errorCode: ___,
    ...fields
  } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const isOwn = typeof body === "object" && body !== null && "errorCode" in body;
  if (!isOwn && (isProxyRefusal(status) || PROXY_FAILURES.has(status))) return toProxyError(new BodyRefused(status), retryAfterSeconds);
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : codeOf(status);
  const text = toSingleLine(message).slice(0, MAX_MESSAGE_CHARACTERS);
  const kept = JSON.stringify(fields).length > MAX_FIELDS_CHARACTERS ? {} : fields;
  return new AppError(known, text, { fields: kept, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

/** Statuses of a proxy whose server does not respond. */
const PROXY_FAILURES = new Set([502, 503, 504]);

/** Finds the refusal of a proxy in front of the server, or of the store of parts; undefined for another error. */
export function proxyRefusalOf(error: unknown): BodyRefused | undefined {
  if (error instanceof BodyRefused) return error;
  return error instanceof AppError && error.cause instanceof BodyRefused ? error.cause : undefined;
}

/** Returns the error of a response that is not one of filehost. */
export function toProxyError(refused: BodyRefused, retryAfterSeconds?: number): AppError {
  const { status } = refused;
  const text =
    status === undefined
      ? "The connection breaks at each request with these bytes, and works for others: a proxy in front of the server may refuse them. Tell its administrator."
      : `A proxy in front of the server refused the request (status ${status}). Tell its administrator.`;
  const options = { cause: refused, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  return new AppError(status === undefined ? "UNAVAILABLE" : codeOf(status), text, options);
}

/** Returns the code of a response without a code of this version, for example a reverse proxy's response. */
function codeOf(status: number): ErrorCode {
  const same = Object.entries(ERRORS).find(([, error]) => error.status === status);
  return same ? (same[0] as ErrorCode) : status >= 500 ? "UNAVAILABLE" : "VALIDATION_FAILED";
}
