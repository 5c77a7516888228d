import { findImport } from "../../db/imports.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { stopImport } from "./end-import.ts";
import { getImportRow } from "./import-access.ts";
import { toImportView } from "./import-view.ts";

/** `DELETE /files/remote-multipart/{jobId}`: ends the import, wherever it runs, and undoes it. */
export const cancelImport: Operation<"cancelImport"> = async (ctx, { actor }, input) => {
  const { id } = await getImportRow(ctx, actor, input);
  if (await stopImport(ctx, id, { status: "cancelled" })) {
    ctx.imports.live.find(id)?.abort(new AppError("UPLOAD_CLOSED", "This import was cancelled."));
  }
  const row = await findImport(ctx.db, id);
  if (row?.status === "cancelled") return { success: true, data: toImportView(ctx, row) };
  throw new AppError("CONFLICT", "This import is over already. Delete its file instead, if it made one.");
};
