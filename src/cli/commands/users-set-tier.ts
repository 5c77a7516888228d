import { setTier } from "../../operations/admin/change-user.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { describeUser } from "../user-text.ts";
import { withApp } from "../with-app.ts";

export const usersSetTier = defineCommand({
  name: "users set-tier",
  summary: "Set the tier of an account",
  details: "It holds from the next request, also of a server that runs. When Pro ends, its rules go on for another 24 hours.",
  args: {
    USER: { help: "Its id, e-mail address or username" },
    TIER: { help: "Its new limits", choices: ["free", "pro"] },
  },
  options: {
    until: { kind: "text", value: "TIME", help: "When Pro ends: a date such as 2030-01-31, or a duration such as 30d; without it, never" },
  },
  settings: DATA_SETTINGS,
  examples: ["filehost users set-tier ada@example.org pro --until 30d", "filehost users set-tier ada@example.org free"],
  async run({ args: { USER, TIER }, options: { until }, load }) {
    const user = await withApp(load(), (ctx) => setTier(ctx, USER, { tier: TIER, until }));
    return { data: user, text: describeUser(user) };
  },
});
