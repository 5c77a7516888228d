/**
 * The tables of accounts that sell, of purchases, and of accounts that pay for Pro (selling). A `version` prevents an old response of the payment
 * platform from replacing a newer one.
 */
export const selling: readonly string[] = [
  `CREATE TABLE sellers (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      account TEXT NOT NULL UNIQUE,
      details_submitted INTEGER NOT NULL DEFAULT 0,
      charges_enabled INTEGER NOT NULL DEFAULT 0,
      payouts_enabled INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      checked_at INTEGER NOT NULL,
      version INTEGER NOT NULL DEFAULT 0
    )`,
  // They outlive their share and their seller, because the money was paid. The ID of a checkout gives the right to what was bought:
  // `session_hash` is its keyed hash, `session` its encrypted form. A row with only the first has the ID itself, as earlier commits stored
  // it, until a start converts it (`encryptStoredCheckoutIds`).
  `CREATE TABLE purchases (
      id TEXT PRIMARY KEY,
      session_hash TEXT UNIQUE,
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
      ended_at INTEGER,
      version INTEGER NOT NULL DEFAULT 0,
      check_at INTEGER NOT NULL DEFAULT 0,
      session TEXT
    )`,
  "CREATE INDEX purchases_short_id ON purchases (short_id, status)",
  "CREATE INDEX purchases_seller ON purchases (seller_id, paid_at) WHERE paid_at IS NOT NULL",
  "CREATE INDEX purchases_open ON purchases (check_at) WHERE status = 'open'",
  // These two indexes find unpaid checkouts, and the buyers of a seller, without reading all purchases.
  "CREATE INDEX purchases_unpaid ON purchases (expires_at) WHERE status = 'ended' AND paid_at IS NULL",
  "CREATE INDEX purchases_buyers ON purchases (seller_id) WHERE status IN ('open', 'paid')",
  "CREATE INDEX purchases_clear_session ON purchases (id) WHERE session IS NULL AND session_hash IS NOT NULL",
  // The files of limited shares for which a purchase has used its download, with the download grant, so that it can be signed again.
  `CREATE TABLE purchase_downloads (
      purchase_id TEXT NOT NULL REFERENCES purchases (id) ON DELETE CASCADE,
      file_id TEXT NOT NULL,
      grant_id TEXT,
      ends_at INTEGER,
      PRIMARY KEY (purchase_id, file_id)
    ) WITHOUT ROWID`,
  // The index finds buyers who have not completed the download of a file.
  "CREATE INDEX purchase_downloads_file ON purchase_downloads (file_id)",
  "CREATE INDEX purchase_downloads_ends ON purchase_downloads (ends_at) WHERE ends_at IS NOT NULL",
  // Accounts that pay for Pro. `awaited_until`: until when a checkout may be paid, so that its payment is noticed without a report
  // (selling, "Pro").
  `CREATE TABLE subscriptions (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      customer TEXT NOT NULL UNIQUE,
      subscription_id TEXT UNIQUE,
      plan TEXT,
      state TEXT CHECK (state IN ('active', 'late', 'ended')),
      period_ends_at INTEGER,
      ends_then INTEGER NOT NULL DEFAULT 0,
      checked_at INTEGER NOT NULL,
      version INTEGER NOT NULL DEFAULT 0,
      awaited_until INTEGER
    )`,
  "CREATE INDEX subscriptions_due ON subscriptions (period_ends_at) WHERE state IN ('active', 'late')",
  "CREATE INDEX subscriptions_awaited ON subscriptions (awaited_until) WHERE awaited_until IS NOT NULL",
];
