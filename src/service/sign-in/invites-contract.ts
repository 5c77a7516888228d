import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, text } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const inviteId = described(text(64).min(1), "The invite's ID", ID);
const role = z.enum(["user", "admin"]);

const invite = z.object({
  id: inviteId,
  role: described(role, "The role of the account that it creates", "user"),
  email: described(z.string().nullable(), "The only address that may use it; null: any", "ada@example.org"),
  isMailed: described(z.boolean(), "Whether its link is mailed to that address", false),
  createdAt: described(dateTime, "When it was created", "2030-01-30T12:00:00Z"),
  expiresAt: described(dateTime, "Until when it can be used", "2030-02-06T12:00:00Z"),
});

/** accounts, "Invites". */
export const invitesContract = {
  listOpenInvites: defineOperation({
    summary: "List the invites that can still be used",
    tag: "Administration",
    method: "GET",
    path: "/admin/invites",
    access: "admin",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.array(invite.meta({ id: "Invite", description: "An invite, without its link" })),
    errors: {},
  }),
  createInvite: defineOperation({
    summary: "Create a link with which one person can create an account",
    description: "The link is shown once. Where mail is set, it is mailed to `email`.",
    tag: "Administration",
    method: "POST",
    path: "/admin/invites",
    access: "admin",
    input: () =>
      z.object({
        email: described(text(254).min(1).nullish(), "The only address that may use it; default: any", "ada@example.org"),
        role: described(role.optional(), "The role of the account that it creates; default: user", "user"),
      }),
    example: { email: "ada@example.org" },
    envelope: "data",
    output: () =>
      invite.extend({ url: described(secret(z.string()), "The link; shown once", "https://files.example.org/invite/invite_8wVn") }),
    errors: { 400: "The address is not valid" },
  }),
  revokeInvite: defineOperation({
    summary: "Revoke an invite",
    tag: "Administration",
    method: "DELETE",
    path: "/admin/invites/{id}",
    access: "admin",
    input: () => z.object({ id: inviteId }),
    envelope: "data",
    output: () => z.object({ id: inviteId }),
    errors: { 404: "Unknown, used or expired" },
  }),
} as const;
