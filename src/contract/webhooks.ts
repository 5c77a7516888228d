import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { limit, listOf } from "./paging.ts";
import { dateTime, described, keptText, text } from "./scalars.ts";

/** Everything that can happen to a file; the one list of it (interface, "Events"). */
export const FILE_EVENTS = ["file.ready", "file.failed", "file.expired", "file.authorized", "file.downloaded"] as const;
export type FileEvent = (typeof FILE_EVENTS)[number];
/** Sent by the test route alone, whatever an endpoint chose. */
export const TEST_EVENT = "webhook.test";

const webhookId = described(z.string().min(1), "The endpoint's id", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");
const deliveryId = described(z.string().min(1), "The delivery's id", "0198c1f0-7a11-7d20-8c4e-5b6a7f8e9d0c");

const url = z
  .url({ protocol: /^https?$/, error: "give an address such as https://example.org/hooks/filehost" })
  .max(2048)
  .meta({ description: "A public HTTPS address", examples: ["https://example.org/hooks/filehost"] });
const events = z
  .array(z.enum(FILE_EVENTS))
  .min(1, "choose at least one event")
  .max(50)
  .transform((chosen) => FILE_EVENTS.filter((event) => chosen.includes(event)))
  .meta({ description: "Which events to send", examples: [["file.ready", "file.failed"]] });
const description = keptText(200)
  .transform((value) => value.trim())
  .nullable()
  .meta({ description: "A note of yours", examples: ["production"] });

const endpoint = z.object({
  id: webhookId,
  url: described(z.string(), "Where events are sent", "https://example.org/hooks/filehost"),
  events: described(z.array(z.enum(FILE_EVENTS)), "Which events are sent", ["file.ready", "file.failed"]),
  description: described(z.string().nullable(), "A note of yours", "production"),
  status: described(z.enum(["active", "paused"]), "Events of a paused endpoint wait", "active"),
  pausedReason: described(z.string().nullable(), "Why it is paused, where it is"),
  createdAt: described(dateTime, "When it was added", "2030-01-30T12:00:00Z"),
  updatedAt: described(dateTime, "When it was changed last", "2030-01-30T12:00:00Z"),
});

/** An endpoint, without its secret (decisions, "Webhooks"). */
export const webhook = endpoint.meta({ id: "Webhook", description: "An endpoint that events are sent to" });
export type Webhook = z.infer<typeof webhook>;

/** An endpoint with the secret that its deliveries are signed with; shown on create and rotate alone. */
const webhookWithSecret = endpoint
  .extend({ secret: described(z.string(), "Signs the deliveries; shown once", "whsec_4nQ7bX") })
  .meta({ id: "WebhookWithSecret", description: "An endpoint with its signing secret" });

/** One event on its way to one endpoint. */
export const webhookDelivery = z
  .object({
    id: deliveryId,
    eventId: described(z.string(), "The event's id, as its body has it", "0198c1f0-7a10-7b3c-9d2e-1a2b3c4d5e6f"),
    type: described(z.enum([...FILE_EVENTS, TEST_EVENT]), "What happened", "file.ready"),
    status: described(z.enum(["pending", "delivered", "failed"]), "How the delivery stands", "delivered"),
    attempts: described(z.int(), "How often it was tried", 1),
    responseStatus: described(z.int().nullable(), "Status that the receiver answered last", 200),
    error: described(z.string().nullable(), "What went wrong last"),
    createdAt: described(dateTime, "When the event happened", "2030-01-30T12:00:00Z"),
    nextAttemptAt: described(dateTime.nullable(), "When it is tried again; null: it is not"),
    deliveredAt: described(dateTime.nullable(), "When it was taken; null: it was not yet", "2030-01-30T12:00:01Z"),
  })
  .meta({ id: "WebhookDelivery", description: "One event for one endpoint" });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

const URL_ERROR = "Invalid input, or an address that is not public HTTPS";
const UNKNOWN = "Unknown, or not yours";

export const webhooksContract = {
  listWebhooks: defineOperation({
    summary: "List your webhook endpoints",
    tag: "Webhooks",
    method: "GET",
    path: "/webhooks",
    access: "full",
    input: z.object({}),
    output: listOf(webhook),
    errors: {},
  }),
  createWebhook: defineOperation({
    summary: "Add a webhook endpoint",
    description:
      "The answer carries the signing secret, once. Each delivery is a POST with the headers `service-webhook-id`, " +
      "`service-webhook-timestamp` (Unix seconds) and `service-webhook-signature`: `v1,` and the lowercase hexadecimal HMAC-SHA256, " +
      "keyed with the whole secret, over `{id}.{timestamp}.{rawBody}`. Refuse timestamps older than 300 seconds, answer 2xx within " +
      "10 seconds, and go by the event's `id`: an event may come more than once, and in any order. Ten endpoints an account.",
    tag: "Webhooks",
    method: "POST",
    path: "/webhooks",
    access: "full",
    input: z.object({ url, events, description: description.optional() }),
    example: { url: "https://example.org/hooks/filehost", events: ["file.ready", "file.failed"] },
    output: z.object({ success: z.literal(true), data: webhookWithSecret }),
    errors: { 400: URL_ERROR, 409: "There are ten endpoints already" },
  }),
  updateWebhook: defineOperation({
    summary: "Change, pause or enable a webhook endpoint",
    description:
      "What happens while an endpoint is paused waits in its log, the newest 10,000 events of the last 30 days. `active` enables it: " +
      "all that waits is sent, and its failures are forgotten.",
    tag: "Webhooks",
    method: "PATCH",
    path: "/webhooks/{id}",
    access: "full",
    input: z.object({
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
    output: z.object({ success: z.literal(true), data: webhook }),
    errors: { 400: URL_ERROR, 404: UNKNOWN },
  }),
  deleteWebhook: defineOperation({
    summary: "Delete a webhook endpoint and its log",
    tag: "Webhooks",
    method: "DELETE",
    path: "/webhooks/{id}",
    access: "full",
    input: z.object({ id: webhookId }),
    output: z.object({ success: z.literal(true), data: z.object({ id: webhookId }) }),
    errors: { 404: UNKNOWN },
  }),
  rotateWebhookSecret: defineOperation({
    summary: "Give a webhook endpoint a new signing secret",
    description: "The old one is not used from now on. The answer carries the new one, once.",
    tag: "Webhooks",
    method: "POST",
    path: "/webhooks/{id}/rotate",
    access: "full",
    body: "query",
    input: z.object({ id: webhookId }),
    output: z.object({ success: z.literal(true), data: webhookWithSecret }),
    errors: { 404: UNKNOWN },
  }),
  testWebhook: defineOperation({
    summary: "Send webhook.test to an endpoint",
    description: "Also to a paused one. How it went is in the endpoint's deliveries.",
    tag: "Webhooks",
    method: "POST",
    path: "/webhooks/{id}/test",
    access: "full",
    body: "query",
    input: z.object({ id: webhookId }),
    output: z.object({ success: z.literal(true), data: webhookDelivery }),
    errors: { 404: UNKNOWN, 429: "Too many requests, or too many test events; see Retry-After" },
  }),
  listWebhookDeliveries: defineOperation({
    summary: "What was sent to an endpoint, and how it went",
    description: "Newest first, of the last 30 days. Those of a paused endpoint stay `pending` until it is enabled.",
    tag: "Webhooks",
    method: "GET",
    path: "/webhooks/{id}/deliveries",
    access: "full",
    input: z.object({
      id: webhookId,
      limit: limit("Deliveries a page: 50 by default, 200 at most"),
      cursor: described(text(64).min(1).optional(), "The `nextCursor` of the page before", "0198c1f0-7a11-7d20-8c4e-5b6a7f8e9d0c"),
    }),
    output: listOf(webhookDelivery).extend({
      nextCursor: described(z.string().nullable(), "Where the next page begins; null: this is the last"),
    }),
    errors: { 404: UNKNOWN },
  }),
  retryWebhookDelivery: defineOperation({
    summary: "Send an event again",
    description: "At once, and with eight attempts; one attempt where the endpoint is paused.",
    tag: "Webhooks",
    method: "POST",
    path: "/webhooks/{id}/deliveries/{deliveryId}/retry",
    access: "full",
    body: "query",
    input: z.object({ id: webhookId, deliveryId }),
    output: z.object({ success: z.literal(true), data: webhookDelivery }),
    errors: { 404: UNKNOWN, 429: "Too many requests, or too many test events; see Retry-After" },
  }),
} as const;
