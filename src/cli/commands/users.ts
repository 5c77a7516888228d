import { countOf } from "../../lib/text/count-of.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import type { AccountDetails } from "../../service/accounts/users.ts";
import { deleteUser } from "../../service/administration/delete-account.ts";
import { addUser, changeUser, createUserResetLink, getUserDetails, searchUsers, signOutUser } from "../../service/administration/users.ts";
import { USER_FILTERS, usersContract } from "../../service/administration/users-contract.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import { resetUserTwoFactor } from "../../service/sign-in/authenticator.ts";
import { administer } from "../administer.ts";
import { defineCommand, type Load, type Result } from "../command.ts";
import { UsageError } from "../failure.ts";
import { confirmIrreversible, IRREVERSIBLE_OPTIONS } from "../options/irreversible.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { readTimeOption, TIME_SYNTAX } from "../options/times.ts";
import { LIMIT_OPTION, readPages, toLimit } from "../read-pages.ts";
import { alignColumns, describeAddress, formatTable, formatTime } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

const USER = { help: "The account's ID, username or verified email address" };

export const usersCreate = defineCommand({
  details: "Creates the database if there is none. Create a key for it with `filehost keys create`.",
  options: {
    email: { kind: "text", value: "ADDRESS", required: true, help: "Email address, unique on this server" },
    name: { kind: "text", value: "NAME", required: true, help: "The account's name" },
    username: { kind: "text", value: "USERNAME", help: "Public name, for public shares: 3 to 30 of a-z, 0-9, - and _" },
    tier: { kind: "text", value: "TIER", choices: ["free", "pro"], default: "free", help: "The account's tier" },
    until: { kind: "text", value: "TIME", help: `When Pro ends: ${TIME_SYNTAX}; default: never` },
    admin: { kind: "flag", help: "Make it an administrator's account" },
  },
  settings: DATA_SETTINGS,
  examples: [
    'filehost users create --email ada@example.org --name "Ada Lovelace" --admin',
    "filehost users create --email bob@example.org --name Bob --username bob --tier pro --until 52w",
  ],
  async run({ options: { admin, until, ...options }, load }) {
    const fields = { ...options, proEnd: toProEnd(until, "users create"), role: admin ? "admin" : "user" } as const;
    const user = withoutVersion(
      await withApp(await load(), (ctx) => administer(ctx, [usersContract.addUser, addUser], fields), { database: "create" }),
    );
    const notes = [`To let them sign in: filehost users reset-password ${user.email}`];
    return { data: user, text: describeUser(user), notes };
  },
});

export const usersResetPassword = defineCommand({
  details: "The link works once and for 24 hours; an earlier one ends. Setting the password ends all sessions of the account, and no keys.",
  args: { USER },
  settings: DATA_SETTINGS,
  examples: ["filehost users reset-password ada@example.org"],
  async run({ args: { USER }, load }) {
    const link = await withApp(await load(), (ctx) =>
      administer(ctx, [usersContract.createUserResetLink, createUserResetLink], { id: USER }),
    );
    return { data: link, text: `${link.url}\n`, notes: [`It can be used until ${formatTime(link.expiresAt)}.`] };
  },
});

export const usersList = defineCommand({
  details: "A search lists accounts with a verified address first, because anybody can sign up with any address.",
  options: {
    search: { kind: "text", value: "TEXT", help: "Only accounts with this ID, or with this text in the email address, name or username" },
    filter: { kind: "text", value: "WHICH", choices: USER_FILTERS, help: "Only these accounts; people: accounts that are not agents" },
    limit: LIMIT_OPTION,
  },
  settings: DATA_SETTINGS,
  examples: ["filehost users list", "filehost users list --search ada --json", "filehost users list --filter disabled"],
  async run({ options: { limit, ...search }, load }) {
    const count = toLimit(limit);
    const users = await withApp(await load(), (ctx) =>
      readPages(count, (page) => administer(ctx, [usersContract.searchUsers, searchUsers], { ...search, ...page })),
    );
    const rows = users.map((user) => [
      user.id,
      describeAddress(user),
      user.name,
      user.username ?? "-",
      user.role,
      describeTier(user),
      formatSize(user.usedBytes),
      formatTime(user.createdAt),
      user.disabledAt === null ? "" : "disabled",
    ]);
    const headings = ["ID", "EMAIL", "NAME", "USERNAME", "ROLE", "TIER", "STORED", "CREATED", ""];
    const none = search.search === undefined && search.filter === undefined;
    const empty = none ? "There are no accounts. Create one with: filehost users create" : "No accounts found.";
    return { data: users, text: formatTable(headings, rows, empty) };
  },
});

export const usersShow = defineCommand({
  args: { USER },
  settings: DATA_SETTINGS,
  examples: ["filehost users show ada@example.org"],
  async run({ args: { USER }, load }) {
    const user = await withApp(await load(), (ctx) => administer(ctx, [usersContract.getUserDetails, getUserDetails], { id: USER }));
    const { usedBytes, allowedBytes, files } = user.storage;
    const facts = [
      ["created", formatTime(user.createdAt)],
      ["two-step sign-in", user.hasTwoFactor ? "on" : "off"],
      ["storage", `${formatSize(usedBytes)} of ${formatSize(allowedBytes)}, ${countOf(files, "file")}`],
      ["active shares", String(user.shares)],
      ["webhooks", String(user.webhooks)],
      ...user.sessions.map(({ lastUsedAt, userAgent }) => ["session", `${formatTime(lastUsedAt)}  ${userAgent}`]),
      ...user.keys.map((key) => ["key", `${key.prefix}  ${key.isAdminKey ? "admin" : key.scope}  ${key.label ?? ""}`.trimEnd()]),
    ];
    return { data: user, text: describeUser(user, facts) };
  },
});

export const usersSetTier = defineCommand({
  details: "Applies from the next request, also on a running server. When Pro ends, its limits apply for another 24 hours.",
  args: {
    USER,
    TIER: { help: "The new tier", choices: ["free", "pro"] },
  },
  options: {
    until: { kind: "text", value: "TIME", help: `When Pro ends: ${TIME_SYNTAX}; default: never` },
  },
  settings: DATA_SETTINGS,
  examples: ["filehost users set-tier ada@example.org pro --until 30d", "filehost users set-tier ada@example.org free"],
  async run({ args: { USER, TIER }, options: { until }, load }) {
    return await change(load, { id: USER, tier: TIER, proEnd: toProEnd(until, "users set-tier") });
  },
});

export const usersSetUsername = defineCommand({
  details:
    "Public shares require a username: without one, the account's public shares become unlisted. Other accounts can take the former username.",
  args: {
    USER,
    NAME: { help: "The new username: 3 to 30 of a-z, 0-9, - and _", optional: true },
  },
  options: { none: { kind: "flag", help: "Remove the username" }, ...IRREVERSIBLE_OPTIONS },
  settings: DATA_SETTINGS,
  examples: ["filehost users set-username ada@example.org ada", "filehost users set-username ada@example.org --none"],
  async run({ args: { USER, NAME }, options, load, terminal }) {
    const { none } = options;
    if (none === (NAME !== undefined)) {
      const message = none ? "Pass a NAME or --none, not both." : "filehost users set-username requires a NAME, or --none to remove it.";
      throw new UsageError(message, "filehost users set-username --help");
    }
    if (none)
      await confirmIrreversible(
        { command: "users set-username", options, terminal },
        `Remove the username of ${USER}? Its public shares become unlisted.`,
      );
    return await change(load, { id: USER, username: NAME ?? null });
  },
});

export const usersDisable = defineCommand({
  details: "Deletes nothing, but files still expire. Undo it with `filehost users enable`.",
  args: { USER },
  settings: DATA_SETTINGS,
  examples: ["filehost users disable ada@example.org"],
  async run({ args: { USER }, load }) {
    return await change(load, { id: USER, isDisabled: true });
  },
});

export const usersEnable = defineCommand({
  details: "The account's links and keys work again, except revoked keys.",
  args: { USER },
  settings: DATA_SETTINGS,
  examples: ["filehost users enable ada@example.org"],
  async run({ args: { USER }, load }) {
    return await change(load, { id: USER, isDisabled: false });
  },
});

export const usersResetTwoFactor = defineCommand({
  details: "Make sure that you know who asks: signing in then needs only the password. Sessions and keys stay.",
  args: { USER },
  options: IRREVERSIBLE_OPTIONS,
  settings: DATA_SETTINGS,
  examples: ["filehost users reset-two-factor ada@example.org"],
  async run({ args: { USER }, options, load, terminal }) {
    await confirmIrreversible(
      { command: "users reset-two-factor", options, terminal },
      `Turn two-step sign-in of ${USER} off? Signing in then needs only the password.`,
    );
    const user = await withApp(await load(), (ctx) =>
      administer(ctx, [usersContract.resetUserTwoFactor, resetUserTwoFactor], { id: USER }),
    );
    return { data: user, text: `Two-step sign-in of ${user.email} is off.` };
  },
});

export const usersSetRole = defineCommand({
  details: "Applies from the next request. An account that loses the role also loses its administration keys.",
  args: { USER, ROLE: { help: "The new role", choices: ["admin", "user"] } },
  options: IRREVERSIBLE_OPTIONS,
  settings: DATA_SETTINGS,
  examples: ["filehost users set-role ada@example.org admin"],
  async run({ args: { USER, ROLE }, options, load, terminal }) {
    if (ROLE === "user")
      await confirmIrreversible(
        { command: "users set-role", options, terminal },
        `Make ${USER} no longer an administrator? Its keys that may administer are revoked.`,
      );
    return await change(load, { id: USER, role: ROLE });
  },
});

export const usersSignOut = defineCommand({
  details: "Ends all sessions of the account with the next request. Its keys stay.",
  args: { USER },
  options: IRREVERSIBLE_OPTIONS,
  settings: DATA_SETTINGS,
  examples: ["filehost users sign-out ada@example.org"],
  async run({ args: { USER }, options, load, terminal }) {
    await confirmIrreversible({ command: "users sign-out", options, terminal }, `End all sessions of ${USER}?`);
    const ended = await withApp(await load(), (ctx) => administer(ctx, [usersContract.signOutUser, signOutUser], { id: USER }));
    return { data: ended, text: `${countOf(ended.endedSessions, "session")} ended.\n` };
  },
});

export const usersDelete = defineCommand({
  details:
    "Its links, keys and sessions stop working immediately. A running server then removes its files; without one, the next that starts. This cannot be undone.",
  args: { USER },
  options: IRREVERSIBLE_OPTIONS,
  settings: DATA_SETTINGS,
  examples: ["filehost users delete ada@example.org", "filehost users delete ada@example.org --yes"],
  async run({ args: { USER }, options, load, terminal }) {
    const deleted = await withApp(await load(), async (ctx) => {
      const { id, email, name, storage } = await administer(ctx, [usersContract.getUserDetails, getUserDetails], { id: USER });
      await confirmIrreversible(
        { command: "users delete", options, terminal },
        `Delete the account of ${name} (${email}) with ${countOf(storage.files, "file")}, ${formatSize(storage.usedBytes)}? This cannot be undone.`,
      );
      return await administer(ctx, [usersContract.deleteUser, deleteUser], { id, confirm: email });
    });
    return { data: deleted, text: `Deleted the account ${USER}. Its files are being removed.` };
  },
});

const toProEnd = (text: string | undefined, command: string): string | undefined =>
  text === undefined ? undefined : readTimeOption({ command, option: "until", text }, { nowMs: Date.now() });

/** Removes the version of an account, which no command accepts. */
const withoutVersion = ({ version: _version, ...user }: Output<"changeUser">): AccountDetails => user;

async function change(load: Load, fields: RequestInput<"changeUser">): Promise<Result> {
  const user = withoutVersion(await withApp(await load(), (ctx) => administer(ctx, [usersContract.changeUser, changeUser], fields)));
  return { data: user, text: describeUser(user) };
}

/** Formats the properties of an account, one per line. */
function describeUser(user: AccountDetails, more: readonly (readonly string[])[] = []): string {
  return alignColumns([
    ["id", user.id],
    ["email", describeAddress(user)],
    ["name", user.name],
    ["username", user.username ?? "-"],
    ["role", user.role],
    ["tier", describeTier(user)],
    ["disabled", user.disabledAt === null ? "no" : `since ${formatTime(user.disabledAt)}`],
    ...more,
  ]);
}

/** Describes the tier: `free`, `pro`, `pro until …`. */
function describeTier({ tier, proUntil }: AccountDetails): string {
  return tier === "pro" && proUntil !== null ? `pro until ${formatTime(proUntil)}` : tier;
}
