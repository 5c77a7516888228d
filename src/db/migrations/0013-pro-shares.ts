import type { Migration } from "../migrate.ts";

const NOW_MS = `CAST(strftime('%s', 'now') AS INTEGER) * 1000`;
const GRACE_MS = 86_400_000;

/** When the owner's Pro rules end, the grace included; NULL for an account that never had Pro, or has it without an end. */
const RULES_END = `(SELECT pro_until + CASE tier WHEN 'pro' THEN ${GRACE_MS} ELSE 0 END FROM users WHERE users.id = shares.owner_id)`;

/**
 * Marks the shares that end with the Pro of their owner, and has a place for the chosen expiry of one that Pro's end cuts short. A share
 * that outlived Pro before there was this rule expires a day after the upgrade.
 */
export const proShares: Migration = {
  name: "0013-pro-shares",
  statements: [
    `ALTER TABLE shares ADD COLUMN ends_with_pro INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE shares ADD COLUMN chosen_expires_at INTEGER`,
    `UPDATE shares SET ends_with_pro = 1
      WHERE status = 'active' AND owner_id IS NOT NULL
        AND EXISTS (SELECT 1 FROM files WHERE files.short_id = shares.short_id AND files.blob_state <> 'uploading')
        AND (expires_at IS NULL
          OR EXISTS (SELECT 1 FROM users WHERE users.id = shares.owner_id AND tier = 'pro' AND pro_until IS NULL)
          OR shares.created_at < ${RULES_END})`,
    `UPDATE shares SET ends_with_pro = 0, expires_at = ${NOW_MS} + ${GRACE_MS}
      WHERE ends_with_pro = 1 AND expires_at > ${NOW_MS} + ${GRACE_MS}
        AND EXISTS (SELECT 1 FROM users WHERE users.id = shares.owner_id AND pro_until + ${GRACE_MS} <= ${NOW_MS})`,
    `UPDATE shares SET ends_with_pro = 0
      WHERE ends_with_pro = 1 AND expires_at IS NOT NULL
        AND EXISTS (SELECT 1 FROM users WHERE users.id = shares.owner_id AND pro_until + ${GRACE_MS} <= ${NOW_MS})`,
    `CREATE INDEX shares_ending_with_pro ON shares (owner_id, expires_at) WHERE ends_with_pro = 1 AND status = 'active'`,
  ],
};
