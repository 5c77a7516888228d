import { listFolders } from "../../db/folders.ts";
import { countFiles, listFiles as listFileRows } from "../../db/listing.ts";
import { toFolderView } from "../folders/folder-view.ts";
import { getFolder } from "../folders/own-folder.ts";
import type { Operation } from "../operation.ts";
import { toPage, toPagination } from "../paging.ts";
import { requireUser } from "../require-user.ts";
import { toFileItem } from "./file-item.ts";
import { findRun } from "./list-run.ts";

/** `GET /files/list`: a page of the account's files, newest first, with the folders beside them; or a run. */
export const listFiles: Operation<"listFiles"> = async (ctx, { actor }, input) => {
  const ownerId = requireUser(actor).userId;
  if (input.runId) return { success: true, data: await findRun(ctx, { ownerId, runId: input.runId, limit: input.limit }) };
  const { folderId, includeFolders = true } = input;
  if (folderId) await getFolder(ctx.db, { id: folderId, ownerId });
  const page = toPage(input);
  const filter = { ownerId, folderId };
  const total = await countFiles(ctx.db, filter);
  const files = await listFileRows(ctx.db, filter, { ...page, total });
  const folders = includeFolders ? await listFolders(ctx.db, { ownerId, parentId: folderId ?? null }) : undefined;
  return {
    success: true,
    data: { files: files.map((file) => toFileItem(ctx, file)), ...(folders && { folders: folders.map((folder) => toFolderView(folder)) }) },
    pagination: toPagination(page, total),
  };
};
