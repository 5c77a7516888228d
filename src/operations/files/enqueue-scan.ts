import type { TxCtx } from "../../context.ts";
import { enqueueJob } from "../../db/jobs.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { fairKey } from "../../domain/actor.ts";
import { newUuid } from "../../domain/alphabet.ts";

/** Files above this count as large in the scan queue. */
const LARGE_FILE_BYTES = 16 * 1024 ** 2;

/** Adds the job that checks a file, at `runAtMs`, as one of its owner's or its sender's address; resolves to the job's id. */
export async function enqueueScan(
  ctx: TxCtx,
  file: Pick<FileRow, "id" | "quota_owner" | "size_bytes">,
  runAtMs: number = ctx.now(),
): Promise<string> {
  const nowMs = ctx.now();
  const id = newUuid(ctx.random, nowMs);
  await enqueueJob(ctx.db, {
    id,
    kind: "scan",
    subject: file.id,
    runAtMs,
    nowMs,
    fairKey: fairKey(file.quota_owner),
    isLarge: file.size_bytes > LARGE_FILE_BYTES,
  });
  return id;
}
