import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { commandGroups } from "../../src/cli/commands.ts";
import { contract } from "../../src/service/contract.ts";

const root = resolve(import.meta.dirname, "../..");

/** administration, "Pages". */
test("the table of administration has every operation of administrators, with commands that exist", async () => {
  const text = await readFile(join(root, "docs/interface/administration.md"), "utf8");
  const rows = [...text.matchAll(/^\| (?:`\/admin[^|]*)?\| `([A-Z]+ \/admin[^`]*)` \| (`[^|]*`) \|$/gm)].map(
    ([, call = "", commands = ""]) => ({
      call,
      commands: [...commands.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words.replace(/ --.*$/, "")),
    }),
  );
  const operations = Object.values(contract)
    .filter(({ access }) => access === "admin")
    .map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(rows.map(({ call }) => call).sort(), operations.sort());
  const known = new Set(commandGroups.flatMap(({ commands }) => commands.map(({ name }) => name)));
  assert.deepEqual(
    rows.flatMap(({ commands }) => commands).filter((name) => !known.has(name)),
    [],
  );
});
