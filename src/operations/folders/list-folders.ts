import { countFolders, listFolders as listFolderRows, searchFolders } from "../../db/folders.ts";
import type { Operation } from "../operation.ts";
import { toPage, toPagination } from "../paging.ts";
import { requireUser } from "../require-user.ts";
import { toFolderView } from "./folder-view.ts";
import { getFolder } from "./own-folder.ts";

/** `GET /folders/list`: by name; those of a folder, of the root, or all, and of them those that a search finds. */
export const listFolders: Operation<"listFolders"> = async (ctx, { actor }, { parentId, search, page: number, limit }) => {
  const ownerId = requireUser(actor).userId;
  if (parentId) await getFolder(ctx.db, { id: parentId, ownerId });
  const page = toPage({ page: number, limit });
  const ids = search === undefined ? undefined : await searchFolders(ctx.db, { ownerId, part: search });
  const filter = { ownerId, parentId, ids };
  const folders = await listFolderRows(ctx.db, filter, page);
  return {
    success: true,
    data: folders.map((folder) => toFolderView(folder, { totals: search === undefined })),
    pagination: toPagination(page, await countFolders(ctx.db, filter)),
  };
};
