import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import { isTemporary, TemporaryFailure } from "../../transfer/failures.ts";
import { Gate } from "../../transfer/gate.ts";
import { createRetry, type Retry } from "../../transfer/retry.ts";
import { ENDLESS, OTHER_VERSION, proxyRefusalOf } from "./server-error.ts";

/**
 * Repeats requests that fail temporarily, for about a minute, or as long as the server names. `onWait` receives the reason of a wait, or an empty
 * text when the wait ends.
 */
export function createRequestRetry(signal: AbortSignal, onWait: (reason: string) => void = () => undefined): Retry {
  const retry = createRetry({
    signal,
    gate: new Gate(),
    onWait,
    async pause(ms, { signal }) {
      await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
  });
  return (act) =>
    retry(async (attempt) => {
      try {
        return await act(attempt);
      } catch (error) {
        throw toFailure(error);
      }
    });
}

function toFailure(error: unknown): unknown {
  if (!(error instanceof AppError) || error.cause === OTHER_VERSION || error.cause === ENDLESS) return error;
  // The server requires a proof of work, so waiting does not help.
  if (error.fields && "challenge" in error.fields) return error;
  const waitMs = waitsForOtherUploads(error) || error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000;
  return isTemporary(error.status, waitMs)
    ? new TemporaryFailure(error.message, error.message, {
        ...{ waitMs, cause: error },
        ...{ isOwn: error.cause === undefined, status: proxyRefusalOf(error)?.status },
      })
    : error;
}

/**
 * Whether a wait may be endless. Unfinished uploads may belong to programs that have ended, so those waits end after a minute; transfers end, and ask
 * for less.
 */
const waitsForOtherUploads = ({ code, retryAfterSeconds = 0 }: AppError): boolean => code === "TOO_MANY_UPLOADS" && retryAfterSeconds >= 60;

/** Throws the same error, or a `TemporaryFailure` if a repetition may succeed. */
export function throwFailure(error: unknown): never {
  throw toFailure(error);
}

/** Returns the error of the last try. */
export const withoutRetry = (error: unknown): unknown => (error instanceof TemporaryFailure ? error.cause : error);

/** Returns the milliseconds to wait after a temporary failure; 0 if the server does not say. Throws a permanent error. */
export function waitOf(error: unknown): number {
  const failure = toFailure(error);
  if (!(failure instanceof TemporaryFailure)) throw error;
  return failure.waitMs ?? 0;
}
