import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import type { Payments } from "../../pay/payments.ts";
import { usePayments } from "./payments.ts";

const MAX_ATTEMPTS = 10;
const RETRY_AFTER_SECONDS = 5;

/** How the state of a row follows what the payment platform says. `Facts` are its answer. */
export interface FactsSteps<Row extends { readonly version: number }, Facts, Result> {
  readonly find: (db: Db) => Promise<Row | undefined>;
  readonly ask: (payments: Payments, row: Row) => Promise<Facts>;
  /** Whether the answer is another state than that of the row. */
  readonly isChange: (ctx: TransactionCtx, row: Row, facts: Facts) => boolean;
  /** Stores the answer, with a version that is 1 higher, also if it changes nothing. */
  readonly apply: (ctx: TransactionCtx, row: Row, facts: Facts) => Promise<Result>;
}

/**
 * Makes a row what the payment platform says. Any number of callers, of several server instances, may do so at the same time: an answer
 * that contradicts one that was stored while it was under way may be the older one, so the platform is asked again. Resolves to undefined
 * without the row. Throws UNAVAILABLE (selling, "The webhook").
 */
export async function applyFacts<Row extends { readonly version: number }, Facts, Result>(
  ctx: Ctx,
  { find, ask, isChange, apply }: FactsSteps<Row, Facts, Result>,
): Promise<Result | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const before = await find(ctx.db);
    if (!before) return undefined;
    const facts = await usePayments(ctx, (payments) => ask(payments, before));
    const applied = await ctx.transaction(async (ctx) => {
      const row = await find(ctx.db);
      if (row && row.version !== before.version && isChange(ctx, row, facts)) return undefined;
      return { result: row && (await apply(ctx, row, facts)) };
    });
    if (applied) return applied.result;
  }
  throw new AppError("UNAVAILABLE", "The state of this payment changes at the moment. Try again.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
