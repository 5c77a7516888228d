import { BUSY_TIMEOUT_MS, codeOf, isBusy, pauseBeforeRetry, toDatabaseError, unavailable } from "./errors.ts";

/** Maximum pause between attempts while the server does not respond. */
const MAX_PAUSE_MS = 1_000;

/** Codes for a transaction or stream that the server has ended or its client has closed. */
const ENDED_CODES = new Set(["STREAM_EXPIRED", "TRANSACTION_TIMEOUT", "TRANSACTION_BUSY", "TRANSACTION_CLOSED", "HRANA_CLOSED_ERROR"]);

/** Codes of the runtimes and the operating systems for a connection that was never made, so that the request was not sent. */
const NOT_SENT_CODES = new Set([
  "ConnectionRefused",
  "FailedToOpenSocket",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** A request to the database server that got no response. */
class NetworkError extends Error {
  override readonly name = "NetworkError";

  constructor(
    message: string,
    /** Whether the server can have received the request. */
    readonly mayBeReceived: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** `fetch` for the client of a libSQL server. Throws `NetworkError` if no complete response is received within `responseTimeoutMs`. */
export function createServerFetch(responseTimeoutMs: number): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await fetchCompletely(request, responseTimeoutMs);
    } catch (error) {
      if (error instanceof NetworkError) throw error;
      throw new NetworkError("The database's server does not respond", !wasNotSent(error), error);
    }
  };
}

/** Reads the whole response, so that a connection lost in the middle counts as a network error too. */
async function fetchCompletely(request: Request, responseTimeoutMs: number): Promise<Response> {
  const { url, method, headers } = request;
  const response = await fetch(url, { method, headers, body: await request.text(), signal: AbortSignal.timeout(responseTimeoutMs) });
  const text = await response.text();
  if (response.status === 429 || response.status === 503)
    throw new NetworkError(`The database's server responded with ${response.status}`, false);
  if (response.ok && !text.trimEnd().endsWith("}")) throw new NetworkError("The database's server's response is incomplete", true);
  return new Response(text, { status: response.status, headers: { "Content-Type": response.headers.get("Content-Type") ?? "" } });
}

/** Returns whether an error, or its cause, is a request that the server may have received but did not answer. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof NetworkError) return error.mayBeReceived;
  return error instanceof Error && error.cause !== undefined && isUnanswered(error.cause);
}

function wasNotSent(error: unknown): boolean {
  return NOT_SENT_CODES.has(codeOf(error)) || (error instanceof Error && error.cause !== undefined && wasNotSent(error.cause));
}

/** The network errors to retry: all, for requests without effects, or only errors of requests that the server did not receive. */
export type RetryPolicy = "any-error" | "not-received";

/**
 * Retries `attempt` until the write lock is free and the server responds, as long as a retry cannot apply a change twice. Throws UNAVAILABLE after
 * `BUSY_TIMEOUT_MS`.
 */
export async function retryUntilAvailable<T>(policy: RetryPolicy, attempt: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS;
  for (let attempts = 0; ; attempts++) {
    let maxPauseMs: number | undefined;
    try {
      return await attempt();
    } catch (error) {
      if (!mayRetry(error, policy) || performance.now() >= deadlineMs) throw toRemoteDatabaseError(error);
      if (error instanceof NetworkError) maxPauseMs = MAX_PAUSE_MS;
    }
    await pauseBeforeRetry(attempts, maxPauseMs);
  }
}

function mayRetry(error: unknown, policy: RetryPolicy): boolean {
  if (isBusy(error)) return true;
  return error instanceof NetworkError && (policy === "any-error" || !error.mayBeReceived);
}

/** Translates an error of the client: no response or no lock to UNAVAILABLE, and others as `toDatabaseError` does. */
export function toRemoteDatabaseError(error: unknown): unknown {
  if (!(error instanceof NetworkError) && !ENDED_CODES.has(codeOf(error)) && !isServerError(error)) return toDatabaseError(error);
  return unavailable("The database cannot be reached. Try again in a moment.", error);
}

/** Returns whether the server responded with 5xx. A 4xx is a mistake in the settings, which its message explains. */
function isServerError(error: unknown): boolean {
  if (codeOf(error) !== "SERVER_ERROR" || !(error instanceof Error) || !(error.cause instanceof Error)) return false;
  return "status" in error.cause && Number(error.cause.status) >= 500;
}
