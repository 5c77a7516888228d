import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import type { Payments } from "../../pay/payments.ts";
import { usePayments } from "./payments.ts";

const MAX_ATTEMPTS = 10;
const RETRY_AFTER_SECONDS = 5;

/** The steps by which a row follows the state at the payment platform. `Facts` is the platform's response. */
export interface FactsSteps<Row extends { readonly version: number }, Facts, Result> {
  readonly find: (db: Db) => Promise<Row | undefined>;
  readonly ask: (payments: Payments, row: Row) => Promise<Facts>;
  /** Returns whether the response differs from the state of the row. */
  readonly isChange: (ctx: TransactionCtx, row: Row, facts: Facts) => boolean;
  /** Stores the response, and increases the version by 1 even if nothing changes. */
  readonly apply: (ctx: TransactionCtx, row: Row, facts: Facts) => Promise<Result>;
}

/**
 * Updates a row to the payment platform's current state. Concurrent calls are safe: if another response was stored during the request, this one may
 * be older, so the platform is asked again. Resolves to undefined for a deleted row. Throws UNAVAILABLE (selling, "The webhook").
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
  throw new AppError("UNAVAILABLE", "This payment is being updated. Try again in a few seconds.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
