import type { TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { markArrived } from "../files/mark-arrived.ts";
import { enqueueNotice } from "../notices/enqueue-notice.ts";
import { findRequest } from "./queries.ts";

/**
 * Notifies the owner of a request when a file that was sent to it is ready for the first time. Does nothing for other files. Call `ctx.wakeJobs()`
 * afterwards.
 */
export async function notifyFileReceived(
  ctx: TransactionCtx,
  { id, request_id, owner_id }: Pick<FileRow, "id" | "request_id" | "owner_id">,
): Promise<void> {
  if (request_id === null || owner_id === null || !(await markArrived(ctx, id))) return;
  const request = await findRequest(ctx.db, request_id);
  if (request)
    await enqueueNotice(ctx, {
      userId: owner_id,
      kind: "arrived",
      about: request_id,
      title: () => request.title,
      path: `/requests/${request_id}`,
      wanted: request.notify === null ? null : request.notify === 1,
    });
}
