import type { TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { fairKey } from "../accounts/actor.ts";
import { fileIdOf } from "./places.ts";

/** The kind of the jobs that scan a file. */
export const SCAN_JOB = "scan";

/** Minimum size of a file that counts as large in the scan queue. */
const LARGE_FILE_BYTES = 16 * 1024 ** 2;

/** Enqueues the scan of a file. All its places have one job. The queue is fair between owners and addresses. Resolves to the job's ID. */
export async function enqueueScan(
  ctx: TransactionCtx,
  file: Pick<FileRow, "id" | "origin_id" | "quota_owner" | "size_bytes">,
  runAtMs: number = ctx.now(),
): Promise<string> {
  const nowMs = ctx.now();
  const id = newUuid(ctx.random, nowMs);
  await enqueueJob(ctx.db, {
    id,
    kind: SCAN_JOB,
    subject: fileIdOf(file),
    runAtMs,
    nowMs,
    fairKey: fairKey(file.quota_owner),
    isLarge: file.size_bytes > LARGE_FILE_BYTES,
  });
  return id;
}
