import { deleteFolder as deleteFolderRow, isEmptyFolder } from "../../db/folders.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { getFolder } from "./own-folder.ts";

/** `DELETE /folders/{id}`: when there is neither a file nor a folder in it. */
export const deleteFolder: Operation<"deleteFolder"> = async (ctx, { actor, remember }, { id }) => {
  const ownerId = requireUser(actor).userId;
  const answer = { success: true, data: { id } } as const;
  await ctx.tx(async (ctx) => {
    await getFolder(ctx.db, { id, ownerId });
    if (!(await isEmptyFolder(ctx.db, id))) {
      throw new AppError("FOLDER_NOT_EMPTY", "This folder is not empty. Delete or move what is in it first.");
    }
    await deleteFolderRow(ctx.db, id);
    await remember?.(ctx, answer);
  });
  return answer;
};
