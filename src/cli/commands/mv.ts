import { countOf } from "../../lib/text/count-of.ts";
import { openShareClient } from "../client/open-share-client.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";

export const mv = defineCommand({
  details:
    "The last argument is the target: the path of a folder such as Reports/2026, its ID, or / for no folder. If there is no such folder and only one ID, it is the new name, or the new path; a path that ends with / is always a folder. Links stay as they are. All are moved, or none.",
  args: {
    ID: {
      suggests: "shares",
      many: true,
      help: "IDs of files, short IDs or links of shares, paths of files or folders, or IDs of folders, and then the target",
    },
  },
  options: CLIENT_OPTIONS,
  settings: [],
  examples: [
    "filehost mv 7kXq9Zab report-2.pdf",
    "filehost mv 7kXq9Zab 5hQ2vR8kLm3xTz0B Reports/2026/",
    "filehost mv 7kXq9Zab /",
    "filehost mv Reports/2026 Archive",
  ],
  async run({ args: { ID }, options, terminal }) {
    const ids = ID.slice(0, -1);
    const target = ID.at(-1) ?? "";
    if (ids.length === 0)
      throw new UsageError("filehost mv requires a target after the IDs: a folder, or a new name.", "filehost mv --help");
    const client = await openShareClient({ command: "mv", options, terminal }, ids);
    const { move } = await import("../../client/shares/move.ts");
    const moved = await move(client, ids, target);
    if (moved.kind === "renamed") return { data: moved, text: "", notes: [`Renamed to ${moved.name}`] };
    const what = [
      ...(moved.files > 0 ? [countOf(moved.files, "file")] : []),
      ...(moved.folders > 0 ? [countOf(moved.folders, "folder")] : []),
    ];
    const where = moved.folder.id === null ? "out of all folders" : `to ${moved.folder.path}`;
    return { data: moved, text: "", notes: [`Moved ${what.join(" and ") || "nothing"} ${where}`] };
  },
});
