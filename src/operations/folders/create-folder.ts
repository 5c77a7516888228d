import { insertFolder } from "../../db/folders.ts";
import { newUuid } from "../../domain/alphabet.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { toFolderName, toFolderView } from "./folder-view.ts";
import { getFolder } from "./own-folder.ts";

/** `POST /folders`: a folder at the root, or in another of the account. */
export const createFolder: Operation<"createFolder"> = async (ctx, { actor, remember }, { name, parentId }) => {
  const ownerId = requireUser(actor).userId;
  const nowMs = ctx.now();
  const folder = {
    id: newUuid(ctx.random, nowMs),
    owner_id: ownerId,
    parent_id: parentId ?? null,
    name: toFolderName(name),
    created_at: nowMs,
    updated_at: nowMs,
  };
  const answer = { success: true, data: toFolderView({ ...folder, file_count: 0, total_bytes: 0 }) } as const;
  await ctx.tx(async (ctx) => {
    if (parentId) await getFolder(ctx.db, { id: parentId, ownerId });
    await insertFolder(ctx.db, folder);
    await remember?.(ctx, answer);
  });
  return answer;
};
