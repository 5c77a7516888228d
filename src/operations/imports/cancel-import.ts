import type { TxCtx } from "../../context.ts";
import { findImport } from "../../db/imports.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { stopImport } from "./end-import.ts";
import { getImportRow } from "./import-access.ts";
import { toImportView } from "./import-view.ts";

/** `DELETE /files/remote-multipart/{jobId}`: ends the import, wherever it runs, and undoes it. */
export const cancelImport: Operation<"cancelImport"> = async (ctx, { actor, remember }, input) => {
  const { id } = await getImportRow(ctx, actor, input);
  const findAnswer = async (ctx: TxCtx) => {
    const row = await findImport(ctx.db, id);
    return row?.status === "cancelled" ? ({ success: true, data: toImportView(ctx, row) } as const) : undefined;
  };
  const onStopped = async (ctx: TxCtx): Promise<void> => remember?.(ctx, await findAnswer(ctx));
  if (await stopImport(ctx, id, { status: "cancelled", onStopped })) {
    ctx.imports.live.find(id)?.abort(new AppError("UPLOAD_CLOSED", "This import was cancelled."));
  }
  const answer = await findAnswer(ctx);
  if (answer) return answer;
  throw new AppError("CONFLICT", "This import is over already. Delete its file instead, if it made one.");
};
