import type { Ctx } from "../../context.ts";
import { countOf } from "../../lib/count-of.ts";
import { type TakedownOptions, type TakedownReport, toBlocksView } from "../../service/administration/take-down.ts";
import { restoreNamed, takeDownNamed } from "../../service/administration/take-down-file.ts";
import { changeNamed } from "../change-named.ts";
import { defineCommand, type Result } from "../command.ts";
import { UsageError } from "../failure.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns, formatTime } from "../text.ts";
import { withApp } from "../with-app.ts";

export const takedown = defineCommand({
  details:
    "Their pages respond with 451, the API responds with 404, and issued download URLs stop working. The bytes stay in quarantine for FILEHOST_QUARANTINE_DAYS, then they are removed. Until then, --undo brings them back, with as much time as the shares had left. Of several IDs, each is changed or refused by itself.",
  args: { ID: { many: true, help: "Short IDs or links of shares, or IDs of files" } },
  options: {
    block: { kind: "flag", help: "Add the files to the blocklist, so that nobody can upload them again" },
    undo: { kind: "flag", help: "Bring them back, as far as their bytes are not removed" },
    reason: { kind: "text", value: "TEXT", help: "With --block: why, for your records" },
  },
  settings: [...DATA_SETTINGS, "QUARANTINE_DAYS"],
  examples: [
    "filehost takedown 4kTqW9xZ",
    "filehost takedown 4kTqW9xZ --block --reason 'Court order 12/26'",
    "filehost takedown 5hQ2vR8kLm3xTz0B 4kTqW9xZ",
    "filehost takedown 4kTqW9xZ --undo",
    "filehost takedown https://files.example.org/d/4kTqW9xZ",
  ],
  async run({ args: { ID }, options: { block, undo, reason }, load }) {
    if (undo && block) throw new UsageError("Pass --block or --undo, not both.", "filehost takedown --help");
    if (undo) return await withApp(await load(), (ctx) => bringBackEach(ctx, ID));
    return await withApp(await load(), (ctx) => takeDownEach(ctx, ID, block ? { block: { reason } } : {}));
  },
});

async function takeDownEach(ctx: Ctx, names: readonly string[], options: TakedownOptions): Promise<Result> {
  const { done, refused, only, problems, exitCode } = await changeNamed(names, (id) => takeDownNamed(ctx, "command_line", id, options));
  const reports = done.map(
    ({ files, shortId, bytesUntil }) =>
      `${countOf(files.length, "file")} of the share ${shortId} blocked. The bytes are removed after ${formatTime(bytesUntil)}.`,
  );
  return {
    data: only ?? { takenDown: done, refused },
    text: alignColumns(done.flatMap(({ files }) => files.map(({ id, name, status }) => [id, name, status]))),
    notes: [...reports, ...(options.block && done.length > 0 ? describeBlocks(toBlocksView(...done)) : [])],
    important: problems,
    exitCode,
  };
}

async function bringBackEach(ctx: Ctx, names: readonly string[]): Promise<Result> {
  const { done, refused, only, problems, exitCode } = await changeNamed(names, (id) => restoreNamed(ctx, "command_line", id));
  const reports = done.map(({ files, shortId, lost }) => {
    const without = lost === 0 ? "" : ` ${countOf(lost, "file")} cannot be brought back.`;
    return `${countOf(files.length, "file")} of the share ${shortId} back.${without}`;
  });
  return {
    data: only ?? { restored: done, refused },
    text: alignColumns(done.flatMap(({ files }) => files.map(({ id, name }) => [id, name]))),
    notes: reports,
    important: problems,
    exitCode,
  };
}

/** What a takedown added to the blocklist. */
export function describeBlocks({
  blocked,
  blockedLater,
  notBlocked,
}: Pick<TakedownReport, "blocked" | "blockedLater" | "notBlocked">): string[] {
  const notes = [`Added to the blocklist: ${countOf(blocked.length, "file")}.`];
  if (blockedLater.length > 0)
    notes.push(`${countOf(blockedLater.length, "file")} will be added when the running server has computed the digest.`);
  if (notBlocked.length > 0) notes.push(`${countOf(notBlocked.length, "file")} cannot be added: there are no complete bytes to read.`);
  return notes;
}
