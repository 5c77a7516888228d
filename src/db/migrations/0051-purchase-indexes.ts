import type { Migration } from "../migrate.ts";

/** What finds the checkouts that nobody paid, and the buyers of a seller, without reading all purchases. */
export const purchaseIndexes: Migration = {
  name: "0051-purchase-indexes",
  statements: [
    "CREATE INDEX purchases_unpaid ON purchases (expires_at) WHERE status = 'ended' AND paid_at IS NULL",
    "CREATE INDEX purchases_buyers ON purchases (seller_id) WHERE status IN ('open', 'paid')",
  ],
};
