import { createHash } from "node:crypto";
import { join } from "node:path";
import Database from "libsql";
import { toNameKeys } from "../../src/lib/text/file-name.ts";
import { COPIED } from "../../src/service/files/places.ts";

const KEEP_MS = 3 * 24 * 60 * 60 * 1000;
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

export interface ShareRows {
  readonly count: number;
  /** The number of files of each shipment, outside folders; default: shares of one file. */
  readonly filesEach?: number;
  /** The ID of the owner; default: anonymous. */
  readonly ownerId?: string;
  /** The expiry; default: three days from now. */
  readonly expiresAtMs?: number;
  readonly sizeBytes?: number;
  /** The number of existing rows. */
  readonly after?: number;
}

/** A file of a share. */
export interface InsertedFile {
  readonly id: string;
  readonly shortId: string;
  readonly blobKey: string;
}

/** Inserts shares of scanned files without bytes into the database of a stopped server. */
export function insertShares(dataDir: string, rows: ShareRows): InsertedFile[] {
  const { count, ownerId = null, sizeBytes = 1024, after = 0, filesEach } = rows;
  return withDatabase(dataDir, (db) => {
    const now = Date.now();
    const quotaOwner = ownerId === null ? "ip:127.0.0.1" : `user:${ownerId}`;
    const share = db.prepare("INSERT INTO shares (short_id, kind, owner_id, name, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?)");
    const file = db.prepare(
      `INSERT INTO files (id, short_id, owner_id, quota_owner, name, name_key, name_order, size_bytes, content_type, sha256, blob_key, blob_state, scan_status, scan_coverage, scanned_at, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'text/plain', ?, ?, 'stored', 'clean', 'whole', ?, ?)`,
    );
    db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN");
    db.prepare(
      "INSERT INTO quotas (owner, used_bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET used_bytes = used_bytes + excluded.used_bytes",
    ).run(quotaOwner, count * (filesEach ?? 1) * sizeBytes);
    const inserted: InsertedFile[] = [];
    for (let n = after; n < after + count; n++) {
      const shortId = toShortId(n);
      const title = `note number ${n}.txt`;
      share.run(shortId, filesEach === undefined ? "file" : "shipment", ownerId, title, rows.expiresAtMs ?? now + KEEP_MS, now - n);
      for (let f = 0; f < (filesEach ?? 1); f++) {
        const name = filesEach === undefined ? title : `file number ${f}.txt`;
        const digest = createHash("sha256").update(`${title}${f}`).digest("hex");
        const blobKey = digest.slice(0, 32);
        const { name_key, name_order } = toNameKeys(name);
        const id = shortId + toShortId(f);
        file.run(id, shortId, ownerId, quotaOwner, name, name_key, name_order, sizeBytes, digest, blobKey, now, now - n);
        inserted.push({ id, shortId, blobKey });
      }
    }
    db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    return inserted;
  });
}

/**
 * Adds a second place, in a new share, to three of every ten files that `insertShares` has inserted for an account: 1.3 places each. Returns
 * the new places.
 */
export function insertPlaces(dataDir: string, { count }: Pick<ShareRows, "count">): Omit<InsertedFile, "blobKey">[] {
  return withDatabase(dataDir, (db) => {
    const copied = COPIED.join(", ");
    const share = db.prepare(
      "INSERT INTO shares (short_id, kind, owner_id, name, expires_at, created_at) SELECT ?, kind, owner_id, name, expires_at, created_at FROM shares WHERE short_id = ?",
    );
    const origin = db.prepare("UPDATE files SET origin_id = id WHERE short_id = ?");
    const place = db.prepare(
      `INSERT INTO files (id, short_id, quota_owner, name, is_repeat, placed_at, ${copied})
       SELECT ?, ?, quota_owner, name, 1, created_at + 1, ${copied} FROM files WHERE short_id = ?`,
    );
    db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN");
    const inserted: Omit<InsertedFile, "blobKey">[] = [];
    for (let n = 0; n < count; n++) {
      if (n % 10 >= 3) continue;
      const first = toShortId(n);
      const shortId = toShortId(count + n);
      share.run(shortId, first);
      origin.run(first);
      const id = shortId + toShortId(0);
      place.run(id, shortId, first);
      inserted.push({ id, shortId });
    }
    db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    return inserted;
  });
}

/** Finds the ID of the only user of a data folder. */
export function findOwnerId(dataDir: string): string {
  return withDatabase(dataDir, (db) => (db.prepare("SELECT id FROM users").get() as { id: string }).id);
}

/** Runs `work` with the database of a data folder. */
export function withDatabase<T>(dataDir: string, work: (db: InstanceType<typeof Database>) => T): T {
  const db = new Database(join(dataDir, "filehost.db"));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Makes unique names in random order, like the server, but the same in each run. */
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
