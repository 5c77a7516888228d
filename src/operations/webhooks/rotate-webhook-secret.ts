import { changeWebhook } from "../../db/webhooks.ts";
import { newSecret } from "../../domain/alphabet.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { webhookNotFound } from "./own-webhook.ts";
import { toWebhook } from "./webhook-view.ts";

/** `POST /webhooks/{id}/rotate`: every attempt from now on is signed with the new secret, which is answered here and never again. */
export const rotateWebhookSecret: Operation<"rotateWebhookSecret"> = async (ctx, { actor, remember }, { id }) => {
  const secret = newSecret(ctx.random, "whsec_");
  const change = { secret: ctx.keyring.encrypt(secret) };
  return await ctx.tx(async (ctx) => {
    const row = await changeWebhook(ctx.db, { id, ownerId: requireUser(actor).userId, nowMs: ctx.now(), change });
    if (!row) throw webhookNotFound();
    const answer = { success: true, data: { ...toWebhook(row), secret } } as const;
    await remember?.(ctx, answer);
    return answer;
  });
};
