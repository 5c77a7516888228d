import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { AppError, invalidField, notFound } from "../../errors.ts";
import { isStillActive } from "../effective-status.ts";
import { hasExpired } from "../shares/queries.ts";
import { checkOwnFolders } from "./folder-queries.ts";
import { LISTED, LISTED_PLACE } from "./listing-queries.ts";
import { shownPlaceId } from "./open-place.ts";
import { onePlaceEach } from "./places.ts";

/** Maximum number of files of one choice: the size of the largest shipment. */
const MAX_CHOSEN = 10_000;
/** Maximum number of characters of a path, as for `relativePath`. */
const MAX_PATH = 1024;

export interface FileChoice {
  readonly fileIds?: readonly string[] | undefined;
  readonly folderIds?: readonly string[] | undefined;
}

export interface ChosenFiles {
  /**
   * The ID of one place of each chosen file → its path, which begins with the name of the chosen folder; null for a file that was chosen directly.
   * The first are those that were chosen directly, in the order of their IDs.
   */
  readonly files: ReadonlyMap<string, string | null>;
  /** The other places that were chosen directly, of the same files. */
  readonly repeats: readonly string[];
}

/**
 * Lists the active files of a choice, each once (folders, "Choosing files"). Throws NOT_FOUND for a file or folder that is not the owner's, or if
 * there is no file, and VALIDATION_FAILED for too many.
 */
export async function listChosenFiles(
  { db, now }: Pick<Ctx | TransactionCtx, "db" | "now">,
  ownerId: string,
  { fileIds = [], folderIds = [] }: FileChoice,
): Promise<ChosenFiles> {
  await checkOwnFolders(db, ownerId, folderIds);
  const ids = [...new Set(fileIds)];
  const named = await db
    .selectFrom("files")
    .select(["id", "origin_id"])
    .where("id", "in", inJson(ids))
    .where("owner_id", "=", ownerId)
    .where(isStillActive)
    .where(LISTED_PLACE)
    // The cleanup ends a file some time after its share has expired.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom("shares").select("shares.short_id").whereRef("shares.short_id", "=", "files.short_id").where(hasExpired(now()))),
      ),
    )
    .execute();
  if (named.length < ids.length) throw notFound("file", "List your files to find its ID.", "in your account");
  const inside = folderIds.length === 0 ? [] : await listInside(db, { ownerId, folderIds, nowMs: now() });
  if (inside.some(({ path }) => path === null))
    throw invalidField("folderIds", "These folders have files whose paths are longer than 1,024 characters. Choose folders inside them.");
  const order = new Map(ids.map((id, index) => [id, index]));
  const direct = onePlaceEach(named.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0)));
  const places = [...direct.map((file) => ({ ...file, path: null })), ...withLongestPath(inside)];
  const files = new Map(onePlaceEach(places).map(({ id, path }) => [id, path]));
  if (files.size > MAX_CHOSEN) throw invalidField("folderIds", "These folders have more than 10,000 files. Choose fewer of them.");
  if (files.size === 0) throw new AppError("NOT_FOUND", "These folders have no files. Choose a folder that has some.");
  return { files, repeats: ids.filter((id) => !files.has(id)) };
}

/** Keeps each file of folders once, with the path from the outermost of its chosen folders. */
function withLongestPath(inside: readonly PlaceInFolder[]): readonly PlaceInFolder[] {
  const longest = new Map<string, PlaceInFolder>();
  for (const place of inside) {
    const { path } = longest.get(place.id) ?? {};
    if (!path || (place.path ?? "").length > path.length) longest.set(place.id, place);
  }
  return [...longest.values()];
}

type PlaceInFolder = Pick<FileRow, "id" | "origin_id"> & { readonly path: string | null };

interface FolderChoice {
  readonly ownerId: string;
  readonly folderIds: readonly string[];
  readonly nowMs: number;
}

/**
 * Lists the files in folders, at every depth, by their oldest place whose share has not expired; a path is null if it is too long. A slash in a
 * folder's name does not begin another folder.
 */
async function listInside(db: Db, { ownerId, folderIds, nowMs }: FolderChoice): Promise<readonly PlaceInFolder[]> {
  const { rows } = await sql<PlaceInFolder>`
    WITH RECURSIVE inside (id, path) AS (
      SELECT id, replace(name, '/', '_') FROM folders WHERE owner_id = ${ownerId} AND id IN ${inJson(folderIds)}
      UNION ALL
      SELECT folders.id, inside.path || '/' || replace(folders.name, '/', '_') FROM folders JOIN inside ON folders.parent_id = inside.id
    )
    SELECT * FROM (SELECT ${shownPlaceId(nowMs)} AS id, files.origin_id, CASE WHEN length(inside.path) + length(coalesce(files.owner_name, files.name)) < ${MAX_PATH}
      THEN inside.path || '/' || coalesce(files.owner_name, files.name) END AS path
    FROM inside CROSS JOIN files
    WHERE files.owner_id = ${ownerId} AND files.folder_id = inside.id AND ${isStillActive} AND ${LISTED})
    WHERE id IS NOT NULL ORDER BY path, id LIMIT ${MAX_CHOSEN + 1}`.execute(db);
  return rows;
}
