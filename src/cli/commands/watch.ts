import { openFor } from "../client/open-for.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";

export const watch = defineCommand({
  details:
    "Without an ID, the shares of the account, also new ones; without a key those that this device remembers. Ends when all named shares have ended, or by Ctrl-C.",
  args: { ID: { many: true, optional: true, help: "Short IDs or links of shares, or IDs of their files" } },
  options: {
    every: { kind: "text", value: "SECONDS", default: "5", help: "How often the server is asked, at least 1; less often for many shares" },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  jsonLines: true,
  examples: ["filehost watch 7kXq9Zab", "filehost watch --json"],
  async run({ args: { ID: ids }, options, terminal, asJson }) {
    const seconds = Number(options.every);
    if (!(Number.isFinite(seconds) && seconds >= 1))
      throw new UsageError("--every: give a number of seconds, at least 1.", "filehost watch --help");
    const client = await openFor({ command: "watch", options, terminal }, ids);
    const { runWatch } = await import("../client/run-watch.ts");
    return await runWatch({ client, ids, everyMs: seconds * 1000, terminal, asJson });
  },
});
