import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { type AppError, notFound } from "../../errors.ts";
import { toFileName, toNameKeys, withLastPart } from "../../lib/text/file-name.ts";
import { requireUser } from "../accounts/actor.ts";
import type { Output } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { findFileWithShare } from "../shares/queries.ts";
import { toFileItem } from "./file-view.ts";
import { checkFolder, moveFolder } from "./folders.ts";
import { readLinks } from "./links.ts";
import { LISTED_PLACE } from "./listing-queries.ts";
import { toSentAs } from "./sender-name.ts";

/** `PATCH /files/{fileId}/details`: renames a file, or moves it to a folder (folders, "Moving and renaming files"). */
export const changeFile: Operation<"changeFile"> = async (ctx, call, { fileId, name, folderId }) => {
  const owner = requireUser(call.actor).userId;
  return await commitResponse(ctx, call, async (ctx) => {
    const found = await findFileWithShare(ctx.db, fileId);
    if (found?.file.owner_id !== owner || !isListed(found.file)) throw fileNotFound();
    if (name !== undefined) await rename(ctx, found, toFileName(name));
    if (folderId) await checkFolder(ctx, folderId, owner);
    if (folderId !== undefined) await moveToFolder(ctx, { ids: [fileId], owner, folderId });
    const changed = await findFileWithShare(ctx.db, fileId);
    if (!changed) throw fileNotFound();
    return toFileItem(ctx, changed, (await readLinks(ctx, [changed])).get(fileId));
  });
};

/** `POST /files/move`: moves files and folders, all or none. */
export const moveFiles: Operation<"moveFiles"> = async (ctx, call, { fileIds = [], folderIds = [], folderId }) => {
  const owner = requireUser(call.actor).userId;
  return await commitResponse(ctx, call, async (ctx) => {
    if (folderId) await checkFolder(ctx, folderId, owner);
    const files = [...new Set(fileIds)];
    const folders = [...new Set(folderIds)];
    const from = await listOrigins(ctx, { files, folders, owner });
    if ((await moveToFolder(ctx, { ids: files, owner, folderId })) !== files.length) throw fileNotFound();
    for (const id of folders) await moveFolder(ctx, { id, ownerId: owner, parentId: folderId });
    return { files: files.length, folders: folders.length, from };
  });
};

interface Moved {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly owner: string;
}

/** Lists the folders that contain files and folders of an account, with these. */
async function listOrigins({ db }: TransactionCtx, { files, folders, owner }: Moved): Promise<Output<"moveFiles">["from"]> {
  const from = new Map<string | null, { readonly fileIds: string[]; readonly folderIds: string[] }>();
  const at = (folderId: string | null) => {
    const known = from.get(folderId) ?? { fileIds: [], folderIds: [] };
    from.set(folderId, known);
    return known;
  };
  const fileRows = await db
    .selectFrom("files")
    .select(["id", "folder_id"])
    .where("id", "in", inJson(files))
    .where("owner_id", "=", owner)
    .execute();
  for (const { id, folder_id } of fileRows) at(folder_id).fileIds.push(id);
  const folderRows = await db
    .selectFrom("folders")
    .select(["id", "parent_id"])
    .where("id", "in", inJson(folders))
    .where("owner_id", "=", owner)
    .execute();
  for (const { id, parent_id } of folderRows) at(parent_id).folderIds.push(id);
  return [...from].map(([folderId, inside]) => ({ folderId, ...inside }));
}

interface FolderMove {
  readonly ids: readonly string[];
  readonly owner: string;
  readonly folderId: string | null;
}

/** Moves files to a folder, with all their places. Resolves to the number of named places. */
async function moveToFolder(ctx: TransactionCtx, { ids, owner, folderId }: FolderMove): Promise<number> {
  const moved = await ctx.db
    .updateTable("files")
    .set({ folder_id: folderId })
    .where("id", "in", inJson(ids))
    .where("owner_id", "=", owner)
    .where(LISTED_PLACE)
    .returning("origin_id")
    .execute();
  const origins = [...new Set(moved.flatMap(({ origin_id }) => origin_id ?? []))];
  if (origins.length > 0)
    await ctx.db.updateTable("files").set({ folder_id: folderId }).where("origin_id", "in", inJson(origins)).execute();
  return moved.length;
}

/**
 * Renames a file in its owner's list. The names in its links stay, because recipients know them (folders, "Moving and renaming files"). A received
 * file that was not shared has no link, so it is renamed itself.
 */
async function rename({ db }: TransactionCtx, { file, share }: { file: FileRow; share: ShareRow }, name: string): Promise<void> {
  const renamed = db.updateTable("files").where("status", "<>", "deleted");
  if (file.origin_id === null && share.is_private === 1) {
    const columns = { name, relative_path: withLastPart(file.relative_path, name), ...toSentAs(file) };
    return void (await renamed
      .set({ ...columns, ...toNameKeys(name) })
      .where("id", "=", file.id)
      .execute());
  }
  const places = file.origin_id === null ? renamed.where("id", "=", file.id) : renamed.where("origin_id", "=", file.origin_id);
  await places.set({ owner_name: name, ...toNameKeys(name) }).execute();
}

const isListed = ({ status, blob_state }: FileRow): boolean =>
  (status === "active" || status === "dmca_removed") && blob_state !== "uploading";

const fileNotFound = (): AppError => notFound("file", "List your files to find its ID.", "in your account");
