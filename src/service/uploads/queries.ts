import { type RawBuilder, sql } from "kysely";
import { inJson } from "../../db/bulk.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ExpectedPartRow, UploadPartRow, UploadSessionRow } from "../../db/tables/uploads.ts";
import { FIELDS_MADE_UNLISTED, WANTS_PUBLIC_SHARE } from "../shares/pending-settings.ts";

/** Number of rows that one statement inserts: SQLite accepts 32,766 values. */
const ROWS_PER_STATEMENT = 500;

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  await insertSessionQuery.run(db, session);
}

type NewSession = Omit<UploadSessionRow, "staged_ref" | "result" | "completed_at">;

const insertSessionQuery = preparedQuery((db, session: NewSession) =>
  db.insertInto("upload_sessions").values({
    id: session.id,
    session_key: session.session_key,
    kind: session.kind,
    state: session.state,
    file_id: session.file_id,
    quota_owner: session.quota_owner,
    reserved_bytes: session.reserved_bytes,
    size_bytes: session.size_bytes,
    part_size_bytes: session.part_size_bytes,
    total_parts: session.total_parts,
    blob_key: session.blob_key,
    publish_fields: session.publish_fields,
    lease_holder: session.lease_holder,
    last_byte_at: session.last_byte_at,
    created_at: session.created_at,
    uploader_id: session.uploader_id,
    submission_id: session.submission_id,
  }),
);

/** Counts the open upload sessions of a submission to a request. */
export async function countSubmissionSessions(db: Db, submissionId: string): Promise<number> {
  const { open } = await db
    .selectFrom("upload_sessions")
    .select((select) => select.fn.countAll<number>().as("open"))
    .where("submission_id", "=", submissionId)
    .where("kind", "=", "multipart")
    .where("state", "<>", "completed")
    .executeTakeFirstOrThrow();
  return open;
}

/** Finds a session by its ID, the hash of its `uploadId`. */
export async function findSession(db: Db, id: string): Promise<UploadSessionRow | undefined> {
  return await db.selectFrom("upload_sessions").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Finds an upload by its public name. `uploader_disabled_at` is null if the uploader's account is enabled or there is none. */
export async function findSessionByKey(
  db: Db,
  key: string,
): Promise<(UploadSessionRow & { readonly uploader_disabled_at: number | null }) | undefined> {
  return await db
    .selectFrom("upload_sessions")
    .leftJoin("users", "users.id", "upload_sessions.uploader_id")
    .selectAll("upload_sessions")
    .select("users.disabled_at as uploader_disabled_at")
    .where("upload_sessions.session_key", "=", key)
    .executeTakeFirst();
}

/** Records activity, so that the upload does not count as idle. Resolves to whether it is open. */
export async function touchOpenSession(db: Db, { id, nowMs }: { id: string; nowMs: number }): Promise<boolean> {
  const touched = await db
    .updateTable("upload_sessions")
    .set({ last_byte_at: nowMs })
    .where("id", "=", id)
    .where("state", "=", "open")
    .executeTakeFirst();
  return touched.numUpdatedRows === 1n;
}

/** Deletes a session, with the records of its parts. */
export async function deleteSession(db: Db, id: string): Promise<void> {
  await deleteSessionQuery.run(db, { id });
}

const deleteSessionQuery = preparedQuery((db, { id }: { id: string }) => db.deleteFrom("upload_sessions").where("id", "=", id));

/** Makes the unfinished uploads of an account unlisted if they would be public. */
export async function unlistUploads(db: Db, ownerId: string): Promise<void> {
  await db
    .updateTable("upload_sessions")
    .set({ publish_fields: FIELDS_MADE_UNLISTED })
    .where("state", "<>", "completed")
    .where(WANTS_PUBLIC_SHARE)
    .where("file_id", "in", (query) => query.selectFrom("files").select("id").where("owner_id", "=", ownerId))
    .execute();
}

/** Lists the blobs of the uploads that are open or being completed. */
export async function listOpenBlobs(db: Db): Promise<Pick<UploadSessionRow, "blob_key" | "quota_owner" | "last_byte_at">[]> {
  return await db
    .selectFrom("upload_sessions")
    .select(["blob_key", "quota_owner", "last_byte_at"])
    .where("state", "in", ["open", "completing"])
    .execute();
}

/** Lists the recorded parts of an upload, in order. */
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

/** Records an uploaded part; replaces an earlier record of its number. */
export async function savePart(db: Db, part: UploadPartRow): Promise<void> {
  const { size_bytes, sha256, etag, crc32 } = part;
  await db
    .insertInto("upload_parts")
    .values(part)
    .onConflict((conflict) => conflict.columns(["session_id", "part_number"]).doUpdateSet({ size_bytes, sha256, etag, crc32 }))
    .execute();
}

/** Records many parts, as `savePart` does. */
export async function saveParts(db: TransactionDb, parts: readonly UploadPartRow[]): Promise<void> {
  for (let at = 0; at < parts.length; at += ROWS_PER_STATEMENT) {
    await db
      .insertInto("upload_parts")
      .values(parts.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((conflict) =>
        conflict.columns(["session_id", "part_number"]).doUpdateSet((set) => ({
          size_bytes: set.ref("excluded.size_bytes"),
          sha256: set.ref("excluded.sha256"),
          etag: set.ref("excluded.etag"),
          crc32: set.ref("excluded.crc32"),
        })),
      )
      .execute();
  }
}

export interface SessionTransition {
  readonly id: string;
  readonly from: UploadSessionRow["state"];
  /** Requires that this instance holds the session's lease. */
  readonly heldBy?: string;
  readonly to: UploadSessionRow["state"];
  readonly leaseHolder: string | null;
}

/** Changes the state of a session. Resolves to false if it was not in the state `from`. */
export async function changeSessionState(db: Db, { id, from, heldBy, to, leaseHolder }: SessionTransition): Promise<boolean> {
  const result = await db
    .updateTable("upload_sessions")
    .set({ state: to, lease_holder: leaseHolder })
    .where("id", "=", id)
    .where("state", "=", from)
    .$if(heldBy !== undefined, (query) => query.where("lease_holder", "=", heldBy ?? null))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Records the expected size and digest of parts; replaces earlier records of their numbers. */
export async function saveExpectedParts(db: TransactionDb, parts: readonly ExpectedPartRow[]): Promise<void> {
  for (let at = 0; at < parts.length; at += ROWS_PER_STATEMENT) {
    await db
      .insertInto("expected_parts")
      .values(parts.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((conflict) =>
        conflict.columns(["file_id", "part_number"]).doUpdateSet((set) => ({
          size_bytes: set.ref("excluded.size_bytes"),
          start_byte: set.ref("excluded.start_byte"),
          sha256: set.ref("excluded.sha256"),
        })),
      )
      .execute();
  }
}

/**
 * Lists the expected parts of a file, in order; empty if all its bytes passed through a server instance. `fileId` is the ID that its places have in
 * common; one of them has the parts.
 */
export async function listExpectedParts(db: Db, fileId: string): Promise<ExpectedPartRow[]> {
  return await db.selectFrom("expected_parts").selectAll().where("file_id", "in", placesOf(fileId)).orderBy("part_number").execute();
}

export async function hasExpectedParts(db: Db, fileId: string): Promise<boolean> {
  return (await expectedPartQuery.first(db, { fileId })) !== undefined;
}

const expectedPartQuery = preparedQuery((db, { fileId }: { fileId: string }) =>
  db.selectFrom("expected_parts").select("file_id").where("file_id", "=", fileId).limit(1),
);

export async function deleteExpectedParts(db: Db, fileId: string): Promise<void> {
  await db.deleteFrom("expected_parts").where("file_id", "in", placesOf(fileId)).execute();
}

const placesOf = (fileId: string): RawBuilder<string> =>
  sql<string>`(SELECT ${fileId} UNION ALL SELECT id FROM files WHERE origin_id = ${fileId})`;

/** Lists the active files of a share that have one of these paths and one of these digests. */
export async function listStoredFiles(
  db: Db,
  shortId: string,
  files: readonly { readonly relativePath: string; readonly sha256: string }[],
): Promise<readonly FileRow[]> {
  return await db
    .selectFrom("files")
    .selectAll()
    .where("short_id", "=", shortId)
    .where("relative_path", "is not", null)
    .where("relative_path", "in", inJson(files.map(({ relativePath }) => relativePath)))
    .where("sha256", "in", inJson(files.map(({ sha256 }) => sha256)))
    .where("status", "=", "active")
    .where("blob_state", "in", ["stored", "quarantined"])
    .execute();
}
