/** A longer `Retry-After` ends the transfer. The window of the general rate is a minute. */
const MAX_WAIT_MS = 90_000;
const TEMPORARY_STATUSES = new Set([408, 409, 425, 429, 507]);

/** A temporary failure. Its message, and its cause, are those of the last try; `wait` is shown until then. */
export class TemporaryFailure extends Error {
  readonly wait: string;
  /** As the server asks. */
  readonly waitMs: number | undefined;

  constructor(message: string, wait: string, { waitMs, cause }: { readonly waitMs?: number | undefined; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.wait = wait;
    this.waitMs = waitMs;
  }
}

/** Whether a request that failed with this status may succeed later. `waitMs`: its `Retry-After`. */
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
