import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";

const READ =
  /\.(?:isVisible|isHidden|count|textContent|innerText|innerHTML|evaluate|evaluateAll|inputValue|getAttribute|isChecked|isDisabled|isEnabled|isEditable|boundingBox|title|allTextContents|allInnerTexts)\(/;

/** A statement of assertion on lines of its own, as Biome formats it. */
const ASSERTION = /^( *)assert(?:\.\w+)?\((?:.*\);$|[\s\S]*?^\1\);$)/gm;

/** The lines of assertions that read a page only once: a page may change a moment after the action that a test awaited. */
function findSingleReads(text: string): number[] {
  return [...text.matchAll(ASSERTION)]
    .filter(({ 0: statement, index }) => {
      const isRepeated = /soon\(async \(\) =>(?: \{)?\n$/.test(text.slice(0, index));
      return /\bawait\b/.test(statement) && READ.test(statement) && !isRepeated;
    })
    .map(({ index }) => text.slice(0, index).split("\n").length);
}

describe("assertions about pages", () => {
  const files = globSync("**/*.ts", { cwd: import.meta.dirname }).filter(
    (name) => name.endsWith(".browser.test.ts") || name.includes("pages/"),
  );

  test("are repeated until they hold: soon(async () => assert…)", () => {
    assert.ok(files.length > 80);
    const single = files.flatMap((name) =>
      findSingleReads(readFileSync(`${import.meta.dirname}/${name}`, "utf8")).map((line) => `${name}:${line}`),
    );
    assert.deepEqual(single, []);
  });

  test("wait for the outcome of a change, not for the sentence that each change is saved", () => {
    const loose = /(?:page|drawer|dialog|getByRole\("dialog"\))\.getByText\("Saved"\)/;
    const found = files.filter((name) => loose.test(readFileSync(`${import.meta.dirname}/${name}`, "utf8")));
    assert.deepEqual(found, [], 'getByText("Saved", { exact: true })');
  });

  test("of one read are found on one line and on several", () => {
    assert.deepEqual(findSingleReads("  assert.equal(await page.title(), 'a');\n"), [1]);
    assert.deepEqual(findSingleReads("x();\n  assert.equal(\n    await row.textContent(),\n    'a',\n  );\n"), [2]);
    assert.deepEqual(findSingleReads("  await soon(async () => assert.equal(await page.title(), 'a'));\n"), []);
    assert.deepEqual(findSingleReads("  await soon(async () =>\n    assert.equal(await page.title(), 'a'),\n  );\n"), []);
  });
});
