import type { Input } from "../../contract/index.ts";
import { changeWebhook, type WebhookChange } from "../../db/webhooks.ts";
import { enqueueEndpoint } from "../../events/enqueue-endpoint.ts";
import { checkNewWebhookUrl } from "../../net/webhook-url.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { getOwnWebhook, webhookNotFound } from "./own-webhook.ts";
import { toWebhook } from "./webhook-view.ts";

/** `PATCH /webhooks/{id}`: enabling forgets the failures, and goes on with all that has waited. */
export const updateWebhook: Operation<"updateWebhook"> = async (ctx, { actor, remember }, { id, ...fields }) => {
  const before = await getOwnWebhook(ctx.db, actor, id);
  if (fields.url !== undefined && fields.url !== before.url) await checkNewWebhookUrl(fields.url, ctx.config.webhookNetworks);
  const answer = await ctx.tx(async (ctx) => {
    const changed = await changeWebhook(ctx.db, { id, ownerId: requireUser(actor).userId, nowMs: ctx.now(), change: toChange(fields) });
    if (!changed) throw webhookNotFound();
    if (fields.status === "active") await enqueueEndpoint(ctx, id);
    const answer = { success: true, data: toWebhook(changed) } as const;
    await remember?.(ctx, answer);
    return answer;
  });
  if (fields.status === "active") ctx.wakeJobs();
  return answer;
};

const ENABLED: WebhookChange = { status: "active", paused_reason: null, failed_attempts: 0, failed_events: 0 };
const PAUSED: WebhookChange = { status: "paused", paused_reason: "Paused by its owner." };

function toChange({ url, events, description, status }: Omit<Input<"updateWebhook">, "id">): WebhookChange {
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: JSON.stringify(events) }),
    ...(description !== undefined && { description: description || null }),
    ...(status === "active" && ENABLED),
    ...(status === "paused" && PAUSED),
  };
}
