import type { ErrorFields } from "./contract/error-fields.ts";
import { explainSystemCode } from "./lib/system/system-reasons.ts";

/** Every error code with the HTTP status of its response and the exit code of the command line. Source: envelopes and errors, "Codes". */
export const ERRORS = {
  VALIDATION_FAILED: { status: 400, exit: 2 },
  NO_FILE: { status: 400, exit: 2 },
  NO_URL: { status: 400, exit: 2 },
  URL_NOT_ALLOWED: { status: 400, exit: 2 },
  DIGEST_MISMATCH: { status: 400, exit: 2 },
  SIZE_MISMATCH: { status: 400, exit: 2 },
  EXPIRY_TOO_LONG: { status: 400, exit: 2 },
  USERNAME_REQUIRED: { status: 400, exit: 2 },
  POW_REQUIRED: { status: 400, exit: 2 },
  INVALID_CHALLENGE: { status: 400, exit: 2 },
  EXPIRED_CHALLENGE: { status: 400, exit: 2 },
  INSUFFICIENT_WORK: { status: 400, exit: 2 },
  POW_REUSED: { status: 400, exit: 2 },
  IP_MISMATCH: { status: 400, exit: 2 },
  UNAUTHENTICATED: { status: 401, exit: 3 },
  PAYMENT_REQUIRED: { status: 402, exit: 3 },
  FORBIDDEN: { status: 403, exit: 3 },
  INSUFFICIENT_SCOPE: { status: 403, exit: 3 },
  SECOND_FACTOR_REQUIRED: { status: 403, exit: 3 },
  PROOF_REQUIRED: { status: 403, exit: 3 },
  PRO_REQUIRED: { status: 403, exit: 3 },
  UNLOCK_REQUIRED: { status: 403, exit: 3 },
  UNLOCK_INVALID: { status: 403, exit: 3 },
  WRONG_TOKEN: { status: 403, exit: 3 },
  SIGNATURE_INVALID: { status: 403, exit: 3 },
  CROSS_SITE_REQUEST: { status: 403, exit: 3 },
  NOT_FOUND: { status: 404, exit: 4 },
  SCAN_BLOCKED: { status: 404, exit: 4 },
  METHOD_NOT_ALLOWED: { status: 405, exit: 2 },
  NOT_ACCEPTABLE: { status: 406, exit: 2 },
  REQUEST_TIMEOUT: { status: 408, exit: 8 },
  SCAN_PENDING: { status: 409, exit: 6 },
  UPLOAD_INCOMPLETE: { status: 409, exit: 6 },
  PARTS_MISSING: { status: 409, exit: 6 },
  UPLOAD_CLOSED: { status: 409, exit: 6 },
  UPLOAD_IN_PROGRESS: { status: 409, exit: 6 },
  TOO_MANY_WEBHOOKS: { status: 409, exit: 6 },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, exit: 6 },
  ALIAS_TAKEN: { status: 409, exit: 6 },
  TOO_MANY_ALIASES: { status: 409, exit: 6 },
  IMMUTABLE: { status: 409, exit: 6 },
  SELLER_NOT_READY: { status: 409, exit: 6 },
  SELLING_OFF: { status: 409, exit: 6 },
  SOLD_OUT: { status: 409, exit: 6 },
  HAS_BUYERS: { status: 409, exit: 6 },
  SHARE_EXPIRED: { status: 409, exit: 6 },
  REQUEST_CLOSED: { status: 409, exit: 6 },
  FOLDER_NOT_EMPTY: { status: 409, exit: 6 },
  FOLDER_CYCLE: { status: 409, exit: 6 },
  FOLDER_TOO_DEEP: { status: 409, exit: 6 },
  TOO_MANY_FOLDERS: { status: 409, exit: 6 },
  CONFLICT: { status: 409, exit: 6 },
  PRECONDITION_FAILED: { status: 412, exit: 6 },
  FILE_TOO_LARGE_FOR_DIRECT: { status: 413, exit: 5 },
  BODY_TOO_LARGE: { status: 413, exit: 5 },
  QUOTA_EXCEEDED: { status: 413, exit: 5 },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exit: 2 },
  ENCRYPTED_REFUSED: { status: 415, exit: 2 },
  ENCRYPTION_REQUIRED: { status: 415, exit: 2 },
  RANGE_NOT_SATISFIABLE: { status: 416, exit: 2 },
  REMOTE_NOT_A_FILE: { status: 422, exit: 1 },
  REMOTE_ENCODED: { status: 422, exit: 1 },
  REMOTE_HOST_UNKNOWN: { status: 422, exit: 1 },
  REMOTE_TOO_MANY_REDIRECTS: { status: 422, exit: 1 },
  IDEMPOTENCY_KEY_REUSED: { status: 422, exit: 2 },
  FILE_DIGEST_MISMATCH: { status: 422, exit: 2 },
  RATE_LIMITED: { status: 429, exit: 7 },
  TOO_MANY_UPLOADS: { status: 429, exit: 7 },
  INTERNAL: { status: 500, exit: 1 },
  REMOTE_REFUSED: { status: 502, exit: 1 },
  REMOTE_UNREACHABLE: { status: 502, exit: 8 },
  UNAVAILABLE: { status: 503, exit: 8 },
  REMOTE_TIMEOUT: { status: 504, exit: 8 },
  STORAGE_FULL: { status: 507, exit: 5 },
} as const satisfies Record<string, { status: number; exit: number }>;

export type ErrorCode = keyof typeof ERRORS;

export interface AppErrorOptions {
  /** Documented members of the response beside `error` and `errorCode`. */
  readonly fields?: ErrorFields;
  /** The seconds after which a retry may succeed. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** The only error whose message is sent to callers: a sentence that says what to do. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly fields: ErrorFields;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.fields = options.fields ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }

  /** Returns the JSON body of the response. */
  toBody(): Record<string, unknown> {
    return { success: false, error: this.message, errorCode: this.code, ...this.fields };
  }
}

/** Invalid settings. The message has one line per setting, with its name and its syntax. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** A problem of the installation or its machine. The message says to the administrator what is wrong, then what to do. */
export class InstallationError extends Error {
  override readonly name = "InstallationError";
}

/** Returns the InstallationError "{what} cannot be used: …" for an error of the operating system; any other error unchanged. */
export function toInstallationError(what: string, error: unknown): unknown {
  const reason = error instanceof AppError ? undefined : explainSystemCode(systemCode(error), { isOfServer: true });
  return reason === undefined ? error : new InstallationError(`${what} cannot be used: ${reason}`, { cause: error });
}

/** Returns the code of an operating system or database error, such as `ENOENT`, or of an AppError's cause; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AppError || error instanceof InstallationError) return systemCode(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Whether the disk of the server, or its store, is full. */
export const isStorageFull = (error: unknown): boolean => error instanceof AppError && error.code === "STORAGE_FULL";

/** Converts any thrown value to an AppError; an unknown one becomes INTERNAL, with its cause for the log only. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError(
    "INTERNAL",
    "Something went wrong on the server. Try again; if it keeps failing, send the administrator the request ID.",
    {
      cause: error,
    },
  );
}

/** Returns VALIDATION_FAILED for one field or header of the request, by its path; an empty path means the whole request. */
export function invalidField(path: string, message: string): AppError {
  return new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path, message }] } });
}

/**
 * Returns NOT_FOUND: "The {noun} was not found {qualifier}. {advice}" The qualifier names a second reason that callers cannot distinguish from the
 * first.
 */
export function notFound(
  noun: string,
  advice: string,
  qualifier?: "in your account" | "or has expired" | "or has ended" | "or was deleted",
): AppError {
  return new AppError("NOT_FOUND", `The ${noun} was not found${qualifier ? ` ${qualifier}` : ""}. ${advice}`);
}
