import type { Ctx, TransactionCtx } from "../../context.ts";
import type { SellingFee } from "../../contract/selling-fee.ts";
import type { Db } from "../../db/database.ts";
import type { SellerRow } from "../../db/tables/selling.ts";
import { AppError } from "../../errors.ts";
import type { SellerFacts } from "../../pay/payments.ts";
import { applyFacts } from "./apply-facts.ts";

export async function findSeller(db: Db, userId: string): Promise<SellerRow | undefined> {
  return await db.selectFrom("sellers").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** Returns whether an account can set prices and receive payments. */
export const isReadyToSell = (seller: SellerRow | undefined): seller is SellerRow =>
  seller?.details_submitted === 1 && seller.charges_enabled === 1;

interface NewSeller {
  readonly userId: string;
  /** ID of the seller's account at the payment platform. */
  readonly account: string;
  /** The account that `account` replaces, because the platform no longer knows it. */
  readonly lost: string | undefined;
}

/** Stores a seller. Resolves to the stored row, which may come from a concurrent call. */
export async function addSeller(ctx: TransactionCtx, { userId, account, lost }: NewSeller): Promise<SellerRow> {
  const nowMs = ctx.now();
  if (lost !== undefined) await ctx.db.updateTable("sellers").set({ account }).where("account", "=", lost).execute();
  await ctx.db
    .insertInto("sellers")
    .values({ user_id: userId, account, created_at: nowMs, checked_at: nowMs })
    .onConflict((conflict) => conflict.column("user_id").doNothing())
    .execute();
  return await ctx.db.selectFrom("sellers").selectAll().where("user_id", "=", userId).executeTakeFirstOrThrow();
}

/** A seller, and whether the payment platform still knows its account. */
export type ReadSeller = SellerRow & Pick<SellerFacts, "isKnown">;

/**
 * Updates a seller to the current state of its account at the payment platform. Resolves to undefined for an account of another server. Throws
 * UNAVAILABLE.
 */
export const refreshSeller = (ctx: Ctx, { account }: Pick<SellerRow, "account">): Promise<ReadSeller | undefined> =>
  applyFacts(ctx, {
    find: (db) => db.selectFrom("sellers").selectAll().where("account", "=", account).executeTakeFirst(),
    ask: (payments) => payments.readSeller(account),
    isChange: (_, seller, facts) => Object.entries(toColumns(facts)).some(([name, value]) => seller[name as keyof SellerRow] !== value),
    apply: async (ctx, { version }, facts) => ({
      ...(await ctx.db
        .updateTable("sellers")
        .set({ ...toColumns(facts), checked_at: ctx.now(), version: version + 1 })
        .where("account", "=", account)
        .returningAll()
        .executeTakeFirstOrThrow()),
      isKnown: facts.isKnown,
    }),
  });

const toColumns = ({ detailsSubmitted, chargesEnabled, payoutsEnabled }: SellerFacts) => ({
  details_submitted: Number(detailsSubmitted),
  charges_enabled: Number(chargesEnabled),
  payouts_enabled: Number(payoutsEnabled),
});

/** Finds the operator's fee for the sales of an account that can sell; undefined for others. */
export async function findFee({ db, config }: Pick<Ctx, "db" | "config">, userId: string | undefined): Promise<SellingFee | undefined> {
  if (!config.payments || userId === undefined) return undefined;
  return isReadyToSell(await findSeller(db, userId)) ? config.payments.fee : undefined;
}

/** Throws SELLER_NOT_READY unless an account can set a price; `userId` is null for an anonymous caller. */
export async function checkReadyToSell(ctx: Pick<Ctx, "db" | "config">, userId: string | null): Promise<void> {
  if (!ctx.config.payments)
    throw new AppError("SELLER_NOT_READY", "This server does not sell files. Omit priceCents, or send 0 to clear a price.");
  if (userId !== null && isReadyToSell(await findSeller(ctx.db, userId))) return;
  throw new AppError("SELLER_NOT_READY", "Set up your seller account first: on the page Settings, Selling, or with POST /connect.");
}
