import { listKeys } from "../../operations/admin/list-keys.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { formatTable, formatTime } from "../text.ts";
import { withApp } from "../with-app.ts";

export const keysList = defineCommand({
  name: "keys list",
  summary: "List the API keys, by their prefixes",
  options: { user: { kind: "text", value: "USER", help: "Only those of this account: its id, e-mail address or username" } },
  settings: DATA_SETTINGS,
  examples: ["filehost keys list", "filehost keys list --user ada@example.org --json"],
  async run({ options, load }) {
    const keys = await withApp(load(), (ctx) => listKeys(ctx, options));
    const rows = keys.map((key) => [
      key.prefix,
      key.email,
      key.scope,
      key.label ?? "-",
      formatTime(key.createdAt),
      formatTime(key.lastUsedAt),
      key.revokedAt === null ? "" : "revoked",
    ]);
    const headings = ["PREFIX", "OWNER", "SCOPE", "LABEL", "CREATED", "LAST USED", ""];
    return { data: keys, text: formatTable(headings, rows, "There are no keys. Make one with: filehost keys create") };
  },
});
