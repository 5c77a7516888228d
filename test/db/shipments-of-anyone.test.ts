import assert from "node:assert/strict";
import { sql } from "kysely";
import { initialSchema } from "../../src/db/migrations/0001-schema.ts";
import { testEach } from "./engines.ts";

/** identifiers, "Secrets"; storage, "The database". */
testEach("an upgrade moves the tokens of files to their shares, and names the uploaders of sessions", async (_, location) => {
  {
    await using former = await location.open({ migrations: [initialSchema] });
    const { db } = former;
    const insert = async (id: string, kind: string, owner: string | null, token: string | null): Promise<void> => {
      await sql`INSERT INTO shares (short_id, kind, owner_id, name, created_at) VALUES (${id}, ${kind}, ${owner}, 'n', 1)`.execute(db);
      await sql`INSERT INTO files (id, short_id, owner_id, quota_owner, name, size_bytes, content_type, blob_key, blob_state, scan_status, claim_hash,
        deletion_hash, created_at) VALUES (${`file-${id}`}, ${id}, ${owner}, 'q', 'n', 1, 't', ${id}, 'stored', 'clean', ${token},
        ${token && `del-${token}`}, 1)`.execute(db);
      await sql`INSERT INTO upload_sessions (id, session_key, kind, state, file_id, quota_owner, reserved_bytes, blob_key, last_byte_at, created_at)
        VALUES (${id}, ${id}, 'multipart', 'open', ${`file-${id}`}, 'q', 0, ${id}, 1, 1)`.execute(db);
    };
    await sql`INSERT INTO users (id, name, email, created_at, updated_at) VALUES ('u', 'n', 'e', 1, 1)`.execute(db);
    await insert("anonymous", "file", null, "a");
    await insert("claimed", "file", "u", "c");
    await insert("owned", "file", "u", null);
    await insert("shipment", "shipment", "u", null);
  }
  await using upgraded = await location.open();
  const shares = await upgraded.db.selectFrom("shares").select(["short_id", "claim_hash", "deletion_hash"]).orderBy("short_id").execute();
  assert.deepEqual(
    shares.map(({ short_id, claim_hash, deletion_hash }) => [short_id, claim_hash, deletion_hash]),
    [
      ["anonymous", "a", "del-a"],
      ["claimed", "c", "del-c"],
      ["owned", null, null],
      ["shipment", null, null],
    ],
  );
  const sessions = await upgraded.db.selectFrom("upload_sessions").select(["id", "uploader_id"]).orderBy("id").execute();
  assert.deepEqual(
    sessions.map(({ uploader_id }) => uploader_id),
    [null, "u", "u", "u"],
  );
});
