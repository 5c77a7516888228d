import { revokeKey } from "../../operations/admin/revoke-key.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { withApp } from "../with-app.ts";

export const keysRevoke = defineCommand({
  name: "keys revoke",
  summary: "End an API key: it stops working at once",
  args: { KEY: { help: "Its id or its prefix, as `filehost keys list` shows them" } },
  settings: DATA_SETTINGS,
  examples: ["filehost keys revoke bc_AbCd1234"],
  async run({ args: { KEY }, load }) {
    const key = await withApp(load(), (ctx) => revokeKey(ctx, KEY));
    return { data: key, text: `The key ${key.prefix} is revoked.\n` };
  },
});
