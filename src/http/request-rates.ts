import type { Ctx } from "../context.ts";
import { rateLimited } from "../domain/rate-limited.ts";
import type { Rate } from "../domain/rates.ts";
import type { AppError } from "../errors.ts";
import { type Caller, callerSubjects } from "./callers.ts";

/** What is left of the window that a request counts in. */
export interface RequestRate {
  readonly rate: Rate;
  readonly remaining: number;
  readonly resetsAtMs: number;
}

export interface RequestRates {
  /**
   * Counts `cost` requests of a caller: by the owner of its key, or by address without one. Throws RATE_LIMITED where they do not fit, counting nothing.
   * Undefined where the operator has lifted the general rate.
   */
  take(caller: Caller, cost: number): RequestRate | undefined;
}

interface Window {
  count: number;
  readonly resetsAtMs: number;
}

/** The general request rate, in memory: an answer must not cost a write (decisions, "Accounts, keys, tiers"). */
export function createRequestRates(ctx: Pick<Ctx, "config" | "keyring" | "now">): RequestRates {
  const { anonymous, free, pro } = ctx.config.rates;
  const windows = createWindows(Math.max(anonymous.windowMs, free.windowMs, pro.windowMs));
  return {
    take(caller, cost) {
      if (!ctx.config.limitsGeneralRate) return undefined;
      const nowMs = ctx.now();
      const rate = ctx.config.rates[caller.actor?.tier ?? "anonymous"];
      const fresh = { count: 0, resetsAtMs: nowMs + rate.windowMs };
      // All are looked at before any is spent: what is refused counts nowhere, and leaves no trace.
      const uses = callerSubjects(ctx, caller).map(({ subject, times }) => {
        const { count, resetsAtMs } = windows.find(subject, nowMs) ?? fresh;
        return { subject, left: rate.limit * times - count, resetsAtMs };
      });
      // What refuses last is free last: the other one's end would be a promise that does not hold.
      const [refusing] = uses.filter(({ left }) => left < cost).sort((one, other) => other.resetsAtMs - one.resetsAtMs);
      if (refusing) throw tooFast({ rate, remaining: Math.max(0, refusing.left), resetsAtMs: refusing.resetsAtMs }, nowMs);
      for (const { subject, resetsAtMs } of uses) windows.spend(subject, cost, { resetsAtMs, nowMs });
      const { left, resetsAtMs } = uses.reduce((one, other) => (other.left < one.left ? other : one));
      return { rate, remaining: left - cost, resetsAtMs };
    },
  };
}

/** The headers that tell a caller where it stands, of the IETF draft and of the older custom (decisions, "Accounts, keys, tiers"). */
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

const tooFast = (state: RequestRate, nowMs: number): AppError =>
  rateLimited({
    nowMs,
    resetsAtMs: state.resetsAtMs,
    message: ({ retryAfterSeconds }) => `Too many requests. Wait ${retryAfterSeconds} seconds, and then go slower.`,
    fields: ({ retryAfterSeconds }) => ({ retryAfterSeconds }),
    headers: Object.fromEntries(rateHeaders(state, nowMs)),
  });

/**
 * The windows of everyone who asked lately, in two generations of at least `longestMs` each: when a third begins, all windows of the
 * first are over, and it goes as a whole. So nobody's request pays for looking through the others', however many there are.
 */
function createWindows(longestMs: number) {
  let recent = new Map<string, Window>();
  let older = new Map<string, Window>();
  let turnsAtMs = 0;
  const find = (subject: string, nowMs: number): Window | undefined => {
    const window = recent.get(subject) ?? older.get(subject);
    return window && nowMs < window.resetsAtMs ? window : undefined;
  };
  return {
    find,
    /** Counts `cost` in the window that runs, or in a new one that ends at `resetsAtMs`. */
    spend(subject: string, cost: number, { resetsAtMs, nowMs }: { resetsAtMs: number; nowMs: number }): void {
      if (nowMs >= turnsAtMs) {
        older = recent;
        recent = new Map();
        turnsAtMs = nowMs + longestMs;
      }
      const window = find(subject, nowMs);
      if (window) window.count += cost;
      else recent.set(subject, { count: cost, resetsAtMs });
    },
  };
}
