import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatJson, isJson } from "../../../web/preview/format-json.ts";
import { WorkBudget } from "../../../web/preview/work-budget.ts";

const format = (text: string, isCut = false) => formatJson(text, { isCut }, new WorkBudget(10_000));

/** previews, "Documents": JSON is formatted. */
describe("a JSON preview", () => {
  test("has each member and item on its own line", async () => {
    assert.equal(
      await format('{"a":[1,{"b":null}],"c":{},"d":[ ],"e":"x, {\\"y\\": [1]}"}'),
      [
        "{",
        '  "a": [',
        "    1,",
        "    {",
        '      "b": null',
        "    }",
        "  ],",
        '  "c": {},',
        '  "d": [],',
        '  "e": "x, {\\"y\\": [1]}"',
        "}",
      ].join("\n"),
    );
    assert.equal(await format(" 12 \n"), "12");
    assert.equal(await format('{\r\n\t"a" : 1 }'), '{\n  "a": 1\n}');
  });

  test("keeps the space between words, and each of several values on its own line, in a beginning that is not checked", async () => {
    assert.equal(await format('{"a":1}\n{"b":2}', true), '{\n  "a": 1\n}\n{\n  "b": 2\n}');
    assert.equal(await format("// see the docs", true), "// see the docs");
  });

  test("keeps large numbers, repeated names and escapes", async () => {
    assert.equal(
      await format('{"n":12345678901234567890,"n":1.0e+2,"s":"\\u00e9\\\\"}'),
      '{\n  "n": 12345678901234567890,\n  "n": 1.0e+2,\n  "s": "\\u00e9\\\\"\n}',
    );
  });

  test("is the text itself if it is not valid, or would become too long", async () => {
    for (const text of ["", "{a: 1}", '{"a": 1} // why', '{"a":', "[".repeat(100_000), `${"[".repeat(50_000)}${"]".repeat(50_000)}`])
      assert.equal(await format(text), text);
    const nested = `${"[".repeat(500)}${"1,".repeat(5_000)}1${"]".repeat(500)}`;
    assert.equal(await format(nested), nested);
  });

  test("is formatted to the end of a beginning, also within a string", async () => {
    assert.equal(await format('{"a":[1,"long te', true), '{\n  "a": [\n    1,\n    "long te');
    const escapes = `["${"\\n".repeat(120_000)}`;
    assert.equal((await format(escapes, true)).length, escapes.length + 3);
  });

  test("is recognized by media type or extension", () => {
    assert.deepEqual(
      [
        isJson("a.json", "text/plain"),
        isJson("a", "application/ld+json"),
        isJson("a.jsonl", "application/jsonl"),
        isJson("a.txt", "text/plain"),
      ],
      [true, true, false, false],
    );
  });
});
