import type { Migration } from "../migrate.ts";

/** Accounts that sell, and what was bought (selling, "Sellers" and "Purchases"). */
export const selling: Migration = {
  name: "0045-selling",
  statements: [
    `CREATE TABLE sellers (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      account TEXT NOT NULL UNIQUE,
      details_submitted INTEGER NOT NULL DEFAULT 0,
      charges_enabled INTEGER NOT NULL DEFAULT 0,
      payouts_enabled INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      checked_at INTEGER NOT NULL
    )`,
    // They outlive their share and their seller, because the money was paid.
    `CREATE TABLE purchases (
      id TEXT PRIMARY KEY,
      session_id TEXT UNIQUE,
      short_id TEXT NOT NULL,
      seller_id TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'ended', 'refunded', 'disputed')),
      amount_cents INTEGER NOT NULL CHECK (amount_cents >= 100),
      fee_cents INTEGER NOT NULL CHECK (fee_cents BETWEEN 0 AND amount_cents),
      payment_id TEXT UNIQUE,
      token_hash TEXT UNIQUE,
      language TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      paid_at INTEGER,
      ended_at INTEGER
    )`,
    "CREATE INDEX purchases_short_id ON purchases (short_id, status)",
    "CREATE INDEX purchases_seller ON purchases (seller_id, paid_at) WHERE paid_at IS NOT NULL",
    "CREATE INDEX purchases_open ON purchases (expires_at) WHERE status = 'open'",
    // The files of limited shares for which a purchase has used its download.
    `CREATE TABLE purchase_downloads (
      purchase_id TEXT NOT NULL REFERENCES purchases (id) ON DELETE CASCADE,
      file_id TEXT NOT NULL,
      PRIMARY KEY (purchase_id, file_id)
    ) WITHOUT ROWID`,
    // Accounts that pay for Pro.
    `CREATE TABLE subscriptions (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      customer TEXT NOT NULL UNIQUE,
      subscription_id TEXT UNIQUE,
      plan TEXT,
      state TEXT CHECK (state IN ('active', 'late', 'ended')),
      period_ends_at INTEGER,
      ends_then INTEGER NOT NULL DEFAULT 0,
      checked_at INTEGER NOT NULL
    )`,
    "CREATE INDEX subscriptions_due ON subscriptions (period_ends_at) WHERE state IN ('active', 'late')",
  ],
};
