import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf } from "../../contract/paging.ts";
import { dateTime, described, text } from "../../contract/scalars.ts";
import { fileOwner } from "./files-contract.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const TIME = "2030-01-30T12:00:00Z";

/** The kinds of background jobs. `webhook` is a webhook delivery, and `mail` a mail. */
export const JOB_KINDS = [
  "scan",
  "import",
  "thumbnail",
  "webhook",
  "mail",
  "notices",
  "recipients",
  "password-reset",
  "block",
  "awaited-block",
  "withdrawal",
  "remove-account",
  "refund",
  "adjust-subscription",
] as const;

export type JobKindName = (typeof JOB_KINDS)[number];

const kind = described(z.enum(JOB_KINDS), "What it does; `webhook`: a delivery", "webhook");

const failedJob = z
  .object({
    id: described(z.string(), "Its ID, a UUID", ID),
    kind,
    subject: described(
      z.string().nullable(),
      "The ID of what it works on: a file, import, webhook endpoint, mail or account, a SHA-256, or a subscriber at Stripe; null: not shown",
      ID,
    ),
    name: described(z.string().nullable(), "Name of the file, host of the endpoint, or recipient of the mail", "hooks.example.org"),
    encrypted: described(z.boolean(), "Whether the file with that name is end-to-end encrypted", false),
    about: described(z.string().nullable(), "Type of the event that is delivered, or kind of the mail", "file.ready"),
    owner: fileOwner,
    attempts: described(z.int(), "Attempts until now", 8),
    error: described(z.string(), "Why the last one failed, in English", "The endpoint responded with status 500."),
    createdAt: described(dateTime, "When it was created", TIME),
    failedAt: described(dateTime, "When its last attempt failed", TIME),
    nextAttemptAt: described(dateTime.nullable(), "Time of the next attempt; null: none until somebody retries it", TIME),
    isRunning: described(z.boolean(), "Whether it runs now", false),
    canRetry: described(z.boolean(), "Whether it can be retried", true),
    canDrop: described(z.boolean(), "Whether it can be dropped", true),
  })
  .meta({ id: "FailedJob", description: "Background work whose last attempt failed" });

/** The number of failures of each kind, the most frequent kind first. */
export const failedJobCounts = z.array(z.object({ kind, count: described(z.int(), "How many", 2) }));

export type FailedJobView = z.infer<typeof failedJob>;

const jobId = described(text(64).min(1), "Its ID in the list", ID);

const named = z.object({ id: described(z.string(), "Its ID", ID), kind });

const UNKNOWN = "It is not in the list: it succeeded, was retried or dropped, or never existed";

/** administration, "Failed jobs". */
export const adminJobsContract = {
  listFailedJobs: defineOperation({
    summary: "List the background work that failed",
    description:
      "Jobs whose last attempt failed, webhook deliveries that failed, and mails that could not be sent; the last failure first.",
    tag: "Administration",
    method: "GET",
    path: "/admin/jobs",
    access: "admin",
    isCompressed: true,
    input: () =>
      z.object({
        kind: described(z.enum(JOB_KINDS).optional(), "Only of this kind", "webhook"),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: z
          .string()
          .regex(/^\d{1,15}_[0-9A-Za-z-]{1,40}$/, "give the `nextCursor` of the previous response")
          .optional()
          .meta({ description: "The `nextCursor` of the previous response", examples: [`1926590400000_${ID}`] }),
      }),
    output: () =>
      listOf(failedJob).extend({
        counts: described(failedJobCounts, "How much failed in all, by kind"),
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: {},
  }),
  retryFailedJob: defineOperation({
    summary: "Retry background work that failed",
    description: "Now, with all its attempts. It is no longer in the list unless it fails again. Send no body.",
    tag: "Administration",
    method: "POST",
    path: "/admin/jobs/{id}/retry",
    access: "admin",
    body: "query",
    input: () => z.object({ id: jobId }),
    envelope: "data",
    output: () => named,
    errors: { 404: UNKNOWN, 409: "It cannot be retried; the message says why" },
  }),
  retryFailedJobs: defineOperation({
    summary: "Retry all background work that failed",
    description: "All jobs that can be retried, of one kind or of all. Send no body.",
    tag: "Administration",
    method: "POST",
    path: "/admin/jobs/retry",
    access: "admin",
    body: "query",
    repeatable: true,
    input: () => z.object({ kind: described(z.enum(JOB_KINDS).optional(), "Only of this kind", "mail") }),
    envelope: "data",
    output: () =>
      z.object({
        retried: described(z.int(), "How many are tried again", 3),
        skipped: described(z.int(), "How many cannot be retried", 0),
      }),
    errors: {},
  }),
  dropFailedJob: defineOperation({
    summary: "Drop background work that failed",
    description: "It is not retried. An import is cancelled. Jobs that other work depends on cannot be dropped.",
    tag: "Administration",
    method: "DELETE",
    path: "/admin/jobs/{id}",
    access: "admin",
    input: () => z.object({ id: jobId }),
    envelope: "data",
    output: () => named,
    errors: { 404: UNKNOWN, 409: "It cannot be dropped; the message says why" },
  }),
  dropFailedJobs: defineOperation({
    summary: "Drop all background work of a kind that failed",
    description: "All of the kind that can be dropped.",
    tag: "Administration",
    method: "DELETE",
    path: "/admin/jobs",
    access: "admin",
    repeatable: true,
    input: () => z.object({ kind }),
    envelope: "data",
    output: () =>
      z.object({
        dropped: described(z.int(), "How many are dropped", 3),
        skipped: described(z.int(), "How many cannot be dropped", 0),
      }),
    errors: {},
  }),
} as const;
