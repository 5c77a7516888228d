import type { Db } from "../../db/database.ts";
import type { WebhookEndpointRow } from "../../db/schema.ts";
import { findWebhook } from "../../db/webhooks.ts";
import { type Actor, ownerId } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";

/** The account whose endpoints the actor manages. Throws UNAUTHENTICATED. */
export function webhookOwner(actor: Actor): string {
  const owner = ownerId(actor);
  if (owner === null) throw new AppError("UNAUTHENTICATED", "Webhooks belong to an account. Send an API key.");
  return owner;
}

/** An endpoint of the actor's. Throws NOT_FOUND, also for another's. */
export async function getOwnWebhook(db: Db, actor: Actor, id: string): Promise<WebhookEndpointRow> {
  const webhook = await findWebhook(db, { id, ownerId: webhookOwner(actor) });
  if (!webhook) throw webhookNotFound();
  return webhook;
}

export const webhookNotFound = (): AppError => new AppError("NOT_FOUND", "There is no such webhook, or it is not yours.");
