import { isInside, updateFolder } from "../../db/folders.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { toFolderName, toFolderView } from "./folder-view.ts";
import { getFolder } from "./own-folder.ts";

/** `PATCH /folders/{id}`: another name, another place, or both; never inside itself. */
export const changeFolder: Operation<"changeFolder"> = async (ctx, { actor, remember }, { id, name, parentId }) => {
  const ownerId = requireUser(actor).userId;
  return await ctx.tx(async (ctx) => {
    await getFolder(ctx.db, { id, ownerId });
    if (parentId) {
      await getFolder(ctx.db, { id: parentId, ownerId });
      if (await isInside(ctx.db, parentId, id)) {
        throw new AppError("FOLDER_CYCLE", "A folder cannot be moved into itself or into a folder inside it. Choose another parent.");
      }
    }
    await updateFolder(ctx.db, id, {
      updated_at: ctx.now(),
      ...(name !== undefined && { name: toFolderName(name) }),
      ...(parentId !== undefined && { parent_id: parentId }),
    });
    const answer = { success: true, data: toFolderView(await getFolder(ctx.db, { id, ownerId })) } as const;
    await remember?.(ctx, answer);
    return answer;
  });
};
