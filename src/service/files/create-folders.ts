import { invalidField } from "../../errors.ts";
import { requireUser } from "../accounts/actor.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { countLevelsAbove } from "./folder-queries.ts";
import { createFolderTree } from "./folder-tree.ts";
import { checkFolder, MAX_LEVELS, MAX_NAME, toFolderName, tooDeep, tooManyFolders } from "./folders.ts";

/**
 * `POST /folders/paths`: creates the missing folders of paths, all or none (folders, "Creating the folders of paths"). Throws VALIDATION_FAILED for a
 * name that no folder can have, FOLDER_TOO_DEEP and TOO_MANY_FOLDERS.
 */
export const createFolders: Operation<"createFolders"> = async (ctx, call, { paths, parentId = null }) => {
  const ownerId = requireUser(call.actor).userId;
  const wanted = paths.map((path) => ({ path, names: readNames(path) }));
  return await commitResponse(ctx, call, async (ctx) => {
    if (parentId !== null) await checkFolder(ctx, parentId, ownerId);
    const levels = parentId === null ? 0 : await countLevelsAbove(ctx.db, parentId);
    if (wanted.some(({ names }) => levels + names.length > MAX_LEVELS)) throw tooDeep();
    const tree = createFolderTree(ctx, ownerId);
    await tree.read(new Set(wanted.flatMap(({ names }) => names)));
    const folders = wanted.map(({ path, names }) => {
      let id = parentId ?? "";
      for (const name of names) {
        const next = tree.open(id || null, name);
        if (next === undefined) throw tooManyFolders();
        id = next;
      }
      return { path, id, isNew: tree.isNew(id) };
    });
    await tree.save();
    return { folders };
  });
};

/** Returns the names in a path, which has at least one. */
function readNames(path: string): readonly string[] {
  const names = path.split("/").filter((name) => name.trim() !== "");
  if (names.length === 0) throw invalidField("paths", "A path has names of folders with / between them, such as Reports/2026.");
  return names.map((name) => {
    if (name.length > MAX_NAME) throw invalidField("paths", "A folder's name has at most 200 characters. Shorten it.");
    return toFolderName(name);
  });
}
