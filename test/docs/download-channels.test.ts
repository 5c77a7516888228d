import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { DOWNLOAD_CHANNELS } from "../../src/contract/channels.ts";

/** listing, "Download events". */
test("the document of download events lists the channels that they report", async () => {
  const text = await readFile(join(resolve(import.meta.dirname, "../.."), "docs/interface/listing.md"), "utf8");
  const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
  const { authorized, completed } = DOWNLOAD_CHANNELS;
  assert.ok(text.includes(`| \`route\` | ${quoted(authorized)} for \`authorized\`; ${quoted(completed)} for \`completed\` |`));
});
