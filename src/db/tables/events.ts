import type { Generated, Insertable, Selectable } from "kysely";

export interface EventTable {
  id: string;
  type: string;
  file_id: string;
  short_id: string;
  owner_id: string | null;
  data: string;
  /** The channel of a download, from `RequestContext.channel`. */
  channel: string | null;
  client_class: string | null;
  created_at: number;
  dispatched_at: number | null;
}

export type EventRow = Selectable<EventTable>;

export interface WebhookEndpointTable {
  id: string;
  owner_id: string;
  url: string;
  events: string;
  description: string | null;
  secret: string;
  status: Generated<"active" | "paused">;
  paused_reason: string | null;
  failed_attempts: Generated<number>;
  failed_events: Generated<number>;
  created_at: number;
  updated_at: number;
}

export type WebhookEndpointRow = Selectable<WebhookEndpointTable>;
export type NewWebhookEndpoint = Insertable<WebhookEndpointTable>;

export interface WebhookDeliveryTable {
  id: string;
  endpoint_id: string;
  event_id: string;
  type: string;
  body: string;
  status: Generated<"pending" | "delivered" | "failed">;
  is_manual: Generated<number>;
  attempts: Generated<number>;
  failures: Generated<number>;
  response_status: number | null;
  error: string | null;
  next_attempt_at: number | null;
  created_at: number;
  delivered_at: number | null;
  /** Time of the last failed attempt, if its status is `failed`. */
  failed_at: number | null;
}

export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>;
