import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf } from "../../contract/paging.ts";
import { dateTime, dateTimeInput, described, emailVerified, text } from "../../contract/scalars.ts";

/** The recorded actions (administration, "The audit log"). The first word is the kind of the subject. */
export const AUDIT_ACTIONS = [
  "account.created",
  "account.renamed",
  "account.tier_set",
  "account.username_set",
  "account.password_changed",
  "account.two_step_on",
  "account.two_step_off",
  "account.recovery_codes_replaced",
  "account.passkey_added",
  "account.passkey_renamed",
  "account.passkey_removed",
  "account.passkey_copied",
  "account.provider_connected",
  "account.provider_disconnected",
  "account.reset_link_created",
  "account.email_verified",
  "account.email_change_requested",
  "account.email_change_cancelled",
  "account.email_changed",
  "account.role_set",
  "account.notices_changed",
  "account.signed_out",
  "account.disabled",
  "account.enabled",
  "account.deleted",
  "account.files_deleted",
  "session.started",
  "session.ended",
  "application.connected",
  "application.disconnected",
  "key.created",
  "key.rotated",
  "key.revoked",
  "invite.created",
  "invite.revoked",
  "delegation.created",
  "share.created",
  "share.changed",
  "share.claimed",
  "share.sent",
  "share.recipient_removed",
  "share.taken_down",
  "share.restored",
  "share.closed",
  "share.deleted",
  "file.taken_down",
  "file.restored",
  "file.rescanned",
  "file.deleted",
  "request.created",
  "request.changed",
  "request.rotated",
  "request.deleted",
  "job.retried",
  "job.dropped",
  "digest.blocked",
  "digest.unblocked",
  "report.resolved",
  "setting.changed",
  "webhook.created",
  "webhook.changed",
  "webhook.rotated",
  "webhook.deleted",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";

const auditedAccount = (description: string) =>
  described(
    z
      .object({
        id: described(z.string(), "The account's ID, a UUID", ID),
        email: described(z.string().nullable(), "Its email address; null: it was deleted", "ada@example.org"),
        emailVerified,
      })
      .nullable(),
    description,
  );

const auditEntry = z
  .object({
    id: described(z.string(), "The entry's ID: a number in the order of the changes", "1042"),
    at: described(dateTime, "When it was done", "2030-01-30T12:00:00Z"),
    action: described(z.string(), "What was done", "key.created"),
    origin: described(z.enum(["account", "key", "application", "command_line", "system"]), "How it was done; account: in a session", "key"),
    actor: auditedAccount("The account that did it; null: the command line or the server itself"),
    keyPrefix: described(z.string().nullable(), "The first characters of the key that it was done with", "bc_3kT9xQ2m"),
    application: described(
      z
        .object({
          id: described(z.string(), "The connection's ID, a UUID", ID),
          name: described(z.string().nullable(), "As the application calls itself; null: it was disconnected", "Claude"),
        })
        .nullable(),
      "The application that did it for the account",
    ),
    subjectId: described(z.string(), "What it was done to: an ID of the kind that the action begins with", ID),
    account: auditedAccount("The account that the subject belongs to"),
    details: described(
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      "What it was set to; never a secret",
      { scope: "full" },
    ),
    address: described(z.string().nullable(), "The caller's IP address; null if addresses are not kept", "192.0.2.7"),
  })
  .meta({ id: "AuditEntry", description: "An entry of the audit log" });

export type AuditEntryView = z.infer<typeof auditEntry>;

export const auditLogContract = {
  listAuditLog: defineOperation({
    summary: "List the audit log",
    description: "Newest first: what was done to accounts, keys, shares and settings.",
    tag: "Administration",
    method: "GET",
    path: "/admin/audit-log",
    access: "admin",
    isCompressed: true,
    input: () =>
      z.object({
        since: described(dateTimeInput.optional(), "Only what was done at this time or later", "2030-01-30T12:00:00Z"),
        until: described(dateTimeInput.optional(), "Only what was done before this time", "2030-01-31T00:00:00Z"),
        actor: described(
          text(254).min(1).optional(),
          "Who did it: an account's ID, email address or username, a key's ID or prefix, the ID of an application's connection, `command_line` or `system`",
          "ada@example.org",
        ),
        action: described(text(64).min(1).optional(), "An action, or a kind of subject such as `key`", "key.created"),
        subject: described(
          text(254).min(1).optional(),
          "What it was done to: its ID, or the ID, email address or username of the account that it belongs to",
          ID,
        ),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: described(
          z
            .string()
            .regex(/^\d{1,15}$/, "give the nextCursor of a page")
            .optional(),
          "The `nextCursor` of the previous page",
          "1042",
        ),
      }),
    output: () =>
      listOf(auditEntry).extend({
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: {},
  }),
} as const;
