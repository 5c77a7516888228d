import { setUsername } from "../../operations/admin/set-username.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { UsageError } from "../usage-error.ts";
import { describeUser } from "../user-text.ts";
import { withApp } from "../with-app.ts";

export const usersSetUsername = defineCommand({
  name: "users set-username",
  summary: "Set or remove the username of an account",
  details: "Public shares need a username: without one, those that the account has become unlisted. A former username is free for others.",
  args: {
    USER: { help: "Its id, e-mail address or username" },
    NAME: { help: "Its new username: 3 to 30 of a-z, 0-9, - and _", optional: true },
  },
  options: { none: { kind: "flag", help: "Remove the username" } },
  settings: DATA_SETTINGS,
  examples: ["filehost users set-username ada@example.org ada", "filehost users set-username ada@example.org --none"],
  async run({ args: { USER, NAME }, options: { none }, load }) {
    if (none === (NAME !== undefined)) {
      const message = none
        ? "Give either a NAME or --none, not both."
        : "filehost users set-username needs a NAME, or --none to remove it.";
      throw new UsageError(message, "filehost users set-username --help");
    }
    const user = await withApp(load(), (ctx) => setUsername(ctx, USER, NAME ?? null));
    return { data: user, text: describeUser(user) };
  },
});
