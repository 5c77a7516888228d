import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { highlight } from "../../../web/preview/highlight.ts";
import { findLanguage } from "../../../web/preview/languages.ts";
import { WorkBudget } from "../../../web/preview/work-budget.ts";

const plain = (html: string): string => html.replace(/<[^>]*>/g, "");

async function show(name: string, code: string): Promise<string> {
  const parser = findLanguage(name);
  assert.ok(parser, name);
  return await highlight(code, parser, new WorkBudget(60_000));
}

/** previews, "Documents": code. */
describe("highlighted code", () => {
  test("has a class for each kind of token", async () => {
    assert.equal(
      await show("a.ts", 'const a = "x"; // y'),
      '<span class="k">const</span> a = <span class="s">&quot;x&quot;</span>; <span class="c">// y</span>',
    );
    assert.match(await show("Dockerfile", "FROM scratch"), /<span class="k">FROM<\/span>/);
    assert.match(await show("a.PY", "def f(): pass"), /<span class="k">def<\/span>/);
    assert.equal(findLanguage("notes.txt"), undefined);
    assert.equal(findLanguage("constructor"), undefined);
  });

  test("escapes everything in the file, in every language", async () => {
    const hostile = `</span></pre><script>alert(1)</script>"'><img src=x onerror=alert(1)>&lt; /* \`\${<b>}\``;
    for (const name of ["a.ts", "a.html", "a.css", "a.py", "a.sh", "a.yaml", "a.xml", "a.json", "a.rb", "a.tex", "a.diff", "a.swift"]) {
      const html = await show(name, hostile);
      assert.match(html, /^(?:[^<>]|<span class="[a-z]">|<\/span>)*$/, name);
      assert.equal(plain(html).replace(/&lt;|&gt;|&quot;|&#39;|&amp;/g, "").length, hostile.replace(/[<>"'&]/g, "").length, name);
    }
  });

  test("has plain text in long lines and after the budget is spent, without losing a character", async () => {
    const parser = findLanguage("a.js");
    assert.ok(parser);
    const code = `const a = 1;\n${"if (a) ".repeat(1_000)}\nconst b = 2;`;
    const html = await highlight(code, parser, new WorkBudget(60_000));
    assert.equal(plain(html), code);
    assert.deepEqual(
      html.split("\n").map((line) => line.includes("<span")),
      [true, false, true],
    );
    assert.equal(await highlight(code, parser, new WorkBudget(0)), code);
  });

  test("is made in slices, between which other work runs", async () => {
    const code = "const a = [(({ b: `c` }))]; // d\n".repeat(7_000);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    });
    const html = await show("a.ts", code);
    clearInterval(timer);
    assert.ok(turns > 3, String(turns));
    assert.equal(plain(html), code);
  });
});
