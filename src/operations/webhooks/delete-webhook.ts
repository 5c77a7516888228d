import { removeWebhook } from "../../db/webhooks.ts";
import type { Operation } from "../operation.ts";
import { webhookNotFound, webhookOwner } from "./own-webhook.ts";

/** `DELETE /webhooks/{id}`: nothing more is sent to it, and its log goes with it. */
export const deleteWebhook: Operation<"deleteWebhook"> = async (ctx, { actor }, { id }) => {
  if (!(await removeWebhook(ctx.db, { id, ownerId: webhookOwner(actor) }))) throw webhookNotFound();
  return { success: true, data: { id } };
};
