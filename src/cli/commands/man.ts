import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { countOf } from "../../lib/text/count-of.ts";
import { defineCommand, loadGroups, type Terminal } from "../command.ts";
import { UsageError } from "../failure.ts";

export const man = defineCommand({
  details: `Prints filehost(1), or the page of a command. With --write, writes all pages to a folder: filehost.1 and one for each command.

  filehost man --write ~/.local/share/man/man1`,
  args: { COMMAND: { optional: true, many: true, help: "The command whose page is printed, such as users create" } },
  options: { write: { kind: "text", value: "DIR", help: "Write all pages to this folder, which is created if it is missing" } },
  settings: [],
  examples: ["filehost man | man -l -", "filehost man users create | man -l -", "filehost man --write ~/.local/share/man/man1"],
  async run({ args: { COMMAND: words }, options: { write }, groups, terminal }) {
    const { toManPages } = await import("../help/man-pages.ts");
    const pages = toManPages(await loadGroups(groups), whenMade(terminal.env));
    if (write === undefined) {
      const name = ["filehost", ...words].join("-");
      const page = pages.find(({ fileName }) => fileName === `${name}.1`);
      if (page === undefined) throw new UsageError(`There is no command "${words.join(" ")}".`, "filehost --help");
      return { data: { name: page.fileName, text: page.text }, text: page.text };
    }
    if (words.length > 0) throw new UsageError("Pass a command or --write, not both.", "filehost man --help");
    await mkdir(write, { recursive: true });
    const paths = pages.map(({ fileName }) => join(write, fileName));
    for (const [index, { text }] of pages.entries()) await writeFile(paths[index] ?? "", text);
    return { data: { paths }, text: "", notes: [`${countOf(pages.length, "page")} written. Read one with: man filehost`] };
  },
});

/** Today, or the time that builds of packages name, so that the same build makes the same pages. */
const whenMade = ({ SOURCE_DATE_EPOCH: epoch = "" }: Terminal["env"]): Date =>
  /^\d{1,10}$/.test(epoch) ? new Date(Number(epoch) * 1000) : new Date();
