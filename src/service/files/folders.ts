import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { FolderRow } from "../../db/tables/folders.ts";
import { AppError, invalidField } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { cutToBytes } from "../../lib/text/stored-name.ts";
import { requireUser } from "../accounts/actor.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { toListPage, toPagination } from "../paging.ts";
import {
  countFolders,
  countLevelsAbove,
  countLevelsBelow,
  type FolderWithTotals,
  findFolderRow,
  folderNotFound,
  insertFolder,
  isInside,
  listFolderPage as listFolderRows,
  searchFolders,
  updateFolder,
} from "./folder-queries.ts";
import type { Folder } from "./folders-contract.ts";

/** Maximum number of folders of an account. */
export const MAX_FOLDERS = 10_000;
/** Maximum number of levels of folders. */
export const MAX_LEVELS = 32;
/** Maximum number of characters of a folder's name. */
export const MAX_NAME = 200;

/** `POST /folders`: creates a folder at the root or in another folder. Throws TOO_MANY_FOLDERS and FOLDER_TOO_DEEP. */
export const createFolder: Operation<"createFolder"> = async (ctx, call, { name, parentId }) => {
  const ownerId = requireUser(call.actor).userId;
  const folder = newFolder(ctx, { ownerId, parentId: parentId ?? null, name: toFolderName(name) });
  return await commitResponse(ctx, call, async (ctx) => {
    if (parentId) {
      await getFolder(ctx.db, { id: parentId, ownerId });
      if ((await countLevelsAbove(ctx.db, parentId)) >= MAX_LEVELS) throw tooDeep();
    }
    await addFolder(ctx, folder);
    return toFolderView({ ...folder, file_count: 0, folder_count: 0, total_bytes: 0 });
  });
};

/** Returns the row of a new folder. */
export const newFolder = (
  { random, now }: Pick<Ctx, "random" | "now">,
  { ownerId, parentId, name }: { readonly ownerId: string; readonly parentId: string | null; readonly name: string },
): FolderRow => {
  const nowMs = now();
  return { id: newUuid(random, nowMs), owner_id: ownerId, parent_id: parentId, name, created_at: nowMs, updated_at: nowMs };
};

async function addFolder(ctx: TransactionCtx, folder: FolderRow): Promise<void> {
  if ((await countFolders(ctx.db, { ownerId: folder.owner_id })) >= MAX_FOLDERS) throw tooManyFolders();
  await insertFolder(ctx.db, folder);
}

/** Creates a folder at the root whose name is a title. Resolves to its ID. Throws TOO_MANY_FOLDERS. */
export async function createTitledFolder(ctx: TransactionCtx, { ownerId, title }: { ownerId: string; title: string }): Promise<string> {
  const name = isPathStep(title) ? `${title} folder` : title;
  const folder = newFolder(ctx, { ownerId, parentId: null, name });
  await addFolder(ctx, folder);
  return folder.id;
}

/** `GET /folders/list`: lists folders by name, in a folder, at the root or in the whole account, optionally filtered by a search. */
export const listFolders: Operation<"listFolders"> = async (ctx, { actor }, { parentId, search, page: number, limit }) => {
  const ownerId = requireUser(actor).userId;
  if (parentId) await getFolder(ctx.db, { id: parentId, ownerId });
  const page = toListPage({ page: number, limit });
  const ids = search === undefined ? undefined : await searchFolders(ctx.db, { ownerId, part: search });
  const filter = { ownerId, parentId, ids };
  const folders = await listFolderRows(ctx.db, filter, page);
  return {
    success: true,
    data: folders.map((folder) => toFolderView(folder, { totals: search === undefined })),
    pagination: toPagination(page, await countFolders(ctx.db, filter)),
  };
};

export type FolderName = Pick<FolderRow, "id" | "name" | "parent_id">;

/** Lists all folders of the account, at most 10,000. */
export const listAllFolders = async (ctx: Ctx, { actor }: Pick<RequestContext, "actor">): Promise<readonly FolderName[]> =>
  await ctx.db.selectFrom("folders").select(["id", "name", "parent_id"]).where("owner_id", "=", requireUser(actor).userId).execute();

/** `PATCH /folders/{id}`: renames or moves a folder. */
export const changeFolder: Operation<"changeFolder"> = async (ctx, call, { id, name, parentId }) => {
  const ownerId = requireUser(call.actor).userId;
  return await commitResponse(ctx, call, async (ctx) => {
    await getFolder(ctx.db, { id, ownerId });
    if (parentId !== undefined) await moveFolder(ctx, { id, ownerId, parentId });
    if (name !== undefined) await updateFolder(ctx.db, id, { updated_at: ctx.now(), name: toFolderName(name) });
    return toFolderView(await getFolder(ctx.db, { id, ownerId }));
  });
};

/** Moves a folder into another folder or to the root. Throws NOT_FOUND as `getFolder` does, FOLDER_CYCLE and FOLDER_TOO_DEEP. */
export async function moveFolder(
  ctx: TransactionCtx,
  { id, ownerId, parentId }: { readonly id: string; readonly ownerId: string; readonly parentId: string | null },
): Promise<void> {
  await getFolder(ctx.db, { id, ownerId });
  if (parentId) {
    await getFolder(ctx.db, { id: parentId, ownerId });
    if (await isInside(ctx.db, parentId, id)) {
      throw new AppError("FOLDER_CYCLE", "A folder cannot be moved into itself or into a folder inside it. Choose another parent.");
    }
    if ((await countLevelsAbove(ctx.db, parentId)) + (await countLevelsBelow(ctx.db, id)) > MAX_LEVELS) throw tooDeep();
  }
  await updateFolder(ctx.db, id, { updated_at: ctx.now(), parent_id: parentId });
}

/** Gets a folder of an account. Throws NOT_FOUND, also for a folder of another account. */
export async function getFolder(db: Db, which: { id: string; ownerId: string }): Promise<FolderWithTotals> {
  const folder = await findFolderRow(db, which);
  if (folder) return folder;
  throw folderNotFound();
}

/**
 * Checks that a folder belongs to `owner`, without reading its totals. Throws NOT_FOUND for an unknown folder, for another account's folder, and if
 * `owner` is null.
 */
export async function checkFolder(ctx: TransactionCtx, folderId: string, owner: string | null): Promise<void> {
  const folder = await ctx.db.selectFrom("folders").select("owner_id").where("id", "=", folderId).executeTakeFirst();
  if (folder && folder.owner_id === owner) return;
  throw folderNotFound();
}

/** Returns a folder as its owner sees it. Search results have no totals. */
export function toFolderView(folder: FolderWithTotals, { totals }: { totals: boolean } = { totals: true }): Folder {
  return {
    id: folder.id,
    name: folder.name,
    parent_id: folder.parent_id,
    ...(totals && { file_count: folder.file_count, folder_count: folder.folder_count, total_size: folder.total_bytes }),
    created_at: toIso(folder.created_at),
    updated_at: toIso(folder.updated_at),
  };
}

export const tooManyFolders = (): AppError => new AppError("TOO_MANY_FOLDERS", "An account has at most 10,000 folders. Delete some first.");

export const tooDeep = (): AppError => new AppError("FOLDER_TOO_DEEP", "Folders can be at most 32 levels deep. Choose a higher parent.");

/** Returns a folder name in one line, which is never empty. Throws VALIDATION_FAILED for `.` and `..`, which name other folders in paths. */
export function toFolderName(raw: string): string {
  const name = toSingleLine(raw) || "folder";
  if (isPathStep(name)) throw invalidField("name", "A folder cannot be named . or .. – choose another name.");
  return name;
}

/** Returns the name of a folder in a path that was sent. It is cut, and a name that no folder can have is replaced, because an upload must not fail. */
export function toSentFolderName(raw: string): string {
  const name = toSingleLine(raw.length > MAX_NAME ? cutToBytes(raw, MAX_NAME) : raw);
  return name === "" || isPathStep(name) ? "folder" : name;
}

/** Whether a name has another meaning in paths. */
const isPathStep = (name: string): boolean => name === "." || name === "..";
