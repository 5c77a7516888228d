import type { Ctx } from "../context.ts";
import { rateLimited } from "../domain/rate-limited.ts";
import { MAX_OPEN_STREAMS } from "../domain/rates.ts";
import { type Caller, callerSubjects } from "./callers.ts";

/** When to try again: nobody knows when a stream will end. */
const RETRY_MS = 5_000;

export interface OpenStreams {
  /** Takes a place for an answer without an end; what it resolves to gives the place back, once. Throws RATE_LIMITED. */
  take(caller: Caller): () => void;
}

/** How many event streams each caller has open in this process. */
export function createOpenStreams(ctx: Pick<Ctx, "keyring" | "now">): OpenStreams {
  const open = new Map<string, number>();
  const add = (subject: string, change: 1 | -1): void => {
    const count = (open.get(subject) ?? 0) + change;
    if (count === 0) open.delete(subject);
    else open.set(subject, count);
  };
  return {
    take(caller) {
      const subjects = callerSubjects(ctx, caller);
      if (subjects.some(({ subject, times }) => (open.get(subject) ?? 0) >= MAX_OPEN_STREAMS * times)) throw tooMany(ctx.now());
      for (const { subject } of subjects) add(subject, 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        for (const { subject } of subjects) add(subject, -1);
      };
    },
  };
}

const tooMany = (nowMs: number) =>
  rateLimited({
    nowMs,
    resetsAtMs: nowMs + RETRY_MS,
    message: () => `There are ${MAX_OPEN_STREAMS} event streams open already. Close one, or ask for the status from time to time instead.`,
    fields: ({ retryAfterSeconds }) => ({ retryAfterSeconds }),
  });
