import { removeWebhook } from "../../db/webhooks.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { webhookNotFound } from "./own-webhook.ts";

/** `DELETE /webhooks/{id}`: nothing more is sent to it, and its log goes with it. */
export const deleteWebhook: Operation<"deleteWebhook"> = async (ctx, { actor, remember }, { id }) => {
  const answer = { success: true, data: { id } } as const;
  await ctx.tx(async (ctx) => {
    if (!(await removeWebhook(ctx.db, { id, ownerId: requireUser(actor).userId }))) throw webhookNotFound();
    await remember?.(ctx, answer);
  });
  return answer;
};
