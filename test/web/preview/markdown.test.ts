import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { renderMarkdown } from "../../../web/preview/markdown.ts";
import { WorkBudget } from "../../../web/preview/work-budget.ts";

const render = (markdown: string, budgetMs = 60_000): Promise<string> => renderMarkdown(markdown, new WorkBudget(budgetMs));

/** previews, "Documents": Markdown. */
describe("rendered Markdown", () => {
  test("has headings, lists, tables, quotes and code", async () => {
    const html = await render("# A\n\n- b **c**\n\n1 | 2\n-|-\n3 | 4\n\n> d\n\n```js\nx < 1\n```\n\n5 \\* 6");
    for (const part of ["<h1>A</h1>", "<li>b <strong>c</strong></li>", "<td>3</td>", "<blockquote>", "x &lt; ", "5 * 6"])
      assert.ok(html.includes(part), `${part} in ${html}`);
  });

  test("the cells of a table are aligned by classes, and have no style", async () => {
    const html = await render("a | b | c | d\n-|:-|:-:|-:\n1 | 2 | 3 | 4");
    const expected = ["<th>a", '<th class="left">b', '<th class="center">c', '<th class="right">d', '<td class="right">4'];
    for (const part of expected) assert.ok(html.includes(part), `${part} in ${html}`);
    assert.ok(!html.includes("style"), html);
  });

  test("a table is in an element that scrolls", async () => {
    assert.match(await render("a | b\n-|-\n1 | 2\n\nc"), /<div class="scroll" tabindex="0"><table>.*<\/table><\/div>\n<p>c/s);
  });

  test("items of a task list have boxes in place of bullets", async () => {
    const html = await render("- [ ] a\n- [x] b\n- [X]c\n- d [ ] e\n\n[ ] f\n\n1. [X] g");
    assert.deepEqual(
      [...html.matchAll(/<(li class="task"|li|p)>(.*?)<\//g)].map(([, tag, text]) => [tag, text]),
      [
        ['li class="task"', "☐ a"],
        ['li class="task"', "☑ b"],
        ["li", "[X]c"],
        ["li", "d [ ] e"],
        ["p", "[ ] f"],
        ['li class="task"', "☑ g"],
      ],
    );
  });

  test("HTML is text", async () => {
    const html = await render(
      "<script>alert(1)</script>\n\na <img src=x onerror=alert(1)> <a href='javascript:alert(1)'>b</a> <!-- c -->\n",
    );
    assert.doesNotMatch(html, /<(?!\/?p>)/);
    assert.ok(html.includes("&lt;script&gt;alert(1)&lt;/script&gt;"));
  });

  test("an image is its description, and loads nothing", async () => {
    const html = await render(
      '![A <b>map</b>](https://example.org/x.png "t") ![](//example.org/y.png) ![r][1]\n\n[1]: http://example.org/z.png',
    );
    assert.doesNotMatch(html, /<img|src=|example\.org/);
    assert.match(html, /<span class="image">A &lt;b&gt;map&lt;\/b&gt;<\/span> <span class="image">Image<\/span>/);
  });

  test("links open in a new tab without a referrer, and only those of the web and of mail have a target", async () => {
    const html = await render("[a](https://example.org/?b=1&c=\"2\" 'title') <http://example.org> [m](mailto:a@example.org)");
    const hrefs = [...html.matchAll(/<a href="([^"]*)" target="_blank" rel="noopener noreferrer nofollow ugc">/g)].map(([, href]) => href);
    assert.deepEqual(hrefs, ["https://example.org/?b=1&amp;c=%222%22", "http://example.org", "mailto:a@example.org"]);
    for (const url of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///x",
      "//example.org",
      "/d/x",
      "x.md",
      "#a",
    ])
      assert.match(await render(`[a](${url}) [b]\n\n[b]: ${url}`), /^<p><a>a<\/a> <a>b<\/a><\/p>\n$/, url);
    assert.doesNotMatch(await render("[a](java&#115;cript:alert&#40;1&#41;) [b](\\u006aavascript:x) <javascript:alert(1)>"), /href/);
  });

  test("a long paragraph and a spent budget give text without formatting", async () => {
    const long = `**a** <b> ${"x ".repeat(10_000)}`;
    assert.ok((await render(long)).startsWith("<p>**a** &lt;b&gt; x"));
    assert.equal(await render("**a** <b>\n\n# c", 0), "<p>**a** &lt;b&gt;</p>\n<h1>c</h1>\n");
  });

  test("nested and unclosed syntax gives text that is as long as the file", async () => {
    for (const part of ["[", "![a](", "**a", "_a*", "> ", "- ", "`a", "<a ", "&#", "|\n", "\\", "a|b\n-|-\n"]) {
      const html = await render(part.repeat(5_000));
      assert.doesNotMatch(html, /<(?:script|img|iframe|object|style)/);
    }
  });

  test("a code block has the colors of its language, and is text in any other", async () => {
    assert.equal(
      await render("```js\nconst a = '<b>';\n```"),
      `<pre><code><span class="k">const</span> a = <span class="s">&#39;&lt;b&gt;&#39;</span>;\n</code></pre>\n`,
    );
    assert.equal(await render("~~~ constructor\n<b>\n~~~"), "<pre><code>&lt;b&gt;\n</code></pre>\n");
    const hostile = await render('```js" onload="alert(1)\n"</span></pre><script>alert(1)</script>`<img src=x onerror=alert(1)>`\n```');
    assert.match(hostile, /^<pre><code>(?:[^<>]|<span class="[a-z]">|<\/span>)*<\/code><\/pre>\n$/);
  });

  test("many code blocks give HTML that is proportional to the file", async () => {
    for (const block of ["```js\n```\n", "```js\n1+1+1+1\n```\n", "```js\n\n", "- ```js\n  1\n"]) {
      const text = block.repeat(Math.floor((256 * 1024) / block.length));
      assert.ok((await render(text)).length < 32 * text.length, block);
    }
  });

  test("other work runs while a long list is parsed", async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    });
    const html = await render("- a\n".repeat(64 * 1024));
    clearInterval(timer);
    assert.ok(turns > 8, String(turns));
    assert.equal(html.match(/<li>/g)?.length, 64 * 1024);
  });

  test("references to one long address do not multiply it", async () => {
    const address = `http://example.org/${"x".repeat(60_000)}`;
    const html = await render(`[a]: ${address}\n\n${"[a]\n\n".repeat(4_000)}`);
    assert.ok(html.includes(`<a href="${address}"`));
    assert.ok(html.endsWith("<p><a>a</a></p>\n"));
    assert.ok(html.length < 2 * 1024 ** 2, `${html.length} characters`);
  });

  test("quotes in quotes are shown to a limited depth", async () => {
    assert.equal((await render(`${">".repeat(20)}a`)).match(/<blockquote>/g)?.length, 20);
    assert.ok(((await render(`${">".repeat(90)}a\n${"b\n".repeat(1_000)}`)).match(/<blockquote>/g)?.length ?? 0) <= 32);
  });
});
