import { listWebhooks as listRows } from "../../db/webhooks.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { toWebhook } from "./webhook-view.ts";

/** `GET /webhooks`. */
export const listWebhooks: Operation<"listWebhooks"> = async (ctx, { actor }) => {
  const rows = await listRows(ctx.db, requireUser(actor).userId);
  return { success: true, data: rows.map(toWebhook) };
};
