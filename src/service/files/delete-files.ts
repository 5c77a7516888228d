import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import { AppError } from "../../errors.ts";
import { requireUser } from "../accounts/actor.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { changeEach } from "./change-each.ts";
import { checkMutable, deleteOtherPlaces, deleteOwn, listSoldShares, originsOf } from "./delete-file.ts";
import { closeSharesIfEmpty, endFilesOnly, REMOVE_NOW } from "./end-file.ts";
import { deleteFolderRows, isEmptyFolder, listInside } from "./folder-queries.ts";
import { checkFolder, getFolder } from "./folders.ts";
import { LISTED } from "./listing-queries.ts";
import { removeFirstBytes } from "./remove-bytes.ts";

/** Maximum number of files that one call deletes: the size of the largest shipment. */
const MAX_FILES = 10_000;

/** `DELETE /folders/{id}`: deletes an empty folder, or with `recursive` a folder with everything in it (folders, "Deleting"). */
export const deleteFolder: Operation<"deleteFolder"> = async (ctx, call, { id, recursive = false, force = false }) => {
  const owner = requireUser(call.actor).userId;
  let ended: readonly string[] = [];
  const response = await commitResponse(ctx, call, async (ctx) => {
    await getFolder(ctx.db, { id, ownerId: owner });
    if (!recursive && !(await isEmptyFolder(ctx.db, id)))
      throw new AppError(
        "FOLDER_NOT_EMPTY",
        "This folder is not empty. Delete or move what is in it first, or delete the folder with everything in it.",
      );
    const deleted = await deleteWithContent(ctx, call, { id, owner, force, maxFiles: MAX_FILES });
    ended = deleted.ids;
    return { id, deletedFiles: deleted.count };
  });
  await removeFirstBytes(ctx, ended);
  ctx.wakeJobs();
  return response;
};

/** `POST /files/delete-many`: deletes files of the caller independently of each other, and folders with everything in them. */
export const deleteFiles: Operation<"deleteFiles"> = async (
  ctx,
  call,
  { fileIds = [], folderIds = [], force = false, allLinks = false },
) => {
  const owner = requireUser(call.actor).userId;
  const ended: string[] = [];
  const response = await commitResponse(ctx, call, async (ctx) => {
    const files = await changeEach(fileIds, async (id) => {
      ended.push(...(await deleteOwn(ctx, call, { id, owner, force, allLinks })));
      return id;
    });
    let left = MAX_FILES;
    const deletedFolders = new Set<string>();
    const folders = await changeEach(folderIds, async (id) => {
      // A folder inside of another chosen one is deleted with it.
      if (deletedFolders.has(id)) return id;
      const deleted = await deleteWithContent(ctx, call, { id, owner, force, maxFiles: left });
      left -= deleted.count;
      ended.push(...deleted.ids);
      for (const folderId of deleted.folderIds) deletedFolders.add(folderId);
      return id;
    });
    const count = files.done.length;
    if (count > 0) await recordAudit(ctx, call, { action: "account.files_deleted", subject: owner, account: owner, details: { count } });
    return { deleted: [...files.done, ...folders.done], refused: [...files.refused, ...folders.refused] };
  });
  await removeFirstBytes(ctx, ended);
  ctx.wakeJobs();
  return response;
};

interface OwnFolder {
  readonly id: string;
  readonly owner: string;
  readonly force: boolean;
  /** The number of files that the call may still delete. */
  readonly maxFiles: number;
}

interface DeletedContent extends DeletedFiles {
  /** The folder and those in it. */
  readonly folderIds: readonly string[];
}

/** Deletes a folder of an account with everything in it. Throws NOT_FOUND, and as `deleteFilesIn` does. */
async function deleteWithContent(ctx: TransactionCtx, origin: AuditOrigin, { id, ...limits }: OwnFolder): Promise<DeletedContent> {
  await checkFolder(ctx, id, limits.owner);
  const folderIds = await listInside(ctx.db, id);
  const deleted = await deleteFilesIn(ctx, origin, { folderIds, ...limits });
  await deleteFolderRows(ctx.db, folderIds);
  return { ...deleted, folderIds };
}

/** Deleted files: their number, and the IDs of the first places that ended. */
interface DeletedFiles {
  readonly count: number;
  readonly ids: readonly string[];
}

interface FilesInFolders extends Omit<OwnFolder, "id"> {
  readonly folderIds: readonly string[];
}

/**
 * Deletes the active files of folders in all their shares, with a few statements. Files that were taken down stay. Throws CONFLICT for too many,
 * IMMUTABLE and HAS_BUYERS.
 */
async function deleteFilesIn(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { folderIds, owner, force, maxFiles }: FilesInFolders,
): Promise<DeletedFiles> {
  const files = await ctx.db
    .selectFrom("files")
    .selectAll()
    .where("folder_id", "in", inJson(folderIds))
    .where("owner_id", "=", owner)
    .where(LISTED)
    .where("status", "=", "active")
    .limit(maxFiles + 1)
    .execute();
  if (files.length === 0) return { count: 0, ids: [] };
  if (files.length > maxFiles)
    throw new AppError(
      "CONFLICT",
      "One call deletes at most 10,000 files. Delete the folders one by one, and those in a larger one first.",
    );
  const originIds = originsOf(files);
  if (!force) await checkMutable(ctx, files, originIds);
  const shortIds = [...new Set(files.map(({ short_id }) => short_id))];
  const sold = await listSoldShares(ctx, originIds);
  await checkBuyers(ctx, { shortIds: [...shortIds, ...sold] }, { force, loses: "what they paid for" });
  await endFilesOnly(ctx, files, { status: "deleted", removeAtMs: REMOVE_NOW });
  await closeSharesIfEmpty(ctx, shortIds, "deleted");
  const others = await deleteOtherPlaces(ctx, origin, originIds);
  await recordAudit(ctx, origin, { action: "account.files_deleted", subject: owner, account: owner, details: { count: files.length } });
  return { count: files.length, ids: [...files.map(({ id }) => id), ...others] };
}
