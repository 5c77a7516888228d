import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { removeAliases } from "../shares/aliases.ts";
import { endFilesOnly, REMOVE_NOW } from "./end-file.ts";

/** Number of rows per transaction. Small transactions let others run between them: an account may have 1,000,000 files. */
const BATCH_SIZE = 200;

/**
 * Deletes all files, shares and folders of a deleted account and removes the owner from their rows; `removeDueFiles` then removes the bytes. Items
 * that were taken down stay so, and unfinished uploads keep their owner until they are aborted. A repeated call continues after an interruption.
 */
export async function deleteAccountFiles(ctx: Ctx, ownerId: string): Promise<void> {
  await runInBatches(() => ctx.transaction((ctx) => endUploads(ctx, ownerId)));
  await runInBatches(() => ctx.transaction((ctx) => deleteFiles(ctx, ownerId)));
  await runInBatches(() => ctx.transaction((ctx) => deleteShares(ctx, ownerId)));
  await runInBatches(() => ctx.transaction((ctx) => deleteFolders(ctx, ownerId)));
}

async function endUploads(ctx: TransactionCtx, ownerId: string): Promise<number> {
  const files = await ctx.db
    .selectFrom("files")
    .selectAll()
    .where("owner_id", "=", ownerId)
    .where("blob_state", "=", "uploading")
    .where("status", "=", "active")
    .limit(BATCH_SIZE)
    .execute();
  // Leaves the bytes to the abort of the upload.
  if (files.length > 0) await endFilesOnly(ctx, files, { status: "deleted", removeAtMs: null });
  return files.length;
}

async function deleteFiles(ctx: TransactionCtx, ownerId: string): Promise<number> {
  const files = await ctx.db
    .selectFrom("files")
    .selectAll()
    .where("owner_id", "=", ownerId)
    .where("blob_state", "<>", "uploading")
    .limit(BATCH_SIZE)
    .execute();
  if (files.length === 0) return 0;
  const [removed, stored] = [
    files.filter(({ blob_state }) => blob_state === "removed"),
    files.filter(({ blob_state }) => blob_state !== "removed"),
  ];
  await endFilesOnly(ctx, removed, { status: "deleted", removeAtMs: null });
  await endFilesOnly(ctx, stored, { status: "deleted", removeAtMs: REMOVE_NOW });
  await ctx.db
    .updateTable("files")
    .set({ owner_id: null, folder_id: null, run_id: null, relative_path: null })
    .where("id", "in", inJson(files.map(({ id }) => id)))
    .execute();
  return files.length;
}

async function deleteShares(ctx: TransactionCtx, ownerId: string): Promise<number> {
  const shares = await ctx.db.selectFrom("shares").select("short_id").where("owner_id", "=", ownerId).limit(BATCH_SIZE).execute();
  if (shares.length === 0) return 0;
  const shortIds = shares.map(({ short_id }) => short_id);
  await removeAliases(ctx, shortIds);
  await ctx.db
    .updateTable("shares")
    .set({
      status: sql`CASE WHEN status = 'dmca_removed' THEN status ELSE 'deleted' END`,
      ended_at: sql`coalesce(ended_at, ${ctx.now()})`,
      // Clears the restore time, because an item that was taken down cannot be restored without an owner.
      expires_at: sql`CASE WHEN status = 'dmca_removed' THEN ended_at ELSE expires_at END`,
      owner_id: null,
      ends_with_pro: 0,
      title: null,
      message: null,
      handoff_message: null,
      handoff_hash: null,
      // Clears the tokens, because anybody with them could claim or delete a share without an owner.
      claim_hash: null,
      deletion_hash: null,
      share_token_hash: null,
    })
    .where("short_id", "in", inJson(shortIds))
    .execute();
  return shares.length;
}

/** Deletes the folders that contain no folder. Repeat the call until no folder is left. */
async function deleteFolders(ctx: TransactionCtx, ownerId: string): Promise<number> {
  const folders = await ctx.db
    .selectFrom("folders")
    .select("id")
    .where("owner_id", "=", ownerId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("folders as inner").select("inner.id").whereRef("inner.parent_id", "=", "folders.id"))),
    )
    .limit(BATCH_SIZE)
    .execute();
  const ids = inJson(folders.map(({ id }) => id));
  // Files of unfinished uploads can still be in these folders.
  await ctx.db.updateTable("files").set({ folder_id: null }).where("folder_id", "in", ids).execute();
  await ctx.db.deleteFrom("folders").where("id", "in", ids).execute();
  return folders.length;
}
