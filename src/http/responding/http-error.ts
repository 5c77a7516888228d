import { AppError, type AppErrorOptions, type ErrorCode } from "../../errors.ts";

/** An error with response headers. */
export class HttpError extends AppError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, { headers, ...options }: AppErrorOptions & Pick<HttpError, "headers">) {
    super(code, message, options);
    this.headers = headers;
  }
}

/** The header that every 401 requires (RFC 9110, 11.6.1). */
const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="filehost"' } as const;

/** Returns the response headers of an error. */
export const errorHeaders = (error: AppError): Record<string, string> => ({
  ...(error.code === "UNAUTHENTICATED" && CHALLENGE),
  ...(error.retryAfterSeconds !== undefined && { "Retry-After": String(error.retryAfterSeconds) }),
  ...(error instanceof HttpError && error.headers),
});

/** Returns the JSON response of an error outside routing. Handlers use `respondError`. */
export const toErrorResponse = (error: AppError, fields: { readonly requestId?: string } = {}): Response =>
  new Response(JSON.stringify({ ...error.toBody(), ...fields }), {
    status: error.status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...errorHeaders(error) },
  });
