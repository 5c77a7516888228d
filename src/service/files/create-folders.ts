import { insertMany } from "../../db/bulk.ts";
import type { FolderRow } from "../../db/tables/folders.ts";
import { invalidField } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { requireUser } from "../accounts/actor.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { countLevelsAbove } from "./folder-queries.ts";
import { checkFolder, MAX_FOLDERS, MAX_LEVELS, MAX_NAME, toFolderName, tooDeep, tooManyFolders } from "./folders.ts";

/**
 * `POST /folders/paths`: creates the missing folders of paths, all or none (folders, "Creating the folders of paths"). Throws VALIDATION_FAILED for a
 * name that no folder can have, FOLDER_TOO_DEEP and TOO_MANY_FOLDERS.
 */
export const createFolders: Operation<"createFolders"> = async (ctx, call, { paths, parentId = null }) => {
  const ownerId = requireUser(call.actor).userId;
  const nowMs = ctx.now();
  const wanted = paths.map((path) => ({ path, names: readNames(path) }));
  return await commitResponse(ctx, call, async (ctx) => {
    if (parentId !== null) await checkFolder(ctx, parentId, ownerId);
    const levels = parentId === null ? 0 : await countLevelsAbove(ctx.db, parentId);
    const rows = await ctx.db
      .selectFrom("folders")
      .select(["id", "name", "parent_id"])
      .where("owner_id", "=", ownerId)
      .orderBy("id")
      .execute();
    const known = new Map<string, string>();
    // The oldest of several folders with the same name is used.
    for (const { id, name, parent_id } of rows.toReversed()) known.set(keyOf(parent_id, name), id);
    const created = new Map<string, FolderRow>();
    const folders = wanted.map(({ path, names }) => {
      if (levels + names.length > MAX_LEVELS) throw tooDeep();
      let id = parentId;
      for (const name of names) {
        const key = keyOf(id, name);
        const folderId = known.get(key) ?? newUuid(ctx.random, nowMs);
        if (!known.has(key))
          created.set(folderId, { id: folderId, owner_id: ownerId, parent_id: id, name, created_at: nowMs, updated_at: nowMs });
        known.set(key, folderId);
        id = folderId;
      }
      return { path, id: id ?? "", isNew: created.has(id ?? "") };
    });
    if (rows.length + created.size > MAX_FOLDERS) throw tooManyFolders();
    await insertMany(ctx.db, "folders", [...created.values()]);
    return { folders };
  });
};

const keyOf = (parentId: string | null, name: string): string => `${parentId ?? ""}/${name}`;

/** Returns the names in a path, which has at least one. */
function readNames(path: string): readonly string[] {
  const names = path.split("/").filter((name) => name.trim() !== "");
  if (names.length === 0) throw invalidField("paths", "A path has names of folders with / between them, such as Reports/2026.");
  return names.map((name) => {
    if (name.length > MAX_NAME) throw invalidField("paths", "A folder's name has at most 200 characters. Shorten it.");
    return toFolderName(name);
  });
}
