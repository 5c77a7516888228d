import type { Logger } from "pino";
import type { ClockWatch, Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { findServerState, saveServerState } from "../../db/server-state.ts";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import { CLOCK_TOLERANCE_MS, type ClockDoubt, describeDoubt, parseStoredClock, type StoredClock } from "../../lib/system/clock-doubt.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";

/** Time after which a changed clock is trusted if no other clock responds. */
const WAIT_MS = HOUR_MS;
const RESPONSE_TIMEOUT_MS = 5_000;

/** The clock of another machine. Resolves to undefined, or rejects, if it cannot be read. */
export interface OtherClock {
  readonly name: string;
  /** Whether the clock is read only occasionally, and while this machine's clock is in doubt. */
  readonly isCostly: boolean;
  readonly read: () => Promise<number | undefined>;
}

export interface ClockWatchOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly now: () => number;
  /** Returns elapsed milliseconds, independent of the clock. */
  readonly elapsed: () => number;
  readonly others: readonly OtherClock[];
}

/** Creates a watch of the clock. While the clock may be wrong, work that depends on a passed time waits (expiry, "When the clock is wrong"). */
export function createClockWatch({ db, log, now, elapsed, others }: ClockWatchOptions): ClockWatch {
  /** A time that was correct, and the elapsed milliseconds at that time. */
  let anchor = { atMs: now(), passedMs: elapsed() };
  let doubt: ClockDoubt | undefined;
  /** The elapsed milliseconds when the doubt began. */
  let elapsedAtDoubtMs = 0;
  /** The latest time that this clock or another clock has shown. */
  let highestMs = now();
  let othersLatestMs = 0;
  let isLoaded = false;
  let running: Promise<void> | undefined;

  const expectedMs = (): number => anchor.atMs + (elapsed() - anchor.passedMs);
  const latestNow = (): number => Math.max(now(), expectedMs(), othersLatestMs);

  const trust = (): void => {
    anchor = { atMs: now(), passedMs: elapsed() };
    change(undefined);
  };

  const change = (next: ClockDoubt | undefined): void => {
    const isNews = next?.kind !== doubt?.kind || Math.abs((next?.aheadMs ?? 0) - (doubt?.aheadMs ?? 0)) > CLOCK_TOLERANCE_MS;
    doubt = next;
    if (!isNews) return;
    if (next === undefined) log.info({ now: toIso(now()) }, "the clock is trusted again");
    else if (next.kind === "start") log.info({ aheadSeconds: Math.round(next.aheadMs / 1000) }, describeDoubt(next));
    else log.warn({ aheadSeconds: Math.round(next.aheadMs / 1000) }, describeDoubt(next));
  };

  const load = async (): Promise<void> => {
    const stored = parseStoredClock(await findServerState(db, "clock"));
    isLoaded = true;
    if (!stored) return;
    highestMs = Math.max(highestMs, stored.latestMs);
    if (Math.abs(expectedMs() - stored.trustedMs) > CLOCK_TOLERANCE_MS) {
      const aheadMs = now() - stored.trustedMs;
      anchor = { atMs: stored.trustedMs, passedMs: elapsed() };
      startDoubt(aheadMs > 0 && stored.doubt?.kind !== "jump" ? "start" : "jump", aheadMs);
    }
  };

  const startDoubt = (kind: "start" | "jump", aheadMs: number): void => {
    elapsedAtDoubtMs = elapsed();
    change({ kind, aheadMs, untilMs: now() + WAIT_MS });
  };

  /** Returns how far this clock is ahead of each of the other clocks. */
  const compare = async (): Promise<readonly { readonly from: string; readonly aheadMs: number }[]> => {
    const isDue = doubt !== undefined || isInDoubt() || elapsed() - anchor.passedMs >= WAIT_MS;
    const asked = others.filter(({ isCostly }) => !isCostly || isDue);
    const results = await Promise.all(
      asked.map(async ({ name, read }) => {
        const startedAtMs = elapsed();
        const timeMs = await withTimeout(read(), RESPONSE_TIMEOUT_MS, () => undefined).catch(() => undefined);
        // Uses the middle of the request, because the other clock was read between the request and its response.
        return timeMs === undefined ? [] : [{ from: name, aheadMs: Math.round(now() - timeMs - (elapsed() - startedAtMs) / 2) }];
      }),
    );
    return results.flat();
  };

  const isInDoubt = (): boolean => Math.abs(now() - expectedMs()) > CLOCK_TOLERANCE_MS;

  const checkOnce = async (): Promise<void> => {
    if (!isLoaded) await load();
    const compared = await compare();
    highestMs = Math.max(highestMs, now());
    const worst = compared.toSorted((one, other) => Math.abs(other.aheadMs) - Math.abs(one.aheadMs))[0];
    othersLatestMs = 0;
    if (worst === undefined) return judgeAlone();
    if (Math.abs(worst.aheadMs) <= CLOCK_TOLERANCE_MS) return trust();
    const nowMs = now();
    const times = compared.map(({ aheadMs }) => nowMs - aheadMs);
    othersLatestMs = Math.max(...times);
    anchor = { atMs: Math.min(nowMs, ...times), passedMs: elapsed() };
    change({ kind: "differs", ...worst });
  };

  /** Judges the clock while no other clock responds: trusts it after it has been consistent for an hour. */
  const judgeAlone = (): void => {
    const aheadMs = now() - expectedMs();
    if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS) {
      change(undefined);
      // Trusts only after the full time, so that many small changes cannot exceed the tolerance.
      if (elapsed() - anchor.passedMs >= WAIT_MS) trust();
    } else if (doubt?.untilMs === undefined || Math.abs(aheadMs - doubt.aheadMs) > CLOCK_TOLERANCE_MS) startDoubt("jump", aheadMs);
    else if (elapsed() - elapsedAtDoubtMs >= WAIT_MS) trust();
  };

  const check = (): Promise<void> => {
    running ??= checkOnce().finally(() => {
      running = undefined;
    });
    return running;
  };

  const trustedNow = (): number => (now() - expectedMs() > CLOCK_TOLERANCE_MS ? expectedMs() : now());

  return {
    check,
    async record() {
      await check();
      const stored: StoredClock = { trustedMs: Math.round(trustedNow()), latestMs: Math.round(highestMs), ...(doubt && { doubt }) };
      await saveServerState(db, "clock", JSON.stringify(stored));
    },
    trustedNow: () => Math.round(trustedNow()),
    latestNow: () => Math.round(latestNow()),
    doubt: () => doubt,
    wasAhead() {
      if (highestMs - now() <= CLOCK_TOLERANCE_MS) return "no";
      return highestMs - latestNow() > CLOCK_TOLERANCE_MS ? "yes" : "perhaps";
    },
    clear() {
      highestMs = latestNow();
    },
  };
}

/** Compares the clocks and returns the context for work that depends on a passed time. */
export async function atCheckedTime(ctx: Ctx): Promise<Ctx> {
  await ctx.clock.check();
  return atTrustedTime(ctx);
}

/** Returns the context with the trusted time of the last comparison. */
function atTrustedTime(ctx: Ctx): Ctx {
  const now = () => ctx.clock.trustedNow();
  return { ...ctx, now, transaction: (work) => ctx.transaction((inner) => work({ ...inner, now })) };
}
