import type { Ctx } from "../../context.ts";
import type { Output } from "../../contract/index.ts";
import { listRunFiles } from "../../db/listing.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { requireUser } from "../require-user.ts";
import { toFileItem } from "./file-item.ts";

/** `GET /files/run/{runId}`: the run's files of this account, newest first; none is no error. */
export const listRun: Operation<"listRun"> = async (ctx, { actor }, { runId, limit }) => ({
  success: true,
  data: await findRun(ctx, { ownerId: requireUser(actor).userId, runId, limit }),
});

/** A run's files; 100 by default, 500 at most (decisions, "Listing"). */
export async function findRun(
  ctx: Ctx,
  { ownerId, runId, limit }: { ownerId: string; runId: string; limit: number | undefined },
): Promise<Output<"listRun">["data"]> {
  const files = await listRunFiles(ctx.db, { ownerId, runId }, clampLimit(limit, { standard: 100, most: 500 }));
  return { runId, artifacts: files.map((file) => toFileItem(ctx, file)) };
}
