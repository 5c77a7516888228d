import { changeWebhook } from "../../db/webhooks.ts";
import { newSecret } from "../../domain/alphabet.ts";
import type { Operation } from "../operation.ts";
import { webhookNotFound, webhookOwner } from "./own-webhook.ts";
import { toWebhook } from "./webhook-view.ts";

/** `POST /webhooks/{id}/rotate`: every attempt from now on is signed with the new secret, which is answered here and never again. */
export const rotateWebhookSecret: Operation<"rotateWebhookSecret"> = async (ctx, { actor }, { id }) => {
  const secret = newSecret(ctx.random, "whsec_");
  const change = { secret: ctx.keyring.encrypt(secret) };
  const row = await changeWebhook(ctx.db, { id, ownerId: webhookOwner(actor), nowMs: ctx.now(), change });
  if (!row) throw webhookNotFound();
  return { success: true, data: { ...toWebhook(row), secret } };
};
