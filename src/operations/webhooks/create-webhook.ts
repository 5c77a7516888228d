import { countWebhooks, insertWebhook } from "../../db/webhooks.ts";
import { newSecret, newUuid } from "../../domain/alphabet.ts";
import { WEBHOOKS } from "../../domain/webhooks.ts";
import { AppError } from "../../errors.ts";
import { checkNewWebhookUrl } from "../../net/webhook-url.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { toWebhook } from "./webhook-view.ts";

/** `POST /webhooks`: ten an account; the signing secret is answered here and never again. */
export const createWebhook: Operation<"createWebhook"> = async (ctx, { actor, remember }, { url, events, description }) => {
  const ownerId = requireUser(actor).userId;
  await checkNewWebhookUrl(url, ctx.config.webhookNetworks);
  const secret = newSecret(ctx.random, "whsec_");
  return await ctx.tx(async (ctx) => {
    if ((await countWebhooks(ctx.db, ownerId)) >= WEBHOOKS.perAccount) throw tooMany();
    const nowMs = ctx.now();
    const row = await insertWebhook(ctx.db, {
      id: newUuid(ctx.random, nowMs),
      owner_id: ownerId,
      url,
      events: JSON.stringify(events),
      description: description || null,
      secret: ctx.keyring.encrypt(secret),
      created_at: nowMs,
      updated_at: nowMs,
    });
    const answer = { success: true, data: { ...toWebhook(row), secret } } as const;
    await remember?.(ctx, answer);
    return answer;
  });
};

const tooMany = (): AppError =>
  new AppError("TOO_MANY_WEBHOOKS", `An account can have ${WEBHOOKS.perAccount} webhooks. Delete one that you no longer need.`);
