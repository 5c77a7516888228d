import type { Ctx } from "../../context.ts";
import { requireUser } from "../accounts/actor.ts";
import type { Output } from "../contract.ts";
import type { Operation } from "../operation.ts";
import { clampLimit, toListPage, toPagination } from "../paging.ts";
import { toFileItem } from "./file-view.ts";
import { listFolders } from "./folder-queries.ts";
import { getFolder, toFolderView } from "./folders.ts";
import { countFiles, listFiles as listFileRows, listRunFiles } from "./listing-queries.ts";

/** `GET /files/list`: one page of the account's files, newest first, with the folders next to them; or the files of a run. */
export const listFiles: Operation<"listFiles"> = async (ctx, { actor }, input) => {
  const ownerId = requireUser(actor).userId;
  if (input.runId) return { success: true, data: await getRun(ctx, { ownerId, runId: input.runId, limit: input.limit }) };
  const { folderId, includeFolders = true } = input;
  if (folderId) await getFolder(ctx.db, { id: folderId, ownerId });
  const page = toListPage(input);
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

/** `GET /files/run/{runId}`: the account's files of a run, newest first; an unknown run has no files. */
export const listRun: Operation<"listRun"> = async (ctx, { actor }, { runId, limit }) =>
  await getRun(ctx, { ownerId: requireUser(actor).userId, runId, limit });

/** Lists 100 files by default, 500 at most (listing, "Pages"). */
async function getRun(
  ctx: Ctx,
  { ownerId, runId, limit }: { ownerId: string; runId: string; limit: number | undefined },
): Promise<Output<"listRun">> {
  const files = await listRunFiles(ctx.db, { ownerId, runId }, clampLimit(limit, { defaultLimit: 100, maxLimit: 500 }));
  return { runId, artifacts: files.map((file) => toFileItem(ctx, file)) };
}
