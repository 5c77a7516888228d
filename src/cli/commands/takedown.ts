import { type RestoreReport, takeDown, undoTakedown } from "../../service/administration/take-down.ts";
import { defineCommand, type Result } from "../command.ts";
import { UsageError } from "../failure.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns, countOf, formatTime, toId } from "../text.ts";
import { withApp } from "../with-app.ts";

export const takedown = defineCommand({
  name: "takedown",
  summary: "Block a share, for example after a legal notice",
  details:
    "Its page responds with 451, the API responds with 404, and issued download URLs stop working. The bytes stay in quarantine for FILEHOST_QUARANTINE_DAYS, then they are removed. Until then, --undo brings the share back, with as much time as it had left.",
  args: { SHORTID: { help: "The share's short ID or its link" } },
  options: {
    block: { kind: "flag", help: "Add its files to the blocklist, so that nobody can upload them again" },
    undo: { kind: "flag", help: "Bring the share back, as far as its bytes are not removed" },
    reason: { kind: "text", value: "TEXT", help: "With --block: why, for your records" },
  },
  settings: [...DATA_SETTINGS, "QUARANTINE_DAYS"],
  examples: [
    "filehost takedown 4kTqW9xZ",
    "filehost takedown 4kTqW9xZ --block --reason 'Court order 12/26'",
    "filehost takedown 4kTqW9xZ --undo",
    "filehost takedown https://files.example.org/d/4kTqW9xZ",
  ],
  async run({ args: { SHORTID }, options: { block, undo, reason }, load }) {
    if (undo && block) throw new UsageError("Pass --block or --undo, not both.", "filehost takedown --help");
    if (undo) return toResult(await withApp(load(), (ctx) => undoTakedown(ctx, "command_line", toId(SHORTID))));
    const options = block ? { block: { reason } } : {};
    const taken = await withApp(load(), (ctx) => takeDown(ctx, "command_line", toId(SHORTID), options));
    const rows = taken.files.map((file) => [file.id, file.name, file.status]);
    return {
      data: taken,
      text: alignColumns(rows),
      notes: [
        `The share ${taken.shortId} is blocked. Its bytes are removed after ${formatTime(taken.bytesUntil)}.`,
        ...(block ? [`Added to the blocklist: ${countOf(taken.blocked.length, "file")}.`] : []),
      ],
    };
  },
});

function toResult(restored: RestoreReport): Result {
  const lost = restored.lost === 0 ? "" : ` ${countOf(restored.lost, "file")} cannot be brought back.`;
  return {
    data: restored,
    text: alignColumns(restored.files.map(({ id, name }) => [id, name])),
    notes: [`The share ${restored.shortId} is back.${lost}`],
  };
}
