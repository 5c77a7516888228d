import { createKey } from "../../operations/admin/create-key.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { withApp } from "../with-app.ts";

export const keysCreate = defineCommand({
  name: "keys create",
  summary: "Make an API key for an account and print it, this once",
  details: "The key alone goes to standard output. It is kept as a hash: whoever loses it needs a new one.",
  options: {
    user: { kind: "text", value: "USER", required: true, help: "The account's id, e-mail address or username" },
    scope: {
      kind: "text",
      value: "SCOPE",
      choices: ["files_read", "files_write", "full"],
      standard: "full",
      help: "What it may do: read, also upload and change files and shares, or everything",
    },
    label: { kind: "text", value: "TEXT", help: "What it is for, to tell it from others" },
  },
  settings: DATA_SETTINGS,
  examples: [
    "filehost keys create --user ada@example.org --label laptop",
    "KEY=$(filehost keys create --user ada@example.org --scope files_write)",
  ],
  async run({ options, load }) {
    const key = await withApp(load(), (ctx) => createKey(ctx, options));
    const notes = [
      "This key is shown once and cannot be shown again: keep it in a safe place.",
      `Revoke it with: filehost keys revoke ${key.prefix}`,
    ];
    return { data: key, text: `${key.key}\n`, notes };
  },
});
