import { readFile } from "node:fs/promises";
import { systemCode } from "../../errors.ts";
import { addBlocks, listBlocks, removeBlock } from "../../service/scanning/blocklist.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { formatTable, formatTime } from "../text.ts";
import { withApp } from "../with-app.ts";

const EXAMPLE = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/** Reads digests, one per line. Throws UsageError. */
async function readDigests(path: string): Promise<string[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`The file ${path} cannot be read (${systemCode(error) ?? "unknown"}).`, "filehost blocklist add --help");
  });
  const digests = text.split(/\s+/).filter((word) => word !== "");
  if (digests.length === 0) throw new UsageError(`The file ${path} has no digest.`, "filehost blocklist add --help");
  return digests;
}

export const blocklistAdd = defineCommand({
  details: "A file that has the digest cannot be downloaded, regardless of its uploader. The running server blocks the files that exist.",
  args: { SHA256: { help: "The digest, 64 hexadecimal digits", optional: true } },
  options: {
    from: { kind: "text", value: "PATH", help: "A text file with one digest per line, all of which are added" },
    reason: { kind: "text", value: "TEXT", help: "Why, for your records" },
  },
  settings: DATA_SETTINGS,
  examples: [
    `filehost blocklist add ${EXAMPLE} --reason 'Court order 12/26'`,
    "filehost blocklist add --from digests.txt --reason 'List of the police'",
  ],
  async run({ args: { SHA256 }, options: { from, reason }, load }) {
    if ((SHA256 === undefined) === (from === undefined))
      throw new UsageError("Pass one SHA256, or --from a file with many.", "filehost blocklist add --help");
    const digests = SHA256 === undefined ? await readDigests(from ?? "") : [SHA256];
    const result = await withApp(await load(), (ctx) => addBlocks(ctx, "command_line", { digests, reason }));
    const lines = [
      ...result.added.map((digest) => `Added: ${digest}\n`),
      ...result.known.map((digest) => `It was on the blocklist already: ${digest}\n`),
    ];
    return { data: result, text: lines.join("") };
  },
});

export const blocklistList = defineCommand({
  options: { search: { kind: "text", value: "TEXT", help: "Only digests that start with it, or whose reason contains it" } },
  settings: DATA_SETTINGS,
  examples: ["filehost blocklist list", "filehost blocklist list --search 'Court order' --json"],
  async run({ options: { search }, load }) {
    const { blocks } = await withApp(await load(), (ctx) => listBlocks(ctx, { search, limit: Number.MAX_SAFE_INTEGER - 1 }));
    const rows = blocks.map(({ sha256, createdAt, addedBy, reason }) => [sha256, formatTime(createdAt), addedBy, reason ?? "-"]);
    return {
      data: blocks,
      text: formatTable(["SHA256", "ADDED", "BY", "REASON"], rows, search === undefined ? "The blocklist is empty." : "No digests found."),
    };
  },
});

export const blocklistRemove = defineCommand({
  details: "Files that it blocked can be downloaded again after filehost rescan.",
  args: { SHA256: { help: "The digest, 64 hexadecimal digits" } },
  settings: DATA_SETTINGS,
  examples: [`filehost blocklist remove ${EXAMPLE}`],
  async run({ args: { SHA256 }, load }) {
    const removed = await withApp(await load(), (ctx) => removeBlock(ctx, "command_line", SHA256));
    return { data: removed, text: `Removed: ${removed.sha256}\n` };
  },
});
