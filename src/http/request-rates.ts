import { addressSubject } from "../auth/address-subject.ts";
import type { Ctx } from "../context.ts";
import type { Actor } from "../domain/actor.ts";
import { addressWideGroup } from "../domain/address.ts";
import { rateLimited } from "../domain/rate-limited.ts";
import type { Rate } from "../domain/rates.ts";
import type { AppError } from "../errors.ts";

/** What is left of the window that a request counts in. */
export interface RequestRate {
  readonly rate: Rate;
  readonly remaining: number;
  readonly resetsAtMs: number;
}

export interface RequestRates {
  /**
   * Counts `cost` requests of a caller: by key, or by address without one. Throws RATE_LIMITED where they do not fit, counting nothing.
   * Undefined where the operator has lifted the general rate.
   */
  take(caller: { readonly actor: Actor | undefined; readonly address: string }, cost: number): RequestRate | undefined;
}

interface Window {
  count: number;
  resetsAtMs: number;
}

/** An IPv6 /48 may have as many requests as this many of its /64. */
const WIDE_FACTOR = 16;
/** Past so many callers, windows that are over are dropped at once rather than by and by. */
const MAX_WINDOWS = 100_000;

/** The general request rate, in memory: an answer must not cost a write (decisions, "Accounts, keys, tiers"). */
export function createRequestRates(ctx: Pick<Ctx, "config" | "keyring" | "now">): RequestRates {
  const windows = new Map<string, Window>();

  const open = (subject: string, windowMs: number, nowMs: number): Window => {
    const current = windows.get(subject);
    if (current && nowMs < current.resetsAtMs) return current;
    if (windows.size >= MAX_WINDOWS) dropOld(windows, nowMs);
    const fresh = { count: 0, resetsAtMs: nowMs + windowMs };
    windows.set(subject, fresh);
    return fresh;
  };

  return {
    take({ actor, address }, cost) {
      if (!ctx.config.limitsGeneralRate) return undefined;
      const nowMs = ctx.now();
      const rate = ctx.config.rates[actor?.tier ?? "anonymous"];
      const window = open(actor?.kind === "user" ? actor.keyId : addressSubject(ctx.keyring, address), rate.windowMs, nowMs);
      const counted: Counted[] = [{ window, limit: rate.limit }];
      const wide = actor?.kind === "user" ? undefined : addressWideGroup(address);
      if (wide !== undefined)
        counted.push({ window: open(ctx.keyring.pseudonym(wide), rate.windowMs, nowMs), limit: rate.limit * WIDE_FACTOR });
      // What refuses last is free last: the other one's end would be a promise that does not hold.
      const [refusing] = counted
        .filter(({ window, limit }) => window.count + cost > limit)
        .sort((one, other) => other.window.resetsAtMs - one.window.resetsAtMs);
      if (refusing) throw tooFast(toState(rate, refusing), nowMs);
      for (const { window } of counted) window.count += cost;
      return counted.map((one) => toState(rate, one)).reduce((one, other) => (other.remaining < one.remaining ? other : one));
    },
  };
}

interface Counted {
  readonly window: Window;
  readonly limit: number;
}

const toState = (rate: Rate, { window, limit }: Counted): RequestRate => ({
  rate,
  remaining: Math.max(0, limit - window.count),
  resetsAtMs: window.resetsAtMs,
});

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

function dropOld(windows: Map<string, Window>, nowMs: number): void {
  for (const [subject, window] of windows) if (window.resetsAtMs <= nowMs) windows.delete(subject);
}
