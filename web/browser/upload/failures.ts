/** Why a request failed: for good, or for a time. */
import { upload as texts } from "#texts/upload.ts";

/** A longer `Retry-After` ends the upload. The window of the general rate is a minute. */
const MAX_WAIT_MS = 90_000;
const TEMPORARY_STATUSES = new Set([408, 409, 425, 429, 507]);

/** A permanent failure. Its message is a sentence for people. */
export class Refusal extends Error {}

/** The store that receives the parts cannot be reached from this browser. */
export class Unreachable extends Refusal {}

/** A temporary failure. Its message is shown after the last try, `wait` until then. */
export class TemporaryFailure extends Error {
  readonly wait: string;
  /** As the server asks. */
  readonly waitMs: number | undefined;

  constructor(message: string, wait: string, waitMs?: number) {
    super(message);
    this.wait = wait;
    this.waitMs = waitMs;
  }
}

export const lostConnection = (): TemporaryFailure => new TemporaryFailure(texts.interrupted, waitMessage(408));

/** Converts an unsuccessful response to a `Refusal` or a `TemporaryFailure`. `reason` is the server's message. */
export function toFailure(status: number, retryAfter: string | null, reason?: string): Refusal | TemporaryFailure {
  const waitMs = retryAfterMs(retryAfter);
  const message = reason || finalMessage(status);
  const hasRetryAfter = waitMs !== undefined && (status >= 500 || TEMPORARY_STATUSES.has(status));
  const isTemporaryWithoutRetryAfter = waitMs === undefined && (status === 408 || status === 429 || (status >= 500 && status !== 507));
  if (!isTemporaryWithoutRetryAfter && !(hasRetryAfter && waitMs <= MAX_WAIT_MS)) return new Refusal(message);
  return new TemporaryFailure(message, waitMessage(status), waitMs);
}

/** Parses a `Retry-After` of seconds or a date to milliseconds; undefined if it is neither. */
export function retryAfterMs(value: string | null): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - Date.now());
}

function waitMessage(status: number): string {
  const { waits, continues } = texts;
  const reasons: Readonly<Record<number, string>> = { 408: waits.lost, 409: waits.busy, 429: waits.many, 503: waits.busy, 507: waits.full };
  return `${reasons[status] ?? waits.broken} ${continues}`;
}

function finalMessage(status: number): string {
  const { finals } = texts;
  const messages: Readonly<Record<number, string>> = { 429: finals.many, 503: finals.busy, 507: finals.full };
  return messages[status] ?? texts.refused;
}
