import type { Db } from "../../db/database.ts";
import type { WebhookEndpointRow } from "../../db/tables/events.ts";
import { findWebhook } from "../../db/webhooks.ts";
import type { Actor } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";
import { requireUser } from "../require-user.ts";

/** An endpoint of the actor's. Throws NOT_FOUND, also for another's. */
export async function getOwnWebhook(db: Db, actor: Actor, id: string): Promise<WebhookEndpointRow> {
  const webhook = await findWebhook(db, { id, ownerId: requireUser(actor).userId });
  if (!webhook) throw webhookNotFound();
  return webhook;
}

export const webhookNotFound = (): AppError => new AppError("NOT_FOUND", "There is no such webhook, or it is not yours.");
