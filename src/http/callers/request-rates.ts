import type { Rate } from "../../config/rates.ts";
import type { Ctx } from "../../context.ts";
import { rateLimited } from "../../service/accounts/rate-limits.ts";
import { HttpError } from "../responding/http-error.ts";
import { type Caller, rateLimitKeys } from "./rate-limit-keys.ts";

/** The state of the rate window that a request counts in. */
export interface RequestRate {
  readonly rate: Rate;
  readonly remaining: number;
  readonly resetsAtMs: number;
}

export interface RequestRates {
  /**
   * Counts `cost` requests of a caller; a negative cost reverses the count. Throws RATE_LIMITED, and counts nothing, if they exceed the rate. Returns
   * undefined if the administrator has disabled the general rate.
   */
  consume(caller: Caller, cost: number): RequestRate | undefined;
}

interface Window {
  count: number;
  readonly resetsAtMs: number;
}

/**
 * Creates the counter of the general request rate, of the caller's tier or the named one. It counts in memory, so that no request costs a database
 * write (limits, "Rates").
 */
export function createRequestRates(ctx: Pick<Ctx, "config" | "keyring" | "now">, name?: "mcpGuests" | "oauthRequests"): RequestRates {
  const { anonymous, free, pro, mcpGuests, oauthRequests } = ctx.config.rates;
  const windows = createWindows(Math.max(anonymous.windowMs, free.windowMs, pro.windowMs, mcpGuests.windowMs, oauthRequests.windowMs));
  return {
    consume(caller, cost) {
      if (!ctx.config.limitsGeneralRate) return undefined;
      const nowMs = ctx.now();
      const rate = ctx.config.rates[name ?? caller.actor?.tier ?? "anonymous"];
      const fresh = { count: 0, resetsAtMs: nowMs + rate.windowMs };
      // Checks all windows before counting in any, so that a refused request counts nowhere.
      const uses = rateLimitKeys(ctx, caller).map(({ subject, multiplier }) => {
        const { count, resetsAtMs } = windows.find(subject, nowMs) ?? fresh;
        return { subject, left: rate.limit * multiplier - count, resetsAtMs };
      });
      // Reports the window that resets last: the request would still be refused after the others.
      const [refusing] = uses.filter(({ left }) => left < cost).sort((one, other) => other.resetsAtMs - one.resetsAtMs);
      if (refusing) throw rateExceeded({ rate, remaining: Math.max(0, refusing.left), resetsAtMs: refusing.resetsAtMs }, nowMs);
      for (const { subject, resetsAtMs } of uses) windows.debit(subject, cost, { resetsAtMs, nowMs });
      const { left, resetsAtMs } = uses.reduce((one, other) => (other.left < one.left ? other : one));
      return { rate, remaining: left - cost, resetsAtMs };
    },
  };
}

/** Returns the rate headers of the IETF draft and the older `X-RateLimit-…` (limits, "Rates"). */
export function rateHeaders({ rate, remaining, resetsAtMs }: RequestRate, nowMs: number): [string, string][] {
  const seconds = Math.max(0, Math.ceil((resetsAtMs - nowMs) / 1000));
  return [
    ["RateLimit-Policy", `"general";q=${rate.limit};w=${rate.windowMs / 1000}`],
    ["RateLimit", `"general";r=${remaining};t=${seconds}`],
    ["X-RateLimit-Limit", String(rate.limit)],
    ["X-RateLimit-Remaining", String(remaining)],
    ["X-RateLimit-Reset", String(Math.ceil(resetsAtMs / 1000))],
  ];
}

function rateExceeded(state: RequestRate, nowMs: number): HttpError {
  const { code, message, fields, retryAfterSeconds } = rateLimited({
    nowMs,
    resetsAtMs: state.resetsAtMs,
    message: ({ retryAfterSeconds }) => `Too many requests. Wait ${retryAfterSeconds} seconds, then send fewer.`,
    fields: ({ retryAfterSeconds }) => ({ retryAfterSeconds }),
  });
  return new HttpError(code, message, { fields, retryAfterSeconds, headers: Object.fromEntries(rateHeaders(state, nowMs)) });
}

/**
 * Creates rate windows in two generations of at least `longestMs` each. When a third begins, all windows of the first have ended and it is dropped as
 * a whole, so that no request searches for expired windows.
 */
function createWindows(longestMs: number) {
  let recent = new Map<string, Window>();
  let older = new Map<string, Window>();
  let nextGenerationAtMs = 0;
  const find = (subject: string, nowMs: number): Window | undefined => {
    const window = recent.get(subject) ?? older.get(subject);
    // A window that ends too late was opened while the clock was ahead.
    return window && nowMs < window.resetsAtMs && window.resetsAtMs - nowMs <= longestMs ? window : undefined;
  };
  return {
    find,
    /** Adds `cost` to the current window, or to a new one that ends at `resetsAtMs`. */
    debit(subject: string, cost: number, { resetsAtMs, nowMs }: { resetsAtMs: number; nowMs: number }): void {
      if (nowMs >= nextGenerationAtMs || nextGenerationAtMs - nowMs > longestMs) {
        older = recent;
        recent = new Map();
        nextGenerationAtMs = nowMs + longestMs;
      }
      const window = find(subject, nowMs);
      if (window) window.count += cost;
      else recent.set(subject, { count: cost, resetsAtMs });
    },
  };
}
