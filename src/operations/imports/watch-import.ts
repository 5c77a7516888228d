import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "../../context.ts";
import type { ImportJob } from "../../contract/imports.ts";
import { findImport } from "../../db/imports.ts";
import type { ImportRow } from "../../db/tables/uploads.ts";
import type { Operation } from "../operation.ts";
import { getImportRow } from "./import-access.ts";
import { toImportView } from "./import-view.ts";

/** At most four events a second. */
const LOOK_EVERY_MS = 250;

/** `GET /files/remote-multipart/{jobId}/events`: what has changed since the last event, to the end; nothing where that one was the end. */
export const watchImport: Operation<"watchImport"> = async (ctx, { actor }, input) => {
  const row = await getImportRow(ctx, actor, input);
  const seenMs = Number(input.lastEventId) || 0;
  return row.ended_at !== null && row.updated_at <= seenMs ? undefined : follow(ctx, row, seenMs);
};

async function* follow(ctx: Ctx, first: ImportRow, seenMs: number): AsyncGenerator<ImportJob> {
  let seen = seenMs;
  for (let row: ImportRow | undefined = first; row; row = await findImport(ctx.db, first.id)) {
    const view = toImportView(ctx, row);
    const updatedAtMs = Date.parse(view.updatedAt);
    if (updatedAtMs > seen || row.ended_at !== null) yield view;
    if (row.ended_at !== null) return;
    seen = Math.max(seen, updatedAtMs);
    await pause(LOOK_EVERY_MS);
  }
}
