import type { Migration } from "../migrate.ts";

/**
 * What keeps an old answer of the payment platform from replacing a newer one, and when it is asked again for an open checkout (selling, "The
 * webhook").
 */
export const paymentReadings: Migration = {
  name: "0046-payment-readings",
  statements: [
    "ALTER TABLE purchases ADD COLUMN version INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE sellers ADD COLUMN version INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE subscriptions ADD COLUMN version INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE purchases ADD COLUMN check_at INTEGER NOT NULL DEFAULT 0",
    "UPDATE purchases SET check_at = expires_at",
    "DROP INDEX purchases_open",
    "CREATE INDEX purchases_open ON purchases (check_at) WHERE status = 'open'",
  ],
};
