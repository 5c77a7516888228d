import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { operations } from "../../src/service/operations.ts";

const src = resolve(import.meta.dirname, "../../src");

/** What commands import from the service beside operations and contracts: what no operation does. */
const WITHOUT_OPERATION: Readonly<Record<string, readonly string[]>> = {
  "accounts/administrator": ["THIS_MACHINE"],
  // Administrators create keys for accounts only on the machine.
  "accounts/admin-keys": ["createUserKey", "listAllKeys"],
  // Operations scan named files again, and these the files of a share, or all whose scan failed.
  "scanning/rescan": ["rescan", "rescanFailed"],
  // What a name means.
  "reports/queries": ["findReports"],
  "shares/queries": ["findFileWithShare", "listShareFiles"],
  // The form of inputs and outputs.
  "administration/take-down": ["toBlocksView"],
  "describe-issue": ["describeIssue"],
  "files/change-each": ["changeEach"],
  "parse-input": ["parseOperationInput"],
  "scanning/blocklist": ["parseDigest"],
};

const IMPORT = /^import (?!type\b)\{([^}]*)\} from "(?:\.\.\/)+service\/([^"]+)\.ts"/gm;

/** administration, "Commands". */
test("commands import from the service only operations, contracts and functions that are no operation", () => {
  const imported = globSync("cli/**/*.ts", { cwd: src }).flatMap((file) =>
    [...readFileSync(join(src, file), "utf8").matchAll(IMPORT)].flatMap(([, names = "", from = ""]) =>
      names
        .split(",")
        .map((name) => name.trim().replace(/ as .*/, ""))
        .filter((name) => name !== "" && !name.startsWith("type "))
        .map((name) => ({ from, name })),
    ),
  );
  const others = imported.filter(
    // Maintenance has no operations: it needs the machine.
    ({ from, name }) => !(name in operations || from.endsWith("contract") || from.startsWith("maintenance/")),
  );
  const found = Object.fromEntries(
    [...Map.groupBy(others, ({ from }) => from)].map(([from, others]) => [from, [...new Set(others.map(({ name }) => name))].sort()]),
  );
  assert.deepEqual(found, WITHOUT_OPERATION);
});
