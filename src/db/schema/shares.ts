/** Shares (model, "File and share"). A share has the tokens that claim it, delete it and add files to it (sharing, "Shipments"). */
export const shares: readonly string[] = [
  `CREATE TABLE shares (
      short_id TEXT PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('file', 'shipment')),
      owner_id TEXT REFERENCES users (id),
      name TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'expired', 'deleted', 'dmca_removed')),
      visibility TEXT NOT NULL DEFAULT 'unlisted' CHECK (visibility IN ('unlisted', 'public')),
      direct INTEGER NOT NULL DEFAULT 0,
      retention TEXT NOT NULL DEFAULT 'ttl' CHECK (retention IN ('ttl', 'forever')),
      expires_at INTEGER,
      is_expiry_chosen INTEGER NOT NULL DEFAULT 0,
      ends_with_pro INTEGER NOT NULL DEFAULT 0,
      expires_at_before_cut INTEGER,
      once INTEGER NOT NULL DEFAULT 0,
      max_downloads INTEGER,
      unlock_hash TEXT,
      handoff_hash TEXT UNIQUE,
      handoff_message TEXT,
      credentials_version INTEGER NOT NULL DEFAULT 0,
      price_cents INTEGER,
      redirect_to TEXT,
      created_at INTEGER NOT NULL,
      title TEXT,
      message TEXT,
      claim_hash TEXT,
      deletion_hash TEXT,
      share_token_hash TEXT,
      share_token_expires_at INTEGER,
      ended_at INTEGER,
      is_private INTEGER NOT NULL DEFAULT 0,
      notify INTEGER,
      expiry_noticed_for INTEGER,
      price_thumbnails INTEGER NOT NULL DEFAULT 0
    )`,
  "CREATE INDEX shares_expiry ON shares (expires_at) WHERE status = 'active' AND expires_at IS NOT NULL",
  "CREATE INDEX shares_owner ON shares (owner_id, expires_at) WHERE owner_id IS NOT NULL",
  "CREATE INDEX shares_ending_with_pro ON shares (owner_id, expires_at) WHERE ends_with_pro = 1 AND status = 'active'",
  "CREATE INDEX shares_redirect ON shares (redirect_to) WHERE redirect_to IS NOT NULL",
  "CREATE INDEX shares_ended ON shares (ended_at) WHERE ended_at IS NOT NULL",
  // The lists of an account's shares (listing, "Shares"), with the conditions of `src/service/shares/share-list-queries.ts`.
  `CREATE INDEX shares_newest ON shares (owner_id, created_at DESC, short_id DESC)
      WHERE owner_id IS NOT NULL AND status = 'active' AND redirect_to IS NULL`,
  `CREATE INDEX shares_last_ended ON shares (owner_id, ended_at DESC, short_id DESC)
      WHERE owner_id IS NOT NULL AND status IN ('expired', 'dmca_removed') AND redirect_to IS NULL`,
  `CREATE INDEX shares_public ON shares (owner_id, created_at DESC, short_id DESC)
      WHERE visibility = 'public' AND status = 'active' AND redirect_to IS NULL`,
  `CREATE INDEX shares_expiring ON shares (expires_at)
      WHERE status = 'active' AND owner_id IS NOT NULL AND expires_at IS NOT NULL AND expiry_noticed_for IS NOT expires_at`,
];
