import { invitesContract } from "../../service/sign-in/invites-contract.ts";
import { createInvite, listOpenInvites, revokeInvite } from "../../service/sign-in/manage-invites.ts";
import { administer } from "../administer.ts";
import { defineCommand } from "../command.ts";
import { confirmIrreversible, IRREVERSIBLE_OPTIONS } from "../options/irreversible.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { formatTable, formatTime } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

export const invitesCreate = defineCommand({
  details:
    "The link works once and for 7 days, also where FILEHOST_SIGNUP is invite or closed. It is shown once. Where mail is set, a running server\nalso sends it to its address.",
  options: {
    email: { kind: "text", value: "ADDRESS", help: "The only email address that may use it" },
    admin: { kind: "flag", help: "Make it an administrator's account" },
  },
  settings: DATA_SETTINGS,
  examples: ["filehost invites create", "filehost invites create --email ada@example.org --admin"],
  async run({ options: { email, admin }, load }) {
    const invite = await withApp(
      await load(),
      (ctx) => administer(ctx, [invitesContract.createInvite, createInvite], { email, role: admin ? "admin" : "user" }),
      {
        database: "create",
      },
    );
    const notes = [
      `It can be used until ${formatTime(invite.expiresAt)}.`,
      ...(invite.isMailed ? [`It is mailed to ${invite.email}.`] : []),
    ];
    return { data: invite, text: `${invite.url}\n`, notes };
  },
});

export const invitesList = defineCommand({
  settings: DATA_SETTINGS,
  examples: ["filehost invites list", "filehost invites list --json"],
  async run({ load }) {
    const invites = await withApp(await load(), (ctx) => administer(ctx, [invitesContract.listOpenInvites, listOpenInvites], {}));
    const rows = invites.map(({ id, email, role, expiresAt }) => [id, email ?? "-", role, formatTime(expiresAt)]);
    return { data: invites, text: formatTable(["ID", "EMAIL", "ROLE", "EXPIRES"], rows, "There are no invites.") };
  },
});

export const invitesRevoke = defineCommand({
  args: { ID: { help: "The invite's ID" } },
  options: IRREVERSIBLE_OPTIONS,
  settings: DATA_SETTINGS,
  examples: ["filehost invites revoke 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"],
  async run({ args: { ID }, options, load, terminal }) {
    await confirmIrreversible({ command: "invites revoke", options, terminal }, "Revoke the invite? Its link stops working permanently.");
    const revoked = await withApp(await load(), (ctx) => administer(ctx, [invitesContract.revokeInvite, revokeInvite], { id: ID }));
    return { data: revoked, text: `Revoked: ${revoked.id}\n` };
  },
});
