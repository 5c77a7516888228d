import { createHash } from "node:crypto";
import { join } from "node:path";
import Database from "libsql";

const KEEP_MS = 3 * 24 * 60 * 60 * 1000;
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

export interface ShareRows {
  readonly count: number;
  /** Whose they are; nobody's without it. */
  readonly ownerId?: string;
  /** Three days from now without it. */
  readonly expiresAtMs?: number;
  readonly sizeBytes?: number;
  /** How many others there are already. */
  readonly after?: number;
}

export interface InsertedShare {
  readonly shortId: string;
  readonly blobKey: string;
}

/** Puts checked files, each with a share of its own and without bytes, into the database of a server that does not run. */
export function insertShares(dataDir: string, rows: ShareRows): InsertedShare[] {
  const { count, ownerId = null, sizeBytes = 1024, after = 0 } = rows;
  return withDatabase(dataDir, (db) => {
    const now = Date.now();
    const quotaOwner = ownerId === null ? "ip:127.0.0.1" : `user:${ownerId}`;
    const share = db.prepare("INSERT INTO shares (short_id, kind, owner_id, name, expires_at, created_at) VALUES (?, 'file', ?, ?, ?, ?)");
    const file = db.prepare(
      `INSERT INTO files (id, short_id, owner_id, quota_owner, name, size_bytes, content_type, sha256, blob_key, blob_state, scan_status, scan_coverage, scanned_at, created_at)
       VALUES (?, ?, ?, ?, ?, ?, 'text/plain', ?, ?, 'stored', 'clean', 'whole', ?, ?)`,
    );
    db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN");
    db.prepare(
      "INSERT INTO quotas (owner, used_bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET used_bytes = used_bytes + excluded.used_bytes",
    ).run(quotaOwner, count * sizeBytes);
    const inserted: InsertedShare[] = [];
    for (let n = after; n < after + count; n++) {
      const shortId = toShortId(n);
      const title = `note number ${n}.txt`;
      const digest = createHash("sha256").update(title).digest("hex");
      const blobKey = digest.slice(0, 32);
      share.run(shortId, ownerId, title, rows.expiresAtMs ?? now + KEEP_MS, now - n);
      file.run(
        `${shortId}${shortId.split("").reverse().join("")}`,
        shortId,
        ownerId,
        quotaOwner,
        title,
        sizeBytes,
        digest,
        blobKey,
        now,
        now - n,
      );
      inserted.push({ shortId, blobKey });
    }
    db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    return inserted;
  });
}

/** The id of the one user that a data folder has. */
export function findOwnerId(dataDir: string): string {
  return withDatabase(dataDir, (db) => (db.prepare("SELECT id FROM users").get() as { id: string }).id);
}

/** Opens the database in a data folder for the time of `work`. */
export function withDatabase<T>(dataDir: string, work: (db: InstanceType<typeof Database>) => T): T {
  const db = new Database(join(dataDir, "filehost.db"));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Names in no order, as the server would make them, but the same each time and each once. */
function toShortId(index: number): string {
  const names = 58n ** 8n;
  const stride = 76_891_273_211_887n;
  let rest = ((BigInt(index) + 1n) * stride) % names;
  let name = "";
  for (let digit = 0; digit < 8; digit++) {
    name += BASE58.charAt(Number(rest % 58n));
    rest /= 58n;
  }
  return name;
}
