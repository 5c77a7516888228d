import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { notFound } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { consumeAddressRate } from "../accounts/rate-limits.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { findShareNames, toUntitledName } from "../share-names.ts";
import { type FoundShare, findLinkedShare, listShareFiles } from "../shares/queries.ts";
import { insertReport } from "./queries.ts";

/** A share that can be reported, and its files. */
export interface ReportableShare {
  readonly share: FoundShare;
  readonly files: readonly FileRow[];
}

/** Finds the share of a link in any state but deleted; undefined for a private share. */
export async function findReportable(ctx: Pick<Ctx, "db">, shortId: string): Promise<ReportableShare | undefined> {
  const share = await findLinkedShare(ctx.db, shortId);
  if (!share || share.status === "deleted" || share.is_private === 1) return undefined;
  return { share, files: await listShareFiles(ctx.db, share.short_id) };
}

/** `POST /reports`: stores a report with the current data of the share, because its sender may delete the share. */
export const createReport: Operation<"createReport"> = async (ctx, call, { shortId, reason, details, email }) => {
  const found = await findReportable(ctx, shortId);
  if (!found) throw notFound("share", "Check its link.", "or was deleted");
  const { share, files } = found;
  const [file] = files;
  const untitled = (await findShareNames(ctx.db, [share.short_id])).get(share.short_id);
  const id = newUuid(ctx.random, ctx.now());
  const output = await commitResponse(ctx, call, async (ctx) => {
    await consumeAddressRate(ctx, { name: "reports", address: call.address });
    await insertReport(ctx.db, {
      id,
      short_id: share.short_id,
      name: share.title ?? (untitled ? toUntitledName(untitled) : share.name),
      file_count: files.length,
      size_bytes: files.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
      sha256: share.kind === "file" ? (file?.sha256 ?? null) : null,
      reason,
      details: details || null,
      email: email ?? null,
      created_at: ctx.now(),
      resolved_at: null,
      resolution: null,
      outcome: null,
      resolved_by: null,
    });
    return { id };
  });
  ctx.log.warn({ reportId: id, reason }, "a share was reported; read it with: filehost reports list");
  return output;
};
