import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { splitMarkdown } from "../../../web/preview/split-markdown.ts";

const MAX_CHARACTERS = 32_000;

/** previews, "Documents": a long Markdown text is parsed in pieces. */
describe("the pieces of a Markdown text", () => {
  test("are the text itself if it is short", () => {
    assert.deepEqual(splitMarkdown("# a\n\nb"), ["# a\n\nb"]);
  });

  test("end between blocks, outside lists, or between lines if no block begins", () => {
    const [first = "", ...rest] = splitMarkdown(`${"- a\n\n".repeat(5_000)}# Heading\n\n${"- b\n\n".repeat(5_000)}`);
    assert.ok(first.endsWith("- a\n\n"));
    assert.ok(rest[0]?.startsWith("# Heading"));
    const lines = splitMarkdown("- abc\n".repeat(20_000));
    assert.ok(lines.length > 1 && lines.every((piece) => piece.endsWith("\n") && piece.length <= MAX_CHARACTERS));
    assert.equal(lines.join(""), "- abc\n".repeat(20_000));
  });

  test("keep a long line whole", () => {
    const line = `[a]: http://example.org/${"x".repeat(60_000)}\n`;
    assert.deepEqual(splitMarkdown(`${line}b\n`), [line, "b\n"]);
  });

  test("continue a code block, whose end is found in the next piece", () => {
    const pieces = splitMarkdown(`~~~ python example\n${"a = 1\n".repeat(8_000)}~~~\n\nb ~~~\n`);
    assert.deepEqual(
      pieces.map((piece) => piece.split("\n", 1)[0]),
      ["~~~ python example", "~~~ python example"],
    );
    assert.ok(pieces.at(-1)?.endsWith("~~~\n\nb ~~~\n"));
    assert.ok(splitMarkdown("`".repeat(1_000_000)).length < 40);
    assert.ok(splitMarkdown(`${"`".repeat(1_000)}\n`.repeat(1_000)).length < 70);
  });
});
