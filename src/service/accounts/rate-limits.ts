import { sql } from "kysely";
import type { Rate, RateName } from "../../config/rates.ts";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { ErrorFields } from "../../contract/error-fields.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import type { Keyring } from "../../lib/secrets/secrets.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { addressSubnet, subnet48 } from "../../net/networks.ts";
import { SUBNET48_FACTOR } from "./actor.ts";

/** One use, which counts in a window of a rate limit. */
export interface RateUse {
  /** The name of a documented rate limit; `unlockProof` counts the single use of a proof of work. */
  readonly name: RateName | "unlockProof";
  /** The counted subject: the pseudonym of an IP address, an account, a share, a proof of work. */
  readonly subject: string;
  readonly rate: Rate;
  readonly nowMs: number;
  /** The number of uses as which it counts; default: 1. */
  readonly count?: number;
}

/** The state of a window. */
export interface RateState {
  readonly allowed: boolean;
  /** Number of uses in the current window. */
  readonly count: number;
  readonly remaining: number;
  readonly resetsAtMs: number;
}

/** A limit that a use would exceed. */
export interface ExceededRate extends RateState {
  readonly name: RateUse["name"];
}

/** Returns the pseudonym of an IP address in rate limits and quotas. All addresses of an IPv6 /64 have the same pseudonym. */
export const addressSubject = (keyring: Keyring, address: string): string => keyring.pseudonym(addressSubnet(address));

/** Returns the pseudonym of an IPv6 address's /48, which has a limit too; undefined for IPv4. */
export function subnet48Subject(keyring: Keyring, address: string): string | undefined {
  const group = subnet48(address);
  return group === undefined ? undefined : keyring.pseudonym(group);
}

/** One use by an IP address. `about` separates limits per share or purpose. */
export interface AddressUse {
  readonly name: RateName;
  readonly address: string;
  readonly about?: string;
  /** The limit of an IPv6 /48 as a multiple of a /64's. */
  readonly subnet48Factor?: number;
}

/** Returns the uses that one request of an IP address counts as: one of the address and, for IPv6, one of its /48. */
export function addressUses(
  ctx: Pick<Ctx, "config" | "keyring" | "now">,
  { name, address, about = "", subnet48Factor = SUBNET48_FACTOR }: AddressUse,
): RateUse[] {
  const nowMs = ctx.now();
  const rate = ctx.config.rates[name];
  const subnet48 = subnet48Subject(ctx.keyring, address);
  const own = { name, subject: about + addressSubject(ctx.keyring, address), rate, nowMs };
  if (subnet48 === undefined) return [own];
  return [own, { name, subject: about + subnet48, rate: { ...rate, limit: rate.limit * subnet48Factor }, nowMs }];
}

/** Counts one use in the current window or a new one, exactly across processes. A use past the limit is refused and does not extend the window. */
export async function consume(db: Db, { name, subject, rate, nowMs, count: uses = 1 }: RateUse): Promise<RateState> {
  const row = await db
    .insertInto("rate_windows")
    .values({ name, subject, count: uses, resets_at: nowMs + rate.windowMs })
    .onConflict((conflict) =>
      conflict.columns(["name", "subject"]).doUpdateSet({
        count: sql`CASE WHEN rate_windows.resets_at <= ${nowMs} THEN ${uses} ELSE min(rate_windows.count, ${rate.limit}) + ${uses} END`,
        resets_at: sql`CASE WHEN rate_windows.resets_at <= ${nowMs} THEN excluded.resets_at ELSE rate_windows.resets_at END`,
      }),
    )
    .returning(["count", "resets_at"])
    .executeTakeFirstOrThrow();
  const { count, resets_at: resetsAtMs } = row;
  return { allowed: count <= rate.limit, count, remaining: Math.max(0, rate.limit - count), resetsAtMs };
}

/** A counted use, and the end of the window in which it counts. */
export interface CountedUse extends Pick<RateUse, "name" | "subject"> {
  readonly resetsAtMs: number;
}

/** Counts uses, also past their limits. */
export async function countUses(db: TransactionDb, uses: readonly RateUse[]): Promise<readonly CountedUse[]> {
  const counted: CountedUse[] = [];
  for (const use of uses) counted.push({ name: use.name, subject: use.subject, resetsAtMs: (await consume(db, use)).resetsAtMs });
  return counted;
}

/** Counts all uses, or none of them if a limit is exceeded. Resolves to the exceeded limit, as `findExceededRate` does. */
export async function consumeAll(db: TransactionDb, uses: readonly RateUse[]): Promise<ExceededRate | undefined> {
  const exceeded = await findExceededRate(db, uses);
  if (!exceeded) await countUses(db, uses);
  return exceeded;
}

/** Finds the exceeded limit that resets last, without counting; undefined if no limit is exceeded. */
export async function findExceededRate(db: Db, uses: readonly RateUse[]): Promise<ExceededRate | undefined> {
  let exceeded: ExceededRate | undefined;
  for (const use of uses) {
    const state = await getRate(db, use);
    if (!state.allowed && !(exceeded && exceeded.resetsAtMs >= state.resetsAtMs)) exceeded = { ...state, name: use.name };
  }
  return exceeded;
}

/** Returns the state of the current window, without counting. */
export async function getRate(db: Db, { name, subject, rate, nowMs, count: uses = 1 }: RateUse): Promise<RateState> {
  const row = await db
    .selectFrom("rate_windows")
    .select(["count", "resets_at"])
    .where("name", "=", name)
    .where("subject", "=", subject)
    .where("resets_at", ">", nowMs)
    .executeTakeFirst();
  const count = row?.count ?? 0;
  const remaining = Math.max(0, rate.limit - count);
  return { allowed: count + uses <= rate.limit, count, remaining, resetsAtMs: row?.resets_at ?? nowMs + rate.windowMs };
}

/** Ends the current window of a subject. */
export async function resetRate(db: Db, { name, subject }: Pick<RateUse, "name" | "subject">): Promise<void> {
  await db.deleteFrom("rate_windows").where("name", "=", name).where("subject", "=", subject).execute();
}

/** Deletes windows that have ended. */
export async function deleteExpiredRates(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom("rate_windows").where("resets_at", "<=", nowMs).execute();
}

/** Counts one use of an IP address. Throws RATE_LIMITED past its limit. */
export async function consumeAddressRate(ctx: TransactionCtx, use: AddressUse): Promise<readonly CountedUse[]> {
  const uses = addressUses(ctx, use);
  const exceeded = await findExceededRate(ctx.db, uses);
  if (exceeded) throw addressRateExceeded(ctx, use.name, exceeded);
  return await countUses(ctx.db, uses);
}

/** Returns counted uses, whose request had no effect, to their windows. A later window of the same subject keeps its count. */
export async function returnUses(db: TransactionDb, uses: readonly CountedUse[]): Promise<void> {
  for (const { name, subject, resetsAtMs } of uses)
    await db
      .updateTable("rate_windows")
      .set({ count: sql`count - 1` })
      .where("name", "=", name)
      .where("subject", "=", subject)
      .where("resets_at", "=", resetsAtMs)
      .where("count", ">", 0)
      .execute();
}

/** Creates the error RATE_LIMITED for an IP address. */
export function addressRateExceeded({ config, now }: Pick<Ctx, "config" | "now">, name: RateName, { resetsAtMs }: RateState): AppError {
  const { limit } = config.rates[name];
  return rateLimited({
    nowMs: now(),
    resetsAtMs,
    message: ({ retryAfterSeconds }) => `Your IP address has used its ${limit} ${name}. Try again in ${retryAfterSeconds} seconds.`,
    fields: (wait) => ({ ...wait }),
  });
}

/** The wait that RATE_LIMITED reports. */
export interface RateLimitWait {
  readonly retryAfterSeconds: number;
  /** The time of the reset, in ISO 8601. */
  readonly resetAt: string;
}

/** The content of the error RATE_LIMITED. */
export interface RateLimited {
  readonly nowMs: number;
  readonly resetsAtMs: number;
  message(wait: RateLimitWait): string;
  /** The documented members of the error. */
  fields(wait: RateLimitWait): ErrorFields;
}

/** Creates the error RATE_LIMITED, with the seconds to wait (limits, "Rates"). */
export function rateLimited({ nowMs, resetsAtMs, message, fields }: RateLimited): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil((resetsAtMs - nowMs) / 1000));
  const wait = { retryAfterSeconds, resetAt: toIso(resetsAtMs) };
  return new AppError("RATE_LIMITED", message(wait), { fields: fields(wait), retryAfterSeconds });
}
