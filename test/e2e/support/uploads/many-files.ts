import { sql } from "kysely";
import type { Db } from "../../../../src/db/database.ts";

/** Inserts files without bytes. */
export async function insertFiles(db: Db, ownerId: string, count: number): Promise<void> {
  const prefix = ownerId.slice(-4);
  const numbers = sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  await sql`${numbers} INSERT INTO shares (short_id, kind, owner_id, name, created_at)
    SELECT ${prefix} || i, 'file', ${ownerId}, 'x', i FROM n`.execute(db);
  await sql`${numbers} INSERT INTO files (id, short_id, owner_id, quota_owner, name, name_key, name_order, size_bytes, content_type, blob_key,
      blob_state, scan_status, created_at)
    SELECT ${prefix} || i, ${prefix} || i, ${ownerId}, ${ownerId}, 'file ' || i || '.txt', 'file ' || i || '.txt', 'file ' || length(i) || i || '.txt', i,
      'text/plain', ${prefix} || i, 'stored', 'clean', i FROM n`.execute(db);
}
