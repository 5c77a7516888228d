/** Why a request failed: for good, or for a time. */
import { upload as texts } from "#texts/upload.ts";
import { isTemporary, retryAfterMs, TemporaryFailure } from "../../../src/transfer/failures.ts";

/** A permanent failure. Its message is a sentence for people. */
export class Refusal extends Error {
  /** Undefined if it is not a response. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** The store that receives the parts cannot be reached from this browser. */
export class Unreachable extends Refusal {}

export const lostConnection = (): TemporaryFailure => new TemporaryFailure(texts.interrupted, waitMessage(408));

/** Converts an unsuccessful response to a `Refusal` or a `TemporaryFailure`. `reason` is the server's message. */
export function toFailure(status: number, retryAfter: string | null, reason?: string): Refusal | TemporaryFailure {
  const waitMs = retryAfterMs(retryAfter);
  const message = reason || finalMessage(status);
  return isTemporary(status, waitMs) ? new TemporaryFailure(message, waitMessage(status), { waitMs }) : new Refusal(message, status);
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
