import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { DEFAULT_TIERS, type Tier } from "../../src/config/tiers.ts";
import { formatSize } from "../../src/lib/text/format-size.ts";

const root = resolve(import.meta.dirname, "../..");

interface Row {
  readonly name: string;
  readonly shown: string;
}

/** The settings that a document's tables list, with the text of the column `default`. */
async function readTable(path: string): Promise<readonly Row[]> {
  const text = await readFile(join(root, path), "utf8");
  return [...text.matchAll(/^\| `FILEHOST_(\w+)` \| (.*?)\|/gm)].map(([, name = "", shown = ""]) => ({ name, shown: shown.trim() }));
}

/** A setting's default in the code; undefined if there is none or it is empty. */
const defaultOf = (name: string): string | undefined =>
  Object.entries(SETTINGS).find(([known]) => known === name)?.[1].default || undefined;

const withOtherDefault = (rows: readonly Row[]) =>
  rows.filter(({ name, shown }) => {
    const defaultText = defaultOf(name);
    return defaultText !== undefined && shown !== `\`${defaultText}\``;
  });

/** configuration, "Configuration" */
describe("docs/configuration.md", () => {
  it("lists every setting once, and nothing else", async () => {
    const rows = await readTable("docs/configuration.md");
    assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys(SETTINGS).sort());
  });

  it("shows the defaults of the code", async () => {
    const rows = await readTable("docs/configuration.md");
    assert.deepEqual(withOtherDefault(rows), []);
  });

  it("names every secret that can be read from a file, and no other setting", async () => {
    const text = await readFile(join(root, "docs/configuration.md"), "utf8");
    const [, sentences = ""] = /^A secret can also be read from a file: ([\s\S]*?)\n\n/m.exec(text) ?? [];
    const named = [...sentences.matchAll(/`FILEHOST_(\w+?)(?:_FILE=[^`]*)?`/g)].map(([, name = ""]) => name);
    const secrets = Object.entries(SETTINGS).flatMap(([name, { secret }]) => (secret ? [name] : []));
    assert.deepEqual(named.sort(), secrets.sort());
  });

  it("has an example of FILEHOST_LIMITS that the server accepts", async () => {
    const text = await readFile(join(root, "docs/configuration.md"), "utf8");
    const example = /```json\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
    const { config } = loadConfig({ FILEHOST_LIMITS: example });
    assert.notDeepEqual(config.tiers, DEFAULT_TIERS);
  });
});

describe("the README", () => {
  it("lists ten settings with the defaults of the code", async () => {
    const rows = await readTable("README.md");
    assert.equal(rows.length, 10);
    assert.deepEqual(
      rows.filter(({ name }) => !Object.hasOwn(SETTINGS, name)),
      [],
    );
    assert.deepEqual(withOtherDefault(rows), []);
  });

  it("has at most 150 lines", async () => {
    const text = await readFile(join(root, "README.md"), "utf8");
    assert.ok(text.split("\n").length <= 151);
  });
});

/** limits, "Tiers" */
describe("docs/operate.md", () => {
  it("shows the default limits of each tier", async () => {
    const text = await readFile(join(root, "docs/operate.md"), "utf8");
    const titles: Record<Tier, string> = { anonymous: "without a key", free: "free account", pro: "Pro account" };
    for (const [tier, limits] of Object.entries(DEFAULT_TIERS) as [Tier, (typeof DEFAULT_TIERS)[Tier]][]) {
      const row = text.split("\n").find((line) => line.startsWith(`| ${titles[tier]} |`)) ?? "";
      const [, , file = "", storage = "", files = "", expiry = ""] = row.split("|");
      assert.equal(file.trim(), formatSize(limits.fileBytes), tier);
      for (const bytes of [limits.storageBytes, limits.storageMaxBytes]) assert.ok(storage.includes(formatSize(bytes)), tier);
      assert.ok(files.includes(limits.files.toLocaleString("en-US")), tier);
      assert.ok(expiry.includes(`at most ${limits.retentionMs / 86_400_000} days`), tier);
    }
  });
});
