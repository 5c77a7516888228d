import type { Ctx } from "../../context.ts";
import type { DeliverableFile } from "../../db/deliveries.ts";
import { listTakers } from "../../db/webhooks.ts";

/** Whether the file's owner has a webhook that wants to hear when a download has ended (decisions, "Storage"). */
export async function awaitsCompletion(ctx: Pick<Ctx, "db">, file: DeliverableFile): Promise<boolean> {
  if (file.owner_id === null) return false;
  const takers = await listTakers(ctx.db, [file.owner_id]);
  return takers.some(({ events }) => events.includes("file.downloaded"));
}
