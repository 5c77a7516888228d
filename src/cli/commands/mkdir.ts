import { defineCommand } from "../command.ts";
import { CLIENT_OPTIONS, openClient } from "../options/client-options.ts";
import { alignColumns } from "../terminal/text.ts";

export const mkdir = defineCommand({
  details: "Makes each folder of a path that is missing. One that exists is left as it is.",
  args: { FOLDER: { suggests: [], many: true, help: "The path of a folder, such as Reports/2026" } },
  options: CLIENT_OPTIONS,
  settings: [],
  examples: ["filehost mkdir Reports/2026", "filehost mkdir Photos Music"],
  async run({ args: { FOLDER: paths }, options, terminal }) {
    const { api } = await openClient({ command: "mkdir", options, terminal });
    const { ensureFolder, readNewFolderPath } = await import("../../client/shares/account-folders.ts");
    // Nothing is created if a path is wrong.
    for (const path of paths) readNewFolderPath(path);
    const folders: Awaited<ReturnType<typeof ensureFolder>>[] = [];
    for (const path of paths) folders.push(await ensureFolder(api, path));
    const existing = folders.filter(({ isNew }) => !isNew).map(({ path }) => `${path || "/"} exists already.`);
    return { data: { folders }, text: alignColumns(folders.map(({ id, path }) => [id ?? "-", `${path}/`])), notes: existing };
  },
});
