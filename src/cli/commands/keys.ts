import { createUserKey, listAllKeys } from "../../service/accounts/admin-keys.ts";
import { THIS_MACHINE } from "../../service/accounts/administrator.ts";
import { revokeUserKey } from "../../service/administration/users.ts";
import { usersContract } from "../../service/administration/users-contract.ts";
import { administer } from "../administer.ts";
import { defineCommand } from "../command.ts";
import { confirmIrreversible, IRREVERSIBLE_OPTIONS } from "../options/irreversible.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { describeAddress, formatTable, formatTime } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

export const keysCreate = defineCommand({
  details: "Prints only the key to standard output. The server stores a hash; if you lose the key, create a new one.",
  options: {
    user: { kind: "text", value: "USER", required: true, help: "The account's ID, email address or username" },
    scope: {
      kind: "text",
      value: "SCOPE",
      choices: ["files_read", "files_write", "full"],
      default: "full",
      help: "What the key can do: read, also change files and shares, or everything",
    },
    label: { kind: "text", value: "TEXT", help: "What the key is used for" },
    admin: { kind: "flag", help: "Let the key administer the server, while its account is an administrator's" },
  },
  settings: DATA_SETTINGS,
  examples: [
    "filehost keys create --user ada@example.org --label laptop",
    "KEY=$(filehost keys create --user ada@example.org --scope files_write)",
  ],
  async run({ options: { admin, ...options }, load }) {
    const key = await withApp(await load(), (ctx) => createUserKey(ctx, THIS_MACHINE, { ...options, isAdminKey: admin }));
    const notes = ["This key is shown once. Save it in a safe place.", `Revoke it with: filehost keys revoke ${key.prefix}`];
    return { data: key, text: `${key.key}\n`, notes };
  },
});

export const keysList = defineCommand({
  options: { user: { kind: "text", value: "USER", help: "Only this account's keys: an ID, email address or username" } },
  settings: DATA_SETTINGS,
  examples: ["filehost keys list", "filehost keys list --user ada@example.org --json"],
  async run({ options, load }) {
    const keys = await withApp(await load(), (ctx) => listAllKeys(ctx, options));
    const rows = keys.map((key) => [
      key.prefix,
      describeAddress(key),
      key.isAdminKey ? "admin" : key.scope,
      key.label ?? "-",
      formatTime(key.createdAt),
      formatTime(key.lastUsedAt),
      key.revokedAt === null ? "" : "revoked",
    ]);
    const headings = ["PREFIX", "OWNER", "SCOPE", "LABEL", "CREATED", "LAST USED", ""];
    return { data: keys, text: formatTable(headings, rows, "There are no keys. Create one with: filehost keys create") };
  },
});

export const keysRevoke = defineCommand({
  args: { KEY: { help: "The key's ID or its prefix, as shown by `filehost keys list`" } },
  options: IRREVERSIBLE_OPTIONS,
  settings: DATA_SETTINGS,
  examples: ["filehost keys revoke bc_AbCd1234"],
  async run({ args: { KEY }, options, load, terminal }) {
    await confirmIrreversible(
      { command: "keys revoke", options, terminal },
      "Revoke the key? Programs that use it stop working permanently.",
    );
    const key = await withApp(await load(), async (ctx) => {
      const { id } = await administer(ctx, [usersContract.revokeUserKey, revokeUserKey], { id: KEY });
      const [key] = await listAllKeys(ctx, { id });
      return { id, prefix: key?.prefix ?? KEY, revokedAt: key?.revokedAt ?? null };
    });
    return { data: key, text: `The key ${key.prefix} is revoked.\n` };
  },
});
