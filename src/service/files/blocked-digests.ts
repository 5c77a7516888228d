import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";

const blockedQuery = preparedQuery((db, { sha256 }: { sha256: string }) =>
  db.selectFrom("blocked_digests").select("sha256").where("sha256", "=", sha256),
);
const anyQuery = preparedQuery((db, _: object) =>
  db.selectFrom("blocked_digests").select("sha256 as block").unionAll(db.selectFrom("awaited_blocks").select("file_id as block")).limit(1),
);

/** Returns whether the blocklist contains a digest. Call it in the transaction that makes the file available (scanning, "The blocklist"). */
export const isDigestBlocked = async (db: Db, sha256: string): Promise<boolean> => (await blockedQuery.first(db, { sha256 })) !== undefined;

/** Returns whether a file's digest is blocked or, for an unknown digest, whether any digest is blocked or waits to be. */
export const mayBeBlocked = async (db: Db, sha256: string | null): Promise<boolean> =>
  sha256 === null ? (await anyQuery.first(db, {})) !== undefined : await isDigestBlocked(db, sha256);

/** `mayBeBlocked` in SQL, for a row of `files`: 1 or 0. */
export const MAY_BE_BLOCKED: RawBuilder<number> = sql`CASE WHEN files.sha256 IS NULL
  THEN EXISTS (SELECT 1 FROM blocked_digests) OR EXISTS (SELECT 1 FROM awaited_blocks)
  ELSE EXISTS (SELECT 1 FROM blocked_digests WHERE blocked_digests.sha256 = files.sha256) END`;
