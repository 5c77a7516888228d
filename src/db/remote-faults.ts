import { BUSY_DEADLINE_MS, codeOf, isBusy, pauseBeforeRetry, toDatabaseError, unavailable } from "./faults.ts";

/** The longest pause before a server that did not answer is asked again. */
const LONGEST_PAUSE_MS = 1_000;

/** Codes of a libSQL server for a transaction or stream that it has ended by itself, and of its client for one that is closed. */
const ENDED = new Set(["STREAM_EXPIRED", "TRANSACTION_TIMEOUT", "TRANSACTION_BUSY", "TRANSACTION_CLOSED", "HRANA_CLOSED_ERROR"]);

/** Codes, of the runtimes and of the systems below, for a connection that was never made: the request has not left. */
const NOT_SENT = new Set([
  "ConnectionRefused",
  "FailedToOpenSocket",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** A request to the database's server that got no answer. */
class NetworkFault extends Error {
  override readonly name = "NetworkFault";

  constructor(
    message: string,
    /** False only where the server cannot have seen the request. */
    readonly mayHaveArrived: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** `fetch` for the client of a libSQL server: every failure to get an answer within `answerMs` is a `NetworkFault`. */
export function createServerFetch(answerMs: number): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await fetchWhole(request, answerMs);
    } catch (error) {
      if (error instanceof NetworkFault) throw error;
      throw new NetworkFault("The database's server does not answer", !wasNotSent(error), error);
    }
  };
}

/** Reads the answer to its end, so that what breaks in the middle counts as the network's fault too. */
async function fetchWhole(request: Request, answerMs: number): Promise<Response> {
  const { url, method, headers } = request;
  const response = await fetch(url, { method, headers, body: await request.text(), signal: AbortSignal.timeout(answerMs) });
  const text = await response.text();
  if (response.status === 429 || response.status === 503)
    throw new NetworkFault(`The database's server answered ${response.status}`, false);
  if (response.ok && !text.trimEnd().endsWith("}")) throw new NetworkFault("The database's server answered half", true);
  return new Response(text, { status: response.status, headers: { "Content-Type": response.headers.get("Content-Type") ?? "" } });
}

function wasNotSent(error: unknown): boolean {
  return NOT_SENT.has(codeOf(error)) || (error instanceof Error && error.cause !== undefined && wasNotSent(error.cause));
}

/** Which failures of the network are tried again: any, for what changes nothing by itself; or those alone of a request that did not arrive. */
export type Retried = "any-failure" | "not-arrived";

/**
 * Runs `attempt` until the write lock is free and the server answers, as long as trying again cannot do anything twice;
 * rejects with UNAVAILABLE after `BUSY_DEADLINE_MS`.
 */
export async function whileUnavailable<T>(retried: Retried, attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + BUSY_DEADLINE_MS;
  for (let attempts = 0; ; attempts++) {
    let longestMs: number | undefined;
    try {
      return await attempt();
    } catch (error) {
      if (!mayRetry(error, retried) || performance.now() >= until) throw toRemoteError(error);
      if (error instanceof NetworkFault) longestMs = LONGEST_PAUSE_MS;
    }
    await pauseBeforeRetry(attempts, longestMs);
  }
}

function mayRetry(error: unknown, retried: Retried): boolean {
  if (isBusy(error)) return true;
  return error instanceof NetworkFault && (retried === "any-failure" || !error.mayHaveArrived);
}

/** Any error of the client as the callers of the database meet it: UNAVAILABLE where the server or its lock cannot be had. */
export function toRemoteError(error: unknown): unknown {
  if (!(error instanceof NetworkFault) && !ENDED.has(codeOf(error)) && !isServersFault(error)) return toDatabaseError(error);
  return unavailable("The database cannot be reached. Please try again in a moment.", error);
}

/** True for an answer of 5xx; one of 4xx is a mistake in our settings, and says so. */
function isServersFault(error: unknown): boolean {
  if (codeOf(error) !== "SERVER_ERROR" || !(error instanceof Error) || !(error.cause instanceof Error)) return false;
  return "status" in error.cause && Number(error.cause.status) >= 500;
}
