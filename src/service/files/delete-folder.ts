import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import { AppError, invalidField } from "../../errors.ts";
import { requireUser } from "../accounts/actor.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { checkMutable, deleteOtherPlaces, listSoldShares, originsOf } from "./delete-file.ts";
import { closeSharesIfEmpty, endFilesOnly, REMOVE_NOW } from "./end-file.ts";
import { deleteFolderRows, isEmptyFolder, listInside } from "./folder-queries.ts";
import { getFolder } from "./folders.ts";
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
      throw new AppError("FOLDER_NOT_EMPTY", "This folder is not empty. Delete or move what is in it first, or send recursive=true.");
    const folderIds = await listInside(ctx.db, id);
    const deleted = recursive ? await deleteFilesIn(ctx, call, { folderIds, owner, force }) : { count: 0, ids: [] };
    ended = deleted.ids;
    await deleteFolderRows(ctx.db, folderIds);
    return { id, deletedFiles: deleted.count };
  });
  await removeFirstBytes(ctx, ended);
  ctx.wakeJobs();
  return response;
};

interface FilesInFolders {
  readonly folderIds: readonly string[];
  readonly owner: string;
  readonly force: boolean;
}

/**
 * Deletes the active files of folders in all their shares, with a few statements. Files that were taken down stay. Resolves to their number, and to the
 * IDs of the first deleted places. Throws VALIDATION_FAILED for too many, IMMUTABLE and HAS_BUYERS.
 */
async function deleteFilesIn(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { folderIds, owner, force }: FilesInFolders,
): Promise<{ readonly count: number; readonly ids: readonly string[] }> {
  const files = await ctx.db
    .selectFrom("files")
    .selectAll()
    .where("folder_id", "in", inJson(folderIds))
    .where("owner_id", "=", owner)
    .where(LISTED)
    .where("status", "=", "active")
    .limit(MAX_FILES + 1)
    .execute();
  if (files.length === 0) return { count: 0, ids: [] };
  if (files.length > MAX_FILES) throw invalidField("id", "This folder has more than 10,000 files. Delete the folders in it one by one.");
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
