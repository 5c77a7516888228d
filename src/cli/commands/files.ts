import { formatSize } from "../../lib/text/format-size.ts";
import { listAllFiles } from "../../service/administration/files.ts";
import {
  ADMIN_FILE_SORTS,
  ADMIN_FILE_STATES,
  type AdminFileView,
  adminFilesContract,
} from "../../service/administration/files-contract.ts";
import { administer } from "../administer.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { LIMIT_OPTION, readPages, toLimit } from "../read-pages.ts";
import { describeAccount, formatTable, formatTime } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

export const filesList = defineCommand({
  details:
    "The newest first. Unfinished uploads and deleted files are not listed. To act on one: filehost takedown ID, filehost rescan ID; its bytes stay private.",
  options: {
    search: { kind: "text", value: "TEXT", help: "Words of the name, or an ID, a short ID, a share link or a SHA-256" },
    owner: {
      kind: "text",
      value: "USER",
      help: "Only files of this account: an ID, email address or username; anonymous: files without an account",
    },
    state: { kind: "text", value: "STATE", choices: ADMIN_FILE_STATES, help: "Only files that can be downloaded, wait for the scan, …" },
    sort: { kind: "text", value: "BY", choices: ADMIN_FILE_SORTS, default: "created", help: "What to sort by" },
    order: { kind: "text", value: "ORDER", choices: ["desc", "asc"], default: "desc", help: "The newest or largest first, or last" },
    limit: { ...LIMIT_OPTION, default: "100", help: "Maximum number of files to list" },
  },
  settings: DATA_SETTINGS,
  examples: ["filehost files list --sort size --limit 20", "filehost files list --owner ada@example.org --state blocked --json"],
  async run({ options: { limit, ...search }, load }) {
    const count = toLimit(limit);
    const files = await withApp(await load(), (ctx) =>
      readPages(count, (page) => administer(ctx, [adminFilesContract.listAllFiles, listAllFiles], { ...search, ...page })),
    );
    const rows = files.map((file) => [
      file.id,
      file.shortId,
      file.name,
      formatSize(file.sizeBytes),
      describeState(file),
      file.owner === null ? "-" : describeAccount(file.owner),
      formatTime(file.createdAt),
    ]);
    return { data: files, text: formatTable(["ID", "SHARE", "NAME", "SIZE", "STATE", "OWNER", "CREATED"], rows, "No files found.") };
  },
});

/** Describes the state of a file in the words of `--state` and of `--json`. */
function describeState({ status, isUsedUp, scanStatus }: AdminFileView): string {
  if (isUsedUp) return "used_up";
  if (status === "dmca_removed") return "taken_down";
  if (status !== "active") return status;
  return scanStatus === "clean" ? "ready" : scanStatus === "unavailable" ? "blocked" : "waiting";
}
