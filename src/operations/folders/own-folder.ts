import type { TxCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { type FolderWithTotals, findFolder } from "../../db/folders.ts";
import { AppError } from "../../errors.ts";

/** A folder of an account. Throws NOT_FOUND, also for someone else's. */
export async function getFolder(db: Db, which: { id: string; ownerId: string }): Promise<FolderWithTotals> {
  const folder = await findFolder(db, which);
  if (folder) return folder;
  throw folderNotFound();
}

/** That a file of the owner may go into the folder, without its totals. Throws NOT_FOUND as `getFolder` does, and for an owner of none. */
export async function checkFolder(ctx: TxCtx, folderId: string, owner: string | null): Promise<void> {
  const folder = await ctx.db.selectFrom("folders").select("owner_id").where("id", "=", folderId).executeTakeFirst();
  if (folder && folder.owner_id === owner) return;
  throw folderNotFound();
}

const folderNotFound = (): AppError =>
  new AppError("NOT_FOUND", "There is no such folder in your account. List your folders to find its id.");
