import { takeDown } from "../../operations/admin/take-down.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns, formatTime } from "../text.ts";
import { toId } from "../to-id.ts";
import { withApp } from "../with-app.ts";

export const takedown = defineCommand({
  name: "takedown",
  summary: "Block a share for good, such as after a legal notice",
  details:
    "Its page answers 451, the API 404, and addresses that were handed out are dead at once. The bytes are kept for the days of quarantine, unserved, then removed.",
  args: { SHORTID: { help: "The share's short id, or its link" } },
  settings: [...DATA_SETTINGS, "QUARANTINE_DAYS"],
  examples: ["filehost takedown 4kTqW9xZ", "filehost takedown https://files.example.org/d/4kTqW9xZ"],
  async run({ args: { SHORTID }, load }) {
    const taken = await withApp(load(), (ctx) => takeDown(ctx, toId(SHORTID)));
    const rows = taken.files.map((file) => [file.id, file.name, file.status]);
    return {
      data: taken,
      text: alignColumns(rows),
      notes: [`The share ${taken.shortId} is blocked. Its bytes go after ${formatTime(taken.bytesUntil)}.`],
    };
  },
});
