import { parseDuration } from "../../lib/text/duration.ts";
import { openShareClient } from "../client/open-share-client.ts";
import { defineCommand } from "../command.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { durationAdvice, invalidTime } from "../options/times.ts";

export const watch = defineCommand({
  details:
    "Without an ID, the shares of the account, also new ones; without a key those that this device remembers. Ends when all named shares have ended, or by Ctrl-C.",
  args: { ID: { suggests: "shares", many: true, optional: true, help: "Short IDs or links of shares, or IDs of their files" } },
  options: {
    every: {
      kind: "text",
      value: "DURATION",
      default: "5s",
      help: "How often the server is asked, such as 5s or 1m; less often for many shares",
    },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  jsonLines: true,
  examples: ["filehost watch 7kXq9Zab", "filehost watch --json"],
  async run({ args: { ID: ids }, options, terminal, json }) {
    const everyMs = toInterval(options.every);
    const client = await openShareClient({ command: "watch", options, terminal }, ids);
    const { runWatch } = await import("../client/run-watch.ts");
    return await runWatch({ client, ids, everyMs, terminal, json });
  },
});

/** Converts `5s` or `1m` to milliseconds, at least 1000. Throws UsageError. */
function toInterval(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 1000) return ms;
  throw invalidTime({ command: "watch", option: "every", text }, `${durationAdvice}, at least 1s`);
}
