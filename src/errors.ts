/**
 * Every error that a caller can meet: the HTTP status of its answer and the exit code of the command line.
 * Source: decisions, "Errors".
 */
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
  PRO_REQUIRED: { status: 403, exit: 3 },
  UNLOCK_REQUIRED: { status: 403, exit: 3 },
  UNLOCK_INVALID: { status: 403, exit: 3 },
  WRONG_TOKEN: { status: 403, exit: 3 },
  SIGNATURE_INVALID: { status: 403, exit: 3 },
  CROSS_SITE_REQUEST: { status: 403, exit: 3 },
  NOT_FOUND: { status: 404, exit: 4 },
  SCAN_BLOCKED: { status: 404, exit: 4 },
  METHOD_NOT_ALLOWED: { status: 405, exit: 2 },
  REQUEST_TIMEOUT: { status: 408, exit: 8 },
  SCAN_PENDING: { status: 409, exit: 6 },
  UPLOAD_INCOMPLETE: { status: 409, exit: 6 },
  PARTS_MISSING: { status: 409, exit: 6 },
  UPLOAD_CLOSED: { status: 409, exit: 6 },
  UPLOAD_IN_PROGRESS: { status: 409, exit: 6 },
  TOO_MANY_WEBHOOKS: { status: 409, exit: 6 },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, exit: 6 },
  IMMUTABLE: { status: 409, exit: 6 },
  SELLER_NOT_READY: { status: 409, exit: 6 },
  SHARE_EXPIRED: { status: 409, exit: 6 },
  FOLDER_NOT_EMPTY: { status: 409, exit: 6 },
  FOLDER_CYCLE: { status: 409, exit: 6 },
  CONFLICT: { status: 409, exit: 6 },
  PRECONDITION_FAILED: { status: 412, exit: 6 },
  FILE_TOO_LARGE_FOR_DIRECT: { status: 413, exit: 5 },
  BODY_TOO_LARGE: { status: 413, exit: 5 },
  QUOTA_EXCEEDED: { status: 413, exit: 5 },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exit: 2 },
  RANGE_NOT_SATISFIABLE: { status: 416, exit: 2 },
  REMOTE_NOT_A_FILE: { status: 422, exit: 1 },
  REMOTE_ENCODED: { status: 422, exit: 1 },
  REMOTE_HOST_UNKNOWN: { status: 422, exit: 1 },
  REMOTE_TOO_MANY_REDIRECTS: { status: 422, exit: 1 },
  IDEMPOTENCY_KEY_REUSED: { status: 422, exit: 2 },
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

/** What HTTP wants with every 401: how to say who calls (RFC 9110, 11.6.1). */
const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="filehost"' } as const;

export interface AppErrorOptions {
  /** Documented members of the answer beside `error` and `errorCode`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** The only kind of error whose message leaves the server: a sentence that a person can act on. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.fields = options.fields ?? {};
    this.headers = { ...(code === "UNAUTHENTICATED" && CHALLENGE), ...options.headers };
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }

  /** The JSON body of the answer. */
  toBody(): Record<string, unknown> {
    return { success: false, error: this.message, errorCode: this.code, ...this.fields };
  }
}

/** Anything thrown → AppError; what is not ours becomes INTERNAL and keeps its cause for the log alone. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError("INTERNAL", "Something went wrong on our side. Please try again; if it goes on, tell the operator the request id.", {
    cause: error,
  });
}
