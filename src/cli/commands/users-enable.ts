import { enableUser } from "../../operations/admin/change-user.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { describeUser } from "../user-text.ts";
import { withApp } from "../with-app.ts";

export const usersEnable = defineCommand({
  name: "users enable",
  summary: "Open a closed account again",
  details: "Its links work again, and so do its keys, except those that were revoked.",
  args: { USER: { help: "Its id, e-mail address or username" } },
  settings: DATA_SETTINGS,
  examples: ["filehost users enable ada@example.org"],
  async run({ args: { USER }, load }) {
    const user = await withApp(load(), (ctx) => enableUser(ctx, USER));
    return { data: user, text: describeUser(user) };
  },
});
