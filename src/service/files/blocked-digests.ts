import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";

const blockedQuery = preparedQuery((db, { sha256 }: { sha256: string }) =>
  db.selectFrom("blocked_digests").select("sha256").where("sha256", "=", sha256),
);
const anyQuery = preparedQuery((db, _: object) =>
  db.selectFrom("blocked_digests").select("sha256 as block").unionAll(db.selectFrom("awaited_blocks").select("file_id as block")).limit(1),
);

/** Whether no file may have this digest. Ask in the transaction that would make the file available (scanning, "The blocklist"). */
export const isDigestBlocked = async (db: Db, sha256: string): Promise<boolean> => (await blockedQuery.first(db, { sha256 })) !== undefined;

/** Whether the blocklist may apply to a file: its digest is blocked or, while its digest is unknown (null), any digest is blocked or waits to be. */
export const mayBeBlocked = async (db: Db, sha256: string | null): Promise<boolean> =>
  sha256 === null ? (await anyQuery.first(db, {})) !== undefined : await isDigestBlocked(db, sha256);
