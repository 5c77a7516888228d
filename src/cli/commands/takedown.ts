import type { Ctx } from "../../context.ts";
import type { ReportReason } from "../../contract/scalars.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { takedownContract } from "../../service/administration/contract.ts";
import { adminFilesContract } from "../../service/administration/files-contract.ts";
import { restoreTakenDown, takeDownShare, toBlocksView } from "../../service/administration/take-down.ts";
import { restoreFile, takeDownFile } from "../../service/administration/take-down-file.ts";
import type { Output } from "../../service/contract.ts";
import { listShareFiles } from "../../service/shares/queries.ts";
import { administer } from "../administer.ts";
import { changeNamed } from "../change-named.ts";
import { defineCommand, type Result } from "../command.ts";
import { UsageError } from "../failure.ts";
import { isFile } from "../find-named.ts";
import { confirmTakedown, TAKEDOWN_OPTIONS } from "../options/irreversible.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { alignColumns, formatTime } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

export const takedown = defineCommand({
  details:
    "Their pages respond with 451, the API responds with 404, and issued download URLs stop working. The bytes stay in quarantine for FILEHOST_QUARANTINE_DAYS, then they are removed. Until then, --undo restores them, with the time that the shares had left. Of several IDs, each is changed or refused independently of the others.",
  args: { ID: { many: true, help: "Short IDs or links of shares, or IDs of files" } },
  options: {
    block: { kind: "flag", help: "Add the files to the blocklist, so that nobody can upload them again" },
    undo: { kind: "flag", help: "Restore them, if their bytes are not removed" },
    reason: { kind: "text", value: "TEXT", help: "With --block: why, for your records" },
    ...TAKEDOWN_OPTIONS,
  },
  settings: [...DATA_SETTINGS, "QUARANTINE_DAYS"],
  examples: [
    "filehost takedown 4kTqW9xZ",
    "filehost takedown 4kTqW9xZ --block --reason 'Court order 12/26'",
    "filehost takedown 4kTqW9xZ --public-reason copyright",
    "filehost takedown 5hQ2vR8kLm3xTz0B 4kTqW9xZ",
    "filehost takedown 4kTqW9xZ --undo",
    "filehost takedown https://files.example.org/d/4kTqW9xZ",
  ],
  async run({ args: { ID }, options, load, terminal }) {
    const { block, undo, reason, "public-reason": publicReason } = options;
    if (undo && block) throw new UsageError("Pass --block or --undo, not both.", "filehost takedown --help");
    if (undo) return await withApp(await load(), (ctx) => bringBackEach(ctx, ID));
    const loaded = await load();
    await confirmTakedown({ command: "takedown", options, terminal }, loaded);
    return await withApp(loaded, (ctx) => takeDownEach(ctx, ID, { block, reason, publicReason }));
  },
});

interface TakedownOptions {
  readonly block: boolean;
  readonly reason: string | undefined;
  readonly publicReason: ReportReason | undefined;
}

type Takedown = Output<"takeDownShare">;

/** The changes of a takedown, with the state of each file of a share, because its owner may have deleted some of them. */
export interface TakenDown extends Omit<Takedown, "files"> {
  readonly files: readonly (Takedown["files"][number] & { readonly status: string })[];
}

async function takeDown(ctx: Ctx, id: string, options: TakedownOptions): Promise<TakenDown> {
  if (await isFile(ctx, id)) {
    const { name, ...taken } = await administer(ctx, [adminFilesContract.takeDownFile, takeDownFile], { fileId: id, ...options });
    const file = await ctx.db.selectFrom("files").select("status").where("id", "=", id).executeTakeFirst();
    if (file?.status === "deleted") return { ...taken, status: "deleted", files: [] };
    return { ...taken, status: "dmca_removed", files: [{ id, name, status: "dmca_removed" }] };
  }
  const taken = await administer(ctx, [takedownContract.takeDownShare, takeDownShare], { shortId: id, ...options });
  const files = taken.status === "deleted" ? [] : await listShareFiles(ctx.db, taken.shortId);
  return { ...taken, files: files.map(({ id, name, status }) => ({ id, name, status })) };
}

async function bringBack(ctx: Ctx, id: string): Promise<Output<"restoreTakenDown">> {
  if (!(await isFile(ctx, id))) return await administer(ctx, [takedownContract.restoreTakenDown, restoreTakenDown], { shortId: id });
  const { shortId, name, isBack, ...others } = await administer(ctx, [adminFilesContract.restoreFile, restoreFile], { fileId: id });
  const { id: _id, ...shares } = others;
  return { shortId, files: isBack ? [{ id, name }] : [], lost: isBack ? 0 : 1, stillBlocked: 0, ...shares };
}

async function takeDownEach(ctx: Ctx, names: readonly string[], options: TakedownOptions): Promise<Result> {
  const { done, refused, only, problems, exitCode } = await changeNamed(names, (id) => takeDown(ctx, id, options));
  const reports = done.flatMap(({ status, files, shortId, bytesUntil, ...taken }) => [
    status === "deleted"
      ? `The owner had deleted it from the share ${shortId}. The bytes in other shares are removed after ${formatTime(bytesUntil)}.`
      : `${countOf(files.length, "file")} of the share ${shortId} blocked. The bytes are removed after ${formatTime(bytesUntil)}.`,
    ...describeOtherPlaces(taken),
  ]);
  return {
    data: only ?? { takenDown: done, refused },
    text: alignColumns(done.flatMap(({ files }) => files.map(({ id, name, status }) => [id, name, status]))),
    notes: [...reports, ...(options.block && done.length > 0 ? describeBlocks(toBlocksView(...done)) : [])],
    important: problems,
    exitCode,
  };
}

async function bringBackEach(ctx: Ctx, names: readonly string[]): Promise<Result> {
  const { done, refused, only, problems, exitCode } = await changeNamed(names, (id) => bringBack(ctx, id));
  const reports = done.flatMap(({ files, shortId, lost, stillBlocked, otherPlaces, otherPlaceCount, reopenedShares }) => {
    const without = lost === 0 ? "" : ` ${countOf(lost, "file")} cannot be brought back.`;
    const blocked =
      stillBlocked === 0 ? "" : ` ${countOf(stillBlocked, "file")} stay blocked, by another takedown or because they had expired.`;
    const isOpen = new Set(reopenedShares);
    return [
      `${countOf(files.length, "file")} of the share ${shortId} back.${without}${blocked}`,
      ...otherPlaces.map(
        (place) => `${place.id} of the share ${place.shortId} back too${isOpen.has(place.shortId) ? ", which is open again" : ""}.`,
      ),
      ...describeRest(otherPlaceCount - otherPlaces.length, "back too"),
    ];
  });
  return {
    data: only ?? { restored: done, refused },
    text: alignColumns(done.flatMap(({ files }) => files.map(({ id, name }) => [id, name]))),
    notes: reports,
    important: problems,
    exitCode,
  };
}

/** Describes the places in other shares that a takedown blocks. */
export const describeOtherPlaces = ({ otherPlaces, otherPlaceCount }: Pick<Takedown, "otherPlaces" | "otherPlaceCount">): string[] => [
  ...otherPlaces.map((place) => `${place.id} of the share ${place.shortId} blocked too: it is the same file.`),
  ...describeRest(otherPlaceCount - otherPlaces.length, "blocked too"),
];

/** Describes the places beyond those that are named. */
const describeRest = (count: number, state: string): string[] => (count > 0 ? [`${countOf(count, "more place")} ${state}.`] : []);

/** Describes the additions of a takedown to the blocklist. */
export function describeBlocks({ blocked, blockedLater, notBlocked }: Pick<Takedown, "blocked" | "blockedLater" | "notBlocked">): string[] {
  const notes = [`Added to the blocklist: ${countOf(blocked.length, "file")}.`];
  if (blockedLater.length > 0)
    notes.push(`${countOf(blockedLater.length, "file")} will be added when the running server has computed the digest.`);
  if (notBlocked.length > 0) notes.push(`${countOf(notBlocked.length, "file")} cannot be added: there are no complete bytes to read.`);
  return notes;
}
