import { isInside, updateFolder } from "../../db/folders.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { getFolder, toFolderView } from "./folder-view.ts";

/** `PATCH /folders/{id}`: another name, another place, or both; never inside itself. */
export const changeFolder: Operation<"changeFolder"> = async (ctx, { actor }, { id, name, parentId }) => {
  if (name === undefined && parentId === undefined) throw nothingToDo();
  const ownerId = requireUser(actor).userId;
  const changed = await ctx.tx(async (ctx) => {
    await getFolder(ctx.db, { id, ownerId });
    if (parentId) {
      await getFolder(ctx.db, { id: parentId, ownerId });
      if (await isInside(ctx.db, parentId, id)) {
        throw new AppError("FOLDER_CYCLE", "A folder cannot be moved into itself or into a folder inside it. Choose another parent.");
      }
    }
    await updateFolder(ctx.db, id, {
      updated_at: ctx.now(),
      ...(name !== undefined && { name }),
      ...(parentId !== undefined && { parent_id: parentId }),
    });
    return await getFolder(ctx.db, { id, ownerId });
  });
  return { success: true, data: toFolderView(changed) };
};

function nothingToDo(): AppError {
  const message = "Send a name, a parentId, or both: there is nothing to change otherwise.";
  return new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "", message }] } });
}
