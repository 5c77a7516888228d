import { type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser } from "../accounts/actor.ts";
import type { Output } from "../contract.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";

type Sale = Output<"listSales">["data"][number];

/** `GET /purchases/sales`: lists one page of the account's sales, newest first (selling, "Sales"). */
export const listSales: Operation<"listSales"> = async (ctx, { actor }, { shortId, limit: requested, cursor }) => {
  const { userId } = requireUser(actor);
  const limit = clampLimit(requested, { defaultLimit: 50, maxLimit: 200 });
  const rows = await listSaleRows(ctx.db, { sellerId: userId, shortId, before: parseCursor(cursor), limit: limit + 1 });
  const sales = rows.slice(0, limit);
  const last = sales.at(-1);
  return {
    success: true,
    data: sales.map(toSale),
    nextCursor: last && rows.length > limit ? `${last.paid_at}_${last.id}` : null,
  };
};

interface Position {
  readonly paidAtMs: number;
  readonly id: string;
}

/** Parses a cursor whose form the contract has checked. */
function parseCursor(cursor: string | undefined): Position | undefined {
  const [paidAt, id] = cursor?.split("_") ?? [];
  return paidAt === undefined || id === undefined ? undefined : { paidAtMs: Number(paidAt), id };
}

interface SaleQuery {
  readonly sellerId: string;
  readonly shortId: string | undefined;
  readonly before: Position | undefined;
  readonly limit: number;
}

const listSaleRows = async (db: Db, { sellerId, shortId, before, limit }: SaleQuery) =>
  await db
    .selectFrom("purchases")
    .leftJoin("shares", (join) => join.onRef("shares.short_id", "=", "purchases.short_id").on("shares.status", "!=", "deleted"))
    .select(["purchases.id", "purchases.short_id", "purchases.status", "purchases.amount_cents", "purchases.fee_cents"])
    .select((select) => [
      select.ref("purchases.paid_at").$notNull().as("paid_at"),
      select.fn.coalesce("shares.title", "shares.name").as("title"),
    ])
    .where("purchases.seller_id", "=", sellerId)
    .where("purchases.paid_at", "is not", null)
    .$if(shortId !== undefined, (query) => query.where("purchases.short_id", "=", shortId ?? ""))
    .$if(before !== undefined, (query) =>
      query.where(sql<SqlBool>`(purchases.paid_at, purchases.id) < (${before?.paidAtMs}, ${before?.id})`),
    )
    .orderBy("purchases.paid_at", "desc")
    .orderBy("purchases.id", "desc")
    .limit(limit)
    .execute();

type SaleRow = Awaited<ReturnType<typeof listSaleRows>>[number];

function toSale({ id, short_id, title, paid_at, status, amount_cents, fee_cents }: SaleRow): Sale {
  const state = status === "refunded" || status === "disputed" ? status : "paid";
  return {
    id,
    shortId: short_id,
    title: title === "" ? null : title,
    paidAt: toIso(paid_at),
    state,
    priceCents: amount_cents,
    feeCents: fee_cents,
    sellerCents: state === "paid" ? amount_cents - fee_cents : 0,
  };
}
