import type { LinkedFiles, Removal } from "../../client/shares/remove.ts";
import { AppError, ERRORS } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { contract } from "../../service/contract.ts";
import { openShareClient } from "../client/open-share-client.ts";
import { defineCommand } from "../command.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { fromContract } from "../options/from-contract.ts";
import { readToken } from "../options/token.ts";
import { alignColumns, toPlain } from "../terminal/text.ts";

const fields = fromContract(contract.deleteFile.input.shape, ["force", "allLinks"]);

export const rm = defineCommand({
  details:
    "Your own with your key, anonymous ones with the deletion token that this device remembers, which it then forgets. A shipment's short ID deletes all its files. In a terminal it asks first. Of several IDs, each is deleted or refused independently of the others.",
  args: {
    ID: {
      suggests: "shares",
      many: true,
      help: "Short IDs or links of shares, IDs of files, paths of files or folders, or IDs of folders",
    },
  },
  options: {
    yes: { kind: "flag", help: "Do not ask" },
    recursive: { kind: "flag", help: "Delete folders with all files and folders in them; without it, only empty ones" },
    ...fields.options,
    token: {
      kind: "text",
      value: "TOKEN",
      help: "The deletion token of an anonymous share; default: the one that this device remembers. - reads it from standard input",
    },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: ["filehost rm 7kXq9Zab", "filehost rm 5hQ2vR8kLm3xTz0B 7kXq9Zab --yes", "filehost rm Reports/2026 --recursive"],
  async run({ args: { ID }, options, terminal }) {
    const client = await openShareClient({ command: "rm", options, terminal }, ID);
    const { planRemovals, readLostLinks, removeAll } = await import("../../client/shares/remove.ts");
    const token = await readToken(terminal, options.token);
    const removals = await planRemovals(client, ID, options.recursive);
    const asks = !options.yes && terminal.canAsk;
    if (asks || !options.quiet) await terminal.err(describeLostLinks(await readLostLinks(client, removals)));
    if (asks && !(await terminal.confirm(toPlain(`Delete ${describeRemovals(removals)} permanently?`))))
      throw new AppError("CONFLICT", "Nothing was deleted.");
    const { deleted, refused, linked } = await removeAll(client, removals, { token, ...fields.read("rm", options) });
    const [first] = refused;
    if (first !== undefined && removals.length === 1) throw new AppError(first.errorCode, first.error);
    return {
      data: { deleted, refused },
      text: alignColumns(deleted.map((id) => [id])),
      notes: linked.map(
        ({ id, links }) =>
          `${id}: ${countOf(links, "other link")} of it still ${links === 1 ? "works" : "work"}. To delete all: --all-links`,
      ),
      important: refused.map(({ id, error }) => `${id}: ${error}`),
      exitCode: first === undefined ? 0 : (ERRORS[first.errorCode]?.exit ?? 1),
    };
  },
});

/** Maximum number of links that are named of each file. */
const MAX_LINKS = 5;

/** Says which links files in folders lose, because these are deleted with all their links. Empty if each has one at most. */
function describeLostLinks({ named, count }: LinkedFiles): string {
  if (count === 0) return "";
  const files = named.map(({ name, linkCount, links }) => {
    const urls = links.slice(0, MAX_LINKS).map(({ shareUrl, title }) => (title === null ? shareUrl : `${title} (${shareUrl})`));
    const others = linkCount - urls.length;
    return toPlain(`${name}: ${urls.join(", ")}${others > 0 ? ` and ${countOf(others, "more link")}` : ""}`);
  });
  const others = count - named.length;
  const lines = [...files, ...(others > 0 ? [`and ${countOf(others, "more file")}`] : [])];
  const what = count === 1 ? "1 file has several links, which all stop" : `${count} files have several links, which all stop`;
  return `${what} working:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function describeRemovals(removals: readonly Removal[]): string {
  const [first] = removals;
  const files = removals.reduce((sum, removal) => sum + (removal.kind === "folder" ? removal.fileIds.length : 0), 0);
  if (removals.length > 1) return `${countOf(removals.length, "item")}${files > 0 ? ` with ${countOf(files, "file")} in folders` : ""}`;
  if (first?.kind === "folder") {
    const inside = first.folderIds.length - 1;
    return `the folder "${first.name}" with ${countOf(first.fileIds.length, "file")}${inside > 0 ? ` and ${countOf(inside, "folder")}` : ""}`;
  }
  return first?.name === undefined ? (first?.text ?? "") : `"${first.name}" (${first.text})`;
}
