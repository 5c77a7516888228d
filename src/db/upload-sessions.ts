import type { Db } from "./database.ts";
import type { NewUploadSession, UploadPartRow, UploadSessionRow } from "./tables/uploads.ts";

/** How many rows go into one statement: SQLite takes 32,766 values. */
const ROWS = 500;

export async function insertSession(db: Db, session: NewUploadSession): Promise<void> {
  await db.insertInto("upload_sessions").values(session).execute();
}

export async function findSession(db: Db, id: string): Promise<UploadSessionRow | undefined> {
  return await db.selectFrom("upload_sessions").selectAll().where("id", "=", id).executeTakeFirst();
}

/** An upload by its public name, and since when the account of its owner is disabled: null where it is not, and where there is no owner. */
export async function findSessionByKey(
  db: Db,
  key: string,
): Promise<(UploadSessionRow & { readonly owner_disabled_at: number | null }) | undefined> {
  return await db
    .selectFrom("upload_sessions")
    .leftJoin("files", "files.id", "upload_sessions.file_id")
    .leftJoin("users", "users.id", "files.owner_id")
    .selectAll("upload_sessions")
    .select("users.disabled_at as owner_disabled_at")
    .where("upload_sessions.key", "=", key)
    .executeTakeFirst();
}

/** Marks an upload as gone on with, and so not idle. Resolves to whether it is still open. */
export async function touchOpenSession(db: Db, { id, nowMs }: { id: string; nowMs: number }): Promise<boolean> {
  const touched = await db
    .updateTable("upload_sessions")
    .set({ last_byte_at: nowMs })
    .where("id", "=", id)
    .where("state", "=", "open")
    .executeTakeFirst();
  return touched.numUpdatedRows === 1n;
}

export async function countOpenSessions(db: Db, quotaOwner: string): Promise<number> {
  const row = await db
    .selectFrom("upload_sessions")
    .select((select) => select.fn.countAll<number>().as("open"))
    .where("quota_owner", "=", quotaOwner)
    .where("kind", "=", "multipart")
    .where("state", "<>", "completed")
    .executeTakeFirstOrThrow();
  return row.open;
}

/** Of every upload that can still be continued or is being completed: its blob, whose storage it uses, and when its last byte came. */
export async function listOpenBlobs(db: Db): Promise<Pick<UploadSessionRow, "blob_key" | "quota_owner" | "last_byte_at">[]> {
  return await db
    .selectFrom("upload_sessions")
    .select(["blob_key", "quota_owner", "last_byte_at"])
    .where("state", "in", ["open", "completing"])
    .execute();
}

/** What has arrived, in order. */
export async function listParts(db: Db, sessionId: string): Promise<UploadPartRow[]> {
  return await db.selectFrom("upload_parts").selectAll().where("session_id", "=", sessionId).orderBy("part_number").execute();
}

export async function findPart(db: Db, sessionId: string, partNumber: number): Promise<UploadPartRow | undefined> {
  return await db
    .selectFrom("upload_parts")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("part_number", "=", partNumber)
    .executeTakeFirst();
}

/** Records that a part has arrived, in place of an earlier one of its number. */
export async function savePart(db: Db, part: UploadPartRow): Promise<void> {
  const { size_bytes, sha256, etag } = part;
  await db
    .insertInto("upload_parts")
    .values(part)
    .onConflict((conflict) => conflict.columns(["session_id", "part_number"]).doUpdateSet({ size_bytes, sha256, etag }))
    .execute();
}

/** Many at once, each in place of an earlier one of its number. */
export async function saveParts(db: Db, parts: readonly UploadPartRow[]): Promise<void> {
  for (let at = 0; at < parts.length; at += ROWS) {
    await db
      .insertInto("upload_parts")
      .values(parts.slice(at, at + ROWS))
      .onConflict((conflict) =>
        conflict.columns(["session_id", "part_number"]).doUpdateSet((set) => ({
          size_bytes: set.ref("excluded.size_bytes"),
          sha256: set.ref("excluded.sha256"),
          etag: set.ref("excluded.etag"),
        })),
      )
      .execute();
  }
}

export interface SessionMove {
  readonly id: string;
  readonly from: UploadSessionRow["state"];
  /** Only where this process has it. */
  readonly heldBy?: string;
  readonly to: UploadSessionRow["state"];
  readonly holder: string | null;
}

/** Moves a session from one state to another; false where it was not in `from`. */
export async function moveSession(db: Db, { id, from, heldBy, to, holder }: SessionMove): Promise<boolean> {
  const result = await db
    .updateTable("upload_sessions")
    .set({ state: to, holder })
    .where("id", "=", id)
    .where("state", "=", from)
    .$if(heldBy !== undefined, (query) => query.where("holder", "=", heldBy ?? null))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
