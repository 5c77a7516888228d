import { createUser } from "../../operations/admin/create-user.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { describeUser } from "../user-text.ts";
import { withApp } from "../with-app.ts";

export const usersCreate = defineCommand({
  name: "users create",
  summary: "Make an account",
  details: "Where there is no database yet, it is made. Give the account a key with `filehost keys create`.",
  options: {
    email: { kind: "text", value: "ADDRESS", required: true, help: "Its e-mail address, which no other account has" },
    name: { kind: "text", value: "NAME", required: true, help: "What people call its owner" },
    username: { kind: "text", value: "USERNAME", help: "Its public name, for public shares: 3 to 30 of a-z, 0-9, - and _" },
    tier: { kind: "text", value: "TIER", choices: ["free", "pro"], standard: "free", help: "Its limits" },
    until: { kind: "text", value: "TIME", help: "When Pro ends: a date such as 2030-01-31, or a duration such as 30d; without it, never" },
    admin: { kind: "flag", help: "Make it an administrator" },
  },
  settings: DATA_SETTINGS,
  examples: [
    'filehost users create --email ada@example.org --name "Ada Lovelace" --admin',
    "filehost users create --email bo@example.org --name Bo --username bo --tier pro --until 52w",
  ],
  async run({ options: { admin, ...wanted }, load }) {
    const user = await withApp(load(), (ctx) => createUser(ctx, { ...wanted, isAdmin: admin }), { database: "create" });
    return { data: user, text: describeUser(user) };
  },
});
