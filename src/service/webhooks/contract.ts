import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf } from "../../contract/paging.ts";
import { dateTime, described, storedText, text } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { FILE_EVENTS, TEST_EVENT } from "../events/contract.ts";

const webhookId = described(z.string().min(1), "The endpoint's ID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");
const deliveryId = described(z.string().min(1), "The delivery's ID", "0198c1f0-7a11-7d20-8c4e-5b6a7f8e9d0c");

const url = z
  .url({ protocol: /^https?$/, error: "give a URL such as https://example.org/hooks/filehost" })
  .max(2048)
  .meta({ description: "Public HTTPS URL of the endpoint", examples: ["https://example.org/hooks/filehost"] });
const events = z
  .array(z.enum(FILE_EVENTS))
  .min(1, "choose at least one event")
  .max(50)
  .transform((chosen) => FILE_EVENTS.filter((event) => chosen.includes(event)))
  .meta({ description: "Which events to send", examples: [["file.ready", "file.failed"]] });
const description = storedText(200)
  .transform((value) => value.trim())
  .nullable()
  .meta({ description: "Your note", examples: ["production"] });

const endpoint = z.object({
  id: webhookId,
  url: described(z.string(), "URL of the endpoint", "https://example.org/hooks/filehost"),
  events: described(z.array(z.enum(FILE_EVENTS)), "Which events are sent", ["file.ready", "file.failed"]),
  description: described(z.string().nullable(), "Your note", "production"),
  status: described(z.enum(["active", "paused"]), "paused: events are queued", "active"),
  pausedReason: described(z.string().nullable(), "Why it is paused; null if it is active"),
  createdAt: described(dateTime, "When it was created", "2030-01-30T12:00:00Z"),
  updatedAt: described(dateTime, "When it was last changed", "2030-01-30T12:00:00Z"),
});

/** A webhook endpoint, without its secret (webhooks, "Endpoints"). */
export const webhook = endpoint.meta({ id: "Webhook", description: "A webhook endpoint" });
export type Webhook = z.infer<typeof webhook>;

/** An endpoint with the secret that signs its deliveries; returned only by create and rotate. */
const webhookWithSecret = endpoint
  .extend({ secret: described(secret(z.string()), "Signs the deliveries; shown once", "whsec_4nQ7bX") })
  .meta({ id: "WebhookWithSecret", description: "A webhook endpoint with its signing secret" });

/** A delivery: one event for one endpoint. */
export const webhookDelivery = z
  .object({
    id: deliveryId,
    eventId: described(z.string(), "The event's ID, as in its body", "0198c1f0-7a10-7b3c-9d2e-1a2b3c4d5e6f"),
    type: described(z.enum([...FILE_EVENTS, TEST_EVENT]), "Type of the event", "file.ready"),
    status: described(z.enum(["pending", "delivered", "failed"]), "State of the delivery", "delivered"),
    attempts: described(z.int(), "Number of attempts", 1),
    responseStatus: described(z.int().nullable(), "HTTP status of the last response", 200),
    error: described(z.string().nullable(), "Error of the last attempt"),
    createdAt: described(dateTime, "When the event happened", "2030-01-30T12:00:00Z"),
    nextAttemptAt: described(dateTime.nullable(), "When the next attempt is; null: none"),
    deliveredAt: described(dateTime.nullable(), "When it was delivered; null: not yet", "2030-01-30T12:00:01Z"),
  })
  .meta({ id: "WebhookDelivery", description: "One event for one endpoint" });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

const URL_ERROR = "A field is not valid, or the URL is not public HTTPS";
const UNKNOWN = "Unknown or not yours";

export const webhooksContract = {
  listWebhooks: defineOperation({
    summary: "List your webhook endpoints",
    tag: "Webhooks",
    method: "GET",
    path: "/webhooks",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.array(webhook),
    errors: {},
  }),
  createWebhook: defineOperation({
    summary: "Add a webhook endpoint",
    description:
      "The response has the signing secret, shown once. Each delivery is a POST with the headers `service-webhook-id`, " +
      "`service-webhook-timestamp` (Unix seconds) and `service-webhook-signature`: `v1,` and the lowercase hexadecimal HMAC-SHA256, " +
      "keyed with the whole secret, over `{id}.{timestamp}.{rawBody}`. Reject timestamps older than 300 seconds, respond with 2xx within " +
      "10 seconds, and deduplicate by the event's `id`: events may arrive more than once, and in any order. An account has at most ten endpoints.",
    tag: "Webhooks",
    method: "POST",
    path: "/webhooks",
    access: "full",
    requires: ["verified"],
    input: () => z.object({ url, events, description: description.optional() }),
    example: { url: "https://example.org/hooks/filehost", events: ["file.ready", "file.failed"] },
    envelope: "data",
    output: () => webhookWithSecret,
    errors: { 400: URL_ERROR, 409: "The account already has ten endpoints" },
  }),
  updateWebhook: defineOperation({
    summary: "Change, pause or resume a webhook endpoint",
    description:
      "A paused endpoint queues its events: the newest 10,000 of the last 30 days. `active` resumes it: " +
      "queued events are sent, and the count of failures is reset.",
    tag: "Webhooks",
    method: "PATCH",
    path: "/webhooks/{id}",
    access: "full",
    input: () =>
      z.object({
        id: webhookId,
        url: url.optional(),
        events: events.optional(),
        description: description.optional(),
        status: z
          .enum(["active", "paused", "enabled", "disabled"])
          .transform((status) => (status === "active" || status === "enabled" ? "active" : "paused"))
          .optional()
          .meta({ description: "active (also enabled), or paused (also disabled)", examples: ["paused"] }),
      }),
    example: { id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e", status: "paused" },
    envelope: "data",
    output: () => webhook,
    errors: { 400: URL_ERROR, 404: UNKNOWN },
  }),
  deleteWebhook: defineOperation({
    summary: "Delete a webhook endpoint and its log",
    tag: "Webhooks",
    method: "DELETE",
    path: "/webhooks/{id}",
    access: "full",
    input: () => z.object({ id: webhookId }),
    envelope: "data",
    output: () => z.object({ id: webhookId }),
    errors: { 404: UNKNOWN },
  }),
  rotateWebhookSecret: defineOperation({
    summary: "Give a webhook endpoint a new signing secret",
    description: "The old secret is no longer used. The response has the new secret, shown once.",
    tag: "Webhooks",
    method: "POST",
    path: "/webhooks/{id}/rotate",
    access: "full",
    body: "query",
    input: () => z.object({ id: webhookId }),
    envelope: "data",
    output: () => webhookWithSecret,
    errors: { 404: UNKNOWN },
  }),
  testWebhook: defineOperation({
    summary: "Send webhook.test to an endpoint",
    description: "Works for a paused endpoint too. The result is in the endpoint's deliveries.",
    tag: "Webhooks",
    method: "POST",
    path: "/webhooks/{id}/test",
    access: "full",
    body: "query",
    input: () => z.object({ id: webhookId }),
    envelope: "data",
    output: () => webhookDelivery,
    errors: { 404: UNKNOWN, 429: "Too many requests, or too many test events; see Retry-After" },
  }),
  listWebhookDeliveries: defineOperation({
    summary: "List the deliveries of an endpoint",
    description: "Newest first, of the last 30 days. Deliveries of a paused endpoint stay `pending` until it is resumed.",
    tag: "Webhooks",
    method: "GET",
    isCompressed: true,
    path: "/webhooks/{id}/deliveries",
    access: "full",
    input: () =>
      z.object({
        id: webhookId,
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: described(text(64).min(1).optional(), "The `nextCursor` of the previous page", "0198c1f0-7a11-7d20-8c4e-5b6a7f8e9d0c"),
      }),
    output: () =>
      listOf(webhookDelivery).extend({
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: { 404: UNKNOWN },
  }),
  retryWebhookDelivery: defineOperation({
    summary: "Send an event again",
    description: "Immediately, with up to eight attempts; one attempt if the endpoint is paused.",
    tag: "Webhooks",
    method: "POST",
    path: "/webhooks/{id}/deliveries/{deliveryId}/retry",
    access: "full",
    body: "query",
    input: () => z.object({ id: webhookId, deliveryId }),
    envelope: "data",
    output: () => webhookDelivery,
    errors: { 404: UNKNOWN, 429: "Too many requests, or too many test events; see Retry-After" },
  }),
} as const;
