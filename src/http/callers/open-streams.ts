import { MAX_OPEN_STREAMS } from "../../config/rates.ts";
import type { Ctx } from "../../context.ts";
import { createKeyedCounter } from "../../lib/concurrency/keyed-counter.ts";
import { rateLimited } from "../../service/accounts/rate-limits.ts";
import { type Caller, rateLimitKeys } from "./rate-limit-keys.ts";

/** The `Retry-After`, which is a guess, because the end of a stream is unknown. */
const RETRY_MS = 5_000;

export interface OpenStreams {
  /** Counts an event stream and returns a function that releases it, once. Throws RATE_LIMITED. */
  open(caller: Caller): () => void;
}

/** Limits the open event streams of each caller in this server instance. */
export function createOpenStreams(ctx: Pick<Ctx, "keyring" | "now">): OpenStreams {
  const open = createKeyedCounter();
  return {
    open(caller) {
      const subjects = rateLimitKeys(ctx, caller);
      if (subjects.some(({ subject, multiplier }) => open.get(subject) >= MAX_OPEN_STREAMS * multiplier)) throw tooMany(ctx.now());
      for (const { subject } of subjects) open.add(subject, 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        for (const { subject } of subjects) open.add(subject, -1);
      };
    },
  };
}

const tooMany = (nowMs: number) =>
  rateLimited({
    nowMs,
    resetsAtMs: nowMs + RETRY_MS,
    message: () =>
      `You already have ${MAX_OPEN_STREAMS} event streams or calls of MCP open. Wait until one ends, close one, or poll the status instead.`,
    fields: ({ retryAfterSeconds }) => ({ retryAfterSeconds }),
  });
