import { disableUser } from "../../operations/admin/change-user.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { describeUser } from "../user-text.ts";
import { withApp } from "../with-app.ts";

export const usersDisable = defineCommand({
  name: "users disable",
  summary: "Close an account: its keys and its links stop working immediately",
  details:
    "Nothing is removed, but what expires meanwhile expires. `filehost users enable` opens the account again, with its keys and links.",
  args: { USER: { help: "Its id, e-mail address or username" } },
  settings: DATA_SETTINGS,
  examples: ["filehost users disable ada@example.org"],
  async run({ args: { USER }, load }) {
    const user = await withApp(load(), (ctx) => disableUser(ctx, USER));
    return { data: user, text: describeUser(user) };
  },
});
