import { sql } from "kysely";
import type { Rate, RateName } from "../domain/rates.ts";
import type { Db } from "./database.ts";

export interface RateUse {
  /** A limit of the interface; `unlockProof` counts the single use of a proof of work. */
  readonly name: RateName | "unlockProof";
  /** Whom it counts: an address' pseudonym, a key's id, a share, a proof. */
  readonly subject: string;
  readonly rate: Rate;
  readonly nowMs: number;
}

export interface RateState {
  readonly allowed: boolean;
  /** Uses in the current window. */
  readonly count: number;
  readonly remaining: number;
  readonly resetsAtMs: number;
}

/** Counts one use in the window that runs, or in a new one; exact across processes. A use that is not allowed is not counted. */
export async function takeRate(db: Db, { name, subject, rate, nowMs }: RateUse): Promise<RateState> {
  const row = await db
    .insertInto("rate_windows")
    .values({ name, subject, count: 1, resets_at: nowMs + rate.windowMs })
    .onConflict((conflict) =>
      conflict.columns(["name", "subject"]).doUpdateSet({
        count: sql`CASE WHEN rate_windows.resets_at <= ${nowMs} THEN 1 ELSE min(rate_windows.count, ${rate.limit}) + 1 END`,
        resets_at: sql`CASE WHEN rate_windows.resets_at <= ${nowMs} THEN excluded.resets_at ELSE rate_windows.resets_at END`,
      }),
    )
    .returning(["count", "resets_at"])
    .executeTakeFirstOrThrow();
  const { count, resets_at: resetsAtMs } = row;
  return { allowed: count <= rate.limit, count, remaining: Math.max(0, rate.limit - count), resetsAtMs };
}

/** The state of the use that is not allowed, of several the one that will be so for longest, counting nothing; undefined where all are. */
export async function findRefusal(db: Db, uses: readonly RateUse[]): Promise<RateState | undefined> {
  let refusal: RateState | undefined;
  for (const use of uses) {
    const state = await findRate(db, use);
    if (!state.allowed && !(refusal && refusal.resetsAtMs >= state.resetsAtMs)) refusal = state;
  }
  return refusal;
}

/** Counts one use of each where all are allowed, else of none, resolving as `findRefusal` does. Call it in a transaction. */
export async function takeAll(db: Db, uses: readonly RateUse[]): Promise<RateState | undefined> {
  const refusal = await findRefusal(db, uses);
  if (!refusal) for (const use of uses) await takeRate(db, use);
  return refusal;
}

/** What is left of a window, counting nothing. */
export async function findRate(db: Db, { name, subject, rate, nowMs }: RateUse): Promise<RateState> {
  const row = await db
    .selectFrom("rate_windows")
    .select(["count", "resets_at"])
    .where("name", "=", name)
    .where("subject", "=", subject)
    .where("resets_at", ">", nowMs)
    .executeTakeFirst();
  const count = row?.count ?? 0;
  const remaining = Math.max(0, rate.limit - count);
  return { allowed: count < rate.limit, count, remaining, resetsAtMs: row?.resets_at ?? nowMs + rate.windowMs };
}

/** Forgets windows that are over. */
export async function removeLapsedRates(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom("rate_windows").where("resets_at", "<=", nowMs).execute();
}
