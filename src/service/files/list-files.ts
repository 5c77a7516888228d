import type { Ctx } from "../../context.ts";
import { toSearchKey } from "../../lib/text/file-name.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser } from "../accounts/actor.ts";
import type { Input, Output } from "../contract.ts";
import type { Operation } from "../operation.ts";
import { clampLimit, toListPage, toPagination } from "../paging.ts";
import { toLinks } from "../shares/aliases.ts";
import { toFileItems } from "./file-view.ts";
import { type FolderWithTotals, listFolderPage, listPath, searchFolders } from "./folder-queries.ts";
import { getFolder, toFolderView } from "./folders.ts";
import { findLinked, findLinksTo } from "./links.ts";
import {
  countFiles,
  countRunFiles,
  countRuns,
  type FileFilter,
  type FileOrder,
  type ListedFile,
  listFilePage,
  listMatchingIds,
  listRunFiles,
  listRunTotals,
  MAX_FOUND,
  type RunFilter,
} from "./listing-queries.ts";
import { preferOpenPlaces, toShownIds } from "./open-place.ts";

const MAX_WORDS = 8;

/** `GET /files/list`: lists one page of the account's files with the folders beside them, or the files of a run. */
export const listFiles: Operation<"listFiles"> = async (ctx, { actor }, input) => {
  const ownerId = requireUser(actor).userId;
  if (input.runId) return { success: true, data: await getRun(ctx, { ownerId, runId: input.runId }, { limit: input.limit }) };
  const { folderId, includeFolders = true } = input;
  if (folderId) await getFolder(ctx.db, { id: folderId, ownerId });
  const page = toListPage(input);
  const filter = toFilter(ownerId, input);
  const isSearch = filter.words !== undefined;
  const total = await countFiles(ctx.db, filter);
  const files = await listFilePage(ctx.db, filter, { ...page, ...toOrder(input), total });
  const folders = includeFolders ? await findFolders(ctx, ownerId, input) : undefined;
  return {
    success: true,
    data: {
      files: await toFileItems(ctx, await preferOpenPlaces(ctx, files)),
      ...(folders && { folders: folders.map((folder) => toFolderView(folder)) }),
      ...(folderId && { path: await listPath(ctx.db, { id: folderId, ownerId }) }),
      ...(isSearch && { parents: await findParents(ctx, ownerId, files, folders ?? []) }),
    },
    pagination: toPagination(page, total),
  };
};

/** `GET /files/list/ids`: lists the IDs of the files on all pages of a list. */
export const listFileIds: Operation<"listFileIds"> = async (ctx, { actor }, input) => {
  const ownerId = requireUser(actor).userId;
  if (input.folderId) await getFolder(ctx.db, { id: input.folderId, ownerId });
  const filter = { ...toFilter(ownerId, input), isRecursive: input.recursive ?? false };
  const ids = await toShownIds(ctx, await listMatchingIds(ctx.db, filter, MAX_FOUND));
  const links = input.folderId ? await findLinksTo(ctx, ids) : undefined;
  return {
    ids,
    linkedIds: await findLinked(ctx, ids),
    ...(links && {
      links: links.map(({ share, isEncrypted }) => ({
        shortId: share.short_id,
        ...toLinks(ctx, share),
        title: share.title,
        encrypted: isEncrypted,
      })),
    }),
  };
};

function toFilter(ownerId: string, { folderId, search = "" }: Pick<Input<"listFiles">, "folderId" | "search">): FileFilter {
  const words = toSearchKey(search)
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS);
  return { ownerId, folderId, ...(words.length > 0 && { words }) };
}

/** Returns the order: by default descending for times and sizes, and ascending otherwise. */
const toOrder = ({ sort = "created", order }: Input<"listFiles">): FileOrder => ({
  sort,
  isAscending: order === undefined ? sort === "name" || sort === "state" : order === "asc",
});

/** Finds the folders directly in the listed folder. A search finds folders in the listed folder, or in the whole account. */
async function findFolders(ctx: Ctx, ownerId: string, { folderId, search = "" }: Input<"listFiles">): Promise<FolderWithTotals[]> {
  if (search.trim() === "") return await listFolderPage(ctx.db, { ownerId, parentId: folderId ?? null });
  const ids = await searchFolders(ctx.db, { ownerId, part: search.trim() });
  return ids.length === 0 ? [] : await listFolderPage(ctx.db, { ownerId, parentId: folderId, ids });
}

/** Finds the parent folders of found files and folders. */
async function findParents(
  ctx: Ctx,
  ownerId: string,
  files: readonly ListedFile[],
  folders: readonly FolderWithTotals[],
): Promise<{ id: string; name: string }[]> {
  const ids = new Set(
    [...files.map(({ file }) => file.folder_id), ...folders.map(({ parent_id }) => parent_id)].filter((id) => id !== null),
  );
  if (ids.size === 0) return [];
  return (await listFolderPage(ctx.db, { ownerId, ids: [...ids] })).map(({ id, name }) => ({ id, name }));
}

/** `GET /files/run`: lists the account's runs, the run with the newest file first. */
export const listRuns: Operation<"listRuns"> = async (ctx, { actor }, input) => {
  const ownerId = requireUser(actor).userId;
  const page = toListPage(input);
  const runs = await listRunTotals(ctx.db, ownerId, page);
  return {
    success: true,
    data: runs.map(({ runId, files, bytes, firstMs, lastMs }) => ({
      runId,
      files,
      size: bytes,
      createdAt: toIso(firstMs),
      updatedAt: toIso(lastMs),
    })),
    pagination: toPagination(page, await countRuns(ctx.db, ownerId)),
  };
};

/** `GET /files/run/{runId}`: the account's files of a run, newest first; an unknown run has no files. */
export const listRun: Operation<"listRun"> = async (ctx, { actor }, { runId, ...page }) =>
  await getRun(ctx, { ownerId: requireUser(actor).userId, runId }, page);

/** Lists 100 files by default, 500 at most (listing, "Pages"). */
async function getRun(
  ctx: Ctx,
  filter: RunFilter,
  { page = 1, ...wanted }: { readonly page?: number | undefined; readonly limit?: number | undefined },
): Promise<Output<"listRun">> {
  const limit = clampLimit(wanted.limit, { defaultLimit: 100, maxLimit: 500 });
  const files = await listRunFiles(ctx.db, filter, { offset: (page - 1) * limit, limit });
  return {
    runId: filter.runId,
    total: await countRunFiles(ctx.db, filter),
    artifacts: await toFileItems(ctx, await preferOpenPlaces(ctx, files)),
  };
}
