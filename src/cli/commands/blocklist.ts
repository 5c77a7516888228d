import { addBlocks, listBlocks, removeBlock } from "../../service/scanning/blocklist.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { formatTable, formatTime } from "../text.ts";
import { withApp } from "../with-app.ts";

const EXAMPLE = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

export const blocklistAdd = defineCommand({
  name: "blocklist add",
  summary: "Block files with a SHA-256 digest, those of today and those to come",
  details: "A file that has the digest cannot be downloaded, whoever uploaded it. The running server blocks the files that exist.",
  args: { SHA256: { help: "The digest, 64 hexadecimal digits" } },
  options: { reason: { kind: "text", value: "TEXT", help: "Why, for your records" } },
  settings: DATA_SETTINGS,
  examples: [`filehost blocklist add ${EXAMPLE} --reason 'Court order 12/26'`],
  async run({ args: { SHA256 }, options: { reason }, load }) {
    const result = await withApp(load(), (ctx) => addBlocks(ctx, "command_line", { digests: [SHA256], reason }));
    const text = result.added.length > 0 ? `Added: ${result.added.join()}\n` : `It was on the blocklist already: ${result.known.join()}\n`;
    return { data: result, text };
  },
});

export const blocklistList = defineCommand({
  name: "blocklist list",
  summary: "List the blocked SHA-256 digests, the last added first",
  settings: DATA_SETTINGS,
  examples: ["filehost blocklist list", "filehost blocklist list --json"],
  async run({ load }) {
    const { blocks } = await withApp(load(), (ctx) => listBlocks(ctx, { limit: Number.MAX_SAFE_INTEGER - 1 }));
    const rows = blocks.map(({ sha256, createdAt, addedBy, reason }) => [sha256, formatTime(createdAt), addedBy, reason ?? "-"]);
    return { data: blocks, text: formatTable(["SHA256", "ADDED", "BY", "REASON"], rows, "The blocklist is empty.") };
  },
});

export const blocklistRemove = defineCommand({
  name: "blocklist remove",
  summary: "Remove a digest from the blocklist",
  details: "Files that it blocked can be downloaded again after filehost rescan.",
  args: { SHA256: { help: "The digest, 64 hexadecimal digits" } },
  settings: DATA_SETTINGS,
  examples: [`filehost blocklist remove ${EXAMPLE}`],
  async run({ args: { SHA256 }, load }) {
    const removed = await withApp(load(), (ctx) => removeBlock(ctx, "command_line", SHA256));
    return { data: removed, text: `Removed: ${removed.sha256}\n` };
  },
});
