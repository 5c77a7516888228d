import { readFile } from "node:fs/promises";
import type { Ctx } from "../../context.ts";
import { systemCode } from "../../errors.ts";
import { inBatches } from "../../lib/concurrency/batches.ts";
import type { Output } from "../../service/contract.ts";
import { blockDigests, listBlockedDigests, parseDigest, unblockDigest } from "../../service/scanning/blocklist.ts";
import { blocklistContract, MAX_NEW_DIGESTS } from "../../service/scanning/contract.ts";
import { administer } from "../administer.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { readPages } from "../read-pages.ts";
import { formatTable, formatTime } from "../terminal/text.ts";
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
  details: "Nobody can download a file with a listed digest, whoever uploaded it. The running server blocks the files that exist.",
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
    const digests = (SHA256 === undefined ? await readDigests(from ?? "") : [SHA256]).map(parseDigest);
    const result = await withApp(await load(), (ctx) => addAll(ctx, digests, reason));
    const lines = [
      ...result.added.map((digest) => `Added: ${digest}\n`),
      ...result.known.map((digest) => `It was on the blocklist already: ${digest}\n`),
    ];
    return { data: result, text: lines.join("") };
  },
});

/** Adds any number of digests, in calls with as many digests as one accepts. */
async function addAll(ctx: Ctx, digests: readonly string[], reason: string | undefined): Promise<Output<"blockDigests">> {
  const results: Output<"blockDigests">[] = [];
  for await (const batch of inBatches(digests, MAX_NEW_DIGESTS))
    results.push(await administer(ctx, [blocklistContract.blockDigests, blockDigests], { digests: [...batch], reason }));
  return { added: results.flatMap(({ added }) => added), known: results.flatMap(({ known }) => known) };
}

export const blocklistList = defineCommand({
  options: { search: { kind: "text", value: "TEXT", help: "Only digests that start with it, or whose reason contains it" } },
  settings: DATA_SETTINGS,
  examples: ["filehost blocklist list", "filehost blocklist list --search 'Court order' --json"],
  async run({ options: { search }, load }) {
    const blocks = await withApp(await load(), (ctx) =>
      readPages(Number.POSITIVE_INFINITY, (page) =>
        administer(ctx, [blocklistContract.listBlockedDigests, listBlockedDigests], { search, ...page }),
      ),
    );
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
    const removed = await withApp(await load(), (ctx) =>
      administer(ctx, [blocklistContract.unblockDigest, unblockDigest], { sha256: SHA256 }),
    );
    return { data: removed, text: `Removed: ${removed.sha256}\n` };
  },
});
