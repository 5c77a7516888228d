import type { Operation } from "../operation.ts";
import { getImportRow } from "./import-access.ts";
import { toImportView } from "./import-view.ts";

/** `GET /files/remote-multipart/{jobId}`. */
export const getImport: Operation<"getImport"> = async (ctx, { actor }, input) => ({
  success: true,
  data: toImportView(ctx, await getImportRow(ctx, actor, input)),
});
