import type { Webhook, WebhookDelivery } from "../../contract/webhooks.ts";
import type { WebhookDeliveryRow, WebhookEndpointRow } from "../../db/tables/events.ts";
import { chosenEvents } from "../../db/webhooks.ts";

/** An endpoint as its owner sees it, without its secret. */
export function toWebhook(row: WebhookEndpointRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: chosenEvents(row),
    description: row.description,
    status: row.status,
    pausedReason: row.paused_reason,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  };
}

/** A line of an endpoint's log. */
export function toDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type as WebhookDelivery["type"],
    status: row.status,
    attempts: row.attempts,
    responseStatus: row.response_status,
    error: row.error,
    createdAt: toIso(row.created_at),
    nextAttemptAt: row.next_attempt_at === null ? null : toIso(row.next_attempt_at),
    deliveredAt: row.delivered_at === null ? null : toIso(row.delivered_at),
  };
}

const toIso = (ms: number): string => new Date(ms).toISOString();
