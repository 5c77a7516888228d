import { describeBytes } from "../../domain/tiers.ts";
import { listUsers } from "../../operations/admin/list-users.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { formatTable, formatTime } from "../text.ts";
import { describeTier } from "../user-text.ts";
import { withApp } from "../with-app.ts";

export const usersList = defineCommand({
  name: "users list",
  summary: "List the accounts",
  settings: DATA_SETTINGS,
  examples: ["filehost users list", "filehost users list --json"],
  async run({ load }) {
    const users = await withApp(load(), listUsers);
    const rows = users.map((user) => [
      user.id,
      user.email,
      user.name,
      user.username ?? "-",
      user.role,
      describeTier(user),
      describeBytes(user.usedBytes),
      formatTime(user.createdAt),
      user.disabledAt === null ? "" : "disabled",
    ]);
    const headings = ["ID", "E-MAIL", "NAME", "USERNAME", "ROLE", "TIER", "STORED", "CREATED", ""];
    return { data: users, text: formatTable(headings, rows, "There are no accounts. Make one with: filehost users create") };
  },
});
