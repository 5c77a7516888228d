import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { describe, it } from "node:test";
import { parseSync } from "oxc-parser";

const src = resolve(import.meta.dirname, "../../src");

/** The modules of src/, and the packages, that are evaluated with these modules. */
async function loadedWith(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const loaded = new Set<string>();
  const waiting = paths.map((path) => join(src, path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = path.startsWith("/") ? relative(src, path) : path;
    if (loaded.has(name)) continue;
    loaded.add(name);
    if (!path.startsWith("/") || !/\.tsx?$/.test(path)) continue;
    const { program } = parseSync(path, await readFile(path, "utf8"));
    for (const node of program.body) {
      const isImport = node.type === "ImportDeclaration" && node.importKind !== "type";
      const isExport = (node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration") && node.exportKind !== "type";
      const from = isImport || isExport ? node.source?.value : undefined;
      if (from === undefined) continue;
      waiting.push(from.startsWith(".") ? join(dirname(path), from) : from === "#runtime" ? join(src, "runtime/bun.ts") : from);
    }
  }
  return loaded;
}

const ENTRIES = ["main.ts", "cli/run.ts", "cli/terminal/process-terminal.ts"];

/** What every command loads makes each of them start later. */
describe("the modules that every command loads", () => {
  it("exclude all definitions of commands, schemas, settings and modules of the server", async () => {
    const loaded = [...(await loadedWith(ENTRIES))];
    assert.ok(loaded.includes("cli/commands.ts") && loaded.includes("errors.ts"));
    assert.deepEqual(
      loaded.filter((name) =>
        /^(?:zod|kysely|libsql|pino|hono)\b|^(?:cli\/commands|service|db|http|web)\/|^config\/(?:load|settings)\.ts$/.test(name),
      ),
      [],
    );
  });

  it("suffice to print the version", async () => {
    const loaded = await loadedWith(ENTRIES);
    const more = [...(await loadedWith(["cli/commands/version.ts"]))].filter((name) => !loaded.has(name));
    assert.deepEqual(more, ["cli/commands/version.ts"]);
  });
});
