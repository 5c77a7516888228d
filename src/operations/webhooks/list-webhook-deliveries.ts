import { listDeliveries } from "../../db/webhook-deliveries.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { getOwnWebhook } from "./own-webhook.ts";
import { toDelivery } from "./webhook-view.ts";

/** `GET /webhooks/{id}/deliveries`: newest first; `nextCursor` is null on the last page. */
export const listWebhookDeliveries: Operation<"listWebhookDeliveries"> = async (ctx, { actor }, { id, limit, cursor }) => {
  await getOwnWebhook(ctx.db, actor, id);
  const most = clampLimit(limit, { standard: 50, most: 200 });
  const rows = await listDeliveries(ctx.db, { endpointId: id, before: cursor, limit: most + 1 });
  const page = rows.slice(0, most);
  return { success: true, data: page.map(toDelivery), nextCursor: rows.length > most ? (page.at(-1)?.id ?? null) : null };
};
