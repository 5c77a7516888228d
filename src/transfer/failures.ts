/**
 * Classifies failures of sending bytes, for browsers and for the client: the file itself (`sendThenCheckSource`), a proxy in front of the server
 * (`BodyRefused`), the server (its own error), and temporary ones, such as a lost connection (`TemporaryFailure`).
 */
import { MIN_BODY_BYTES } from "./body-limit.ts";

/** The longest `Retry-After` that is waited for. The window of the general rate is a minute. */
const MAX_WAIT_MS = 90_000;
const TEMPORARY_STATUSES = new Set([408, 409, 425, 429, 507]);

/** A temporary failure. Its message and its cause come from the last try; `wait` is shown until then. */
export class TemporaryFailure extends Error {
  readonly wait: string;
  /** The wait that the server requests. */
  readonly waitMs: number | undefined;
  /** Whether the server itself responded, and not the network, or a proxy with `status`. */
  readonly isOwn: boolean;
  readonly status: number | undefined;

  constructor(message: string, wait: string, { waitMs, isOwn = true, status, cause }: TemporaryFailureOptions = {}) {
    super(message, { cause });
    this.wait = wait;
    this.waitMs = waitMs;
    this.isOwn = isOwn;
    this.status = status;
  }
}

interface TemporaryFailureOptions {
  readonly waitMs?: number | undefined;
  readonly isOwn?: boolean;
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** A proxy in front of the server refused a request with bytes, but may accept a smaller one. `status` is undefined if it closed the connection. */
export class BodyRefused extends Error {
  constructor(readonly status: number | undefined) {
    super(`A proxy in front of the server refused the request${status === undefined ? "" : ` with status ${status}`}.`);
  }
}

/** Statuses with which proxies and firewalls refuse bodies. 502 also occurs while the server restarts, so it is retried first. */
const REFUSALS_OF_PROXIES = new Set([400, 403, 406, 411, 413, 501]);

/** Whether a response with this status, which does not come from filehost, refuses the request. */
export const isProxyRefusal = (status: number): boolean => REFUSALS_OF_PROXIES.has(status);

/** The number of broken tries of a request, while others succeed, after which it counts as refused by a proxy. */
const BROKEN_TRIES = 3;

interface Source {
  /** The number of earlier tries of the request. */
  readonly tries: number;
  /** The number of bytes of files in the request. */
  readonly sizeBytes: number;
  /** Whether smaller requests can be tried, if the bytes are more than the smallest request; default: yes. */
  readonly canShrink?: boolean;
  readonly signal: AbortSignal;
  /** Rejects if the bytes to send have changed or cannot be read. */
  check(): Promise<void>;
}

/**
 * Sends bytes of files in a request. Its error is the error of the files if they are the reason, which the failed request does not show;
 * `BodyRefused` if the connection broke in each try; otherwise the error of the request.
 */
export async function sendThenCheckSource<Response>(source: Source, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (error) {
    source.signal.throwIfAborted();
    await source.check();
    const isBroken = error instanceof TemporaryFailure && !error.isOwn && source.tries + 1 >= BROKEN_TRIES;
    // Sending the same few bytes in another way would not help, and would store the file twice if only a response was lost.
    const canShrink = (source.canShrink ?? true) && source.sizeBytes > MIN_BODY_BYTES;
    throw isBroken && canShrink ? new BodyRefused(error.status) : error;
  }
}

/** Whether a request that failed with this status may succeed later. `waitMs` is its `Retry-After`. */
export function isTemporary(status: number, waitMs: number | undefined): boolean {
  if (waitMs === undefined) return status === 408 || status === 429 || (status >= 500 && status !== 507);
  return waitMs <= MAX_WAIT_MS && (status >= 500 || TEMPORARY_STATUSES.has(status));
}

/** Parses a `Retry-After` of seconds or a date to milliseconds; undefined if it is neither. */
export function retryAfterMs(value: string | null): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - Date.now());
}
