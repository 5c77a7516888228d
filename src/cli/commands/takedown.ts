import { takeDown } from "../../service/administration/take-down.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns, formatTime, toId } from "../text.ts";
import { withApp } from "../with-app.ts";

export const takedown = defineCommand({
  name: "takedown",
  summary: "Block a share permanently, for example after a legal notice",
  details:
    "Its page responds with 451, the API responds with 404, and issued download URLs stop working. The bytes stay in quarantine for FILEHOST_QUARANTINE_DAYS, then they are removed.",
  args: { SHORTID: { help: "The share's short ID or its link" } },
  settings: [...DATA_SETTINGS, "QUARANTINE_DAYS"],
  examples: ["filehost takedown 4kTqW9xZ", "filehost takedown https://files.example.org/d/4kTqW9xZ"],
  async run({ args: { SHORTID }, load }) {
    const taken = await withApp(load(), (ctx) => takeDown(ctx, "command_line", toId(SHORTID)));
    const rows = taken.files.map((file) => [file.id, file.name, file.status]);
    return {
      data: taken,
      text: alignColumns(rows),
      notes: [`The share ${taken.shortId} is blocked. Its bytes are removed after ${formatTime(taken.bytesUntil)}.`],
    };
  },
});
