import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { ERRORS } from "../../src/errors.ts";
import { operationDefinitions } from "../../src/service/contract.ts";
import { listSlugs, renderDocsPage } from "../../web/docs/docs-page.tsx";
import { GUIDE_NAMES, guideCommands } from "../../web/docs/guides.ts";
import { docsPath } from "../../web/docs/paths.ts";
import { toDocsView } from "../../web/docs/reference.ts";
import type { DocsField } from "../../web/docs/view.ts";
import { catalogue } from "../../web/texts/catalogue.ts";
import { LANGUAGES } from "../../web/texts/languages.ts";
import { blocksBelow } from "../support/documents.ts";
import { ENGLISH } from "./pages.ts";

const viewAt = (siteUrl: string) => toDocsView({ siteUrl, apiUrl: `${siteUrl}/api`, contentUrl: siteUrl });
const VIEW = viewAt("https://files.example.org");
const SLUGS = listSlugs(VIEW);
const OPERATIONS = VIEW.groups.flatMap(({ operations }) => operations);
/** The pages in English, by slug. */
const PAGES: ReadonlyMap<string, string> = new Map(SLUGS.map((slug) => [slug, renderDocsPage(ENGLISH, VIEW, slug)]));
const pageOf = (slug: string): string => PAGES.get(slug) ?? "";

const decode = (html: string): string =>
  html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** openapi, "The reference for people". */
test("the reference has every operation of the contract, by tag and in its order, and every byte route", () => {
  const tags = [...new Set(operationDefinitions.map(([, { tag }]) => tag))];
  assert.deepEqual(
    VIEW.groups.map(({ name }) => name),
    [...tags, "Bytes"],
  );
  for (const tag of tags) {
    const names = operationDefinitions.filter(([, definition]) => definition.tag === tag).map(([name]) => name);
    assert.deepEqual(
      VIEW.groups.find(({ name }) => name === tag)?.operations.map(({ id }) => id),
      names,
    );
  }
  for (const { slug, operations } of VIEW.groups) {
    const html = pageOf(slug);
    for (const { id, curl, summary } of operations) {
      assert.equal(html.split(`id="${id}"`).length, 2, id);
      assert.ok(pageOf("").includes(`href="/docs/${slug}#${id}"`), id);
      assert.ok(curl.startsWith("curl "), id);
      assert.ok(decode(html).includes(curl) && decode(html).includes(summary), id);
    }
  }
});

test("every page has its own slug, and links to all pages", () => {
  assert.equal(new Set(SLUGS).size, SLUGS.length);
  for (const [slug, html] of PAGES) for (const other of SLUGS) assert.ok(html.includes(`href="${docsPath(other)}"`), `${slug} to ${other}`);
});

test("every anchor that a page links to exists, and so do the anchors of the reference when it was one page", () => {
  const idsOf = (slug: string): ReadonlySet<string> => new Set([...pageOf(slug).matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
  for (const [slug, html] of PAGES)
    for (const [, path = "", anchor = ""] of html.matchAll(/href="(\/docs[^"#]*)?#([^"]+)"/g)) {
      const target = path === "" ? slug : path.replace(/^\/docs\/?/, "");
      assert.ok(idsOf(target).has(anchor), `${slug}: ${path}#${anchor}`);
    }
  const overview = idsOf("");
  for (const anchor of ["basics", ...VIEW.groups.map(({ slug }) => `tag-${slug}`), ...OPERATIONS.map(({ id }) => id)])
    assert.ok(overview.has(anchor), anchor);
});

test("shows every field of every input and output, with its limits and values", () => {
  const listNames = (fields: readonly DocsField[]): string[] => fields.flatMap(({ name, fields }) => [name, ...listNames(fields)]);
  for (const [name, { input }] of operationDefinitions) {
    const shown = OPERATIONS.find(({ id }) => id === name)?.inputs.flatMap(({ fields }) => listNames(fields)) ?? [];
    for (const field of Object.keys(input.shape)) assert.ok(shown.includes(field), `${name}: ${field}`);
  }
  const report = OPERATIONS.find(({ id }) => id === "createReport");
  assert.deepEqual(
    report?.inputs[0]?.fields.map(({ name, type, isRequired, limits, values }) => [name, type, isRequired, limits, values.length]),
    [
      ["shortId", "string", true, [], 0],
      ["reason", "string", true, [], 6],
      ["details", "string or null", false, ["at most 1,000 characters"], 0],
      ["email", "string or null", false, ["at most 254 characters"], 0],
    ],
  );
  assert.deepEqual(
    [report?.access, report?.output.envelope, report?.output.fields.map(({ name }) => name)],
    [{ key: "none" }, "data", ["id"]],
  );
  const list = OPERATIONS.find(({ id }) => id === "listFiles")?.output.fields.find(({ name }) => name === "data");
  const members = list?.fields.map(({ name }) => name) ?? [];
  assert.ok(members.includes("files") && members.includes("artifacts"), "both kinds of response are shown");
});

test("shows every error code at its status", () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const part = new RegExp(`id="status-${status}">.*?</dd>`).exec(pageOf("errors"))?.[0] ?? "";
    assert.ok(part.includes(`<code>${code}</code>`), code);
  }
});

test("shows examples of responses with this server's URLs, as valid JSON", () => {
  for (const { id, output } of viewAt("https://x.example/\"'").groups.flatMap(({ operations }) => operations)) {
    if (output.example === undefined) continue;
    assert.doesNotThrow(() => JSON.parse(output.example ?? ""), id);
    assert.doesNotMatch(output.example, /files\.example\.org/);
  }
});

test("loads nothing from other sites, has no inline scripts or styles, and links to the descriptions for programs", () => {
  for (const [slug, html] of PAGES) {
    assert.doesNotMatch(html, /<script>|<style|style="|\son\w+="|undefined|\[object/, slug);
    for (const [, url = ""] of html.matchAll(/ (?:href|src)="([^"]*)"/g)) assert.match(url, /^[#/?]/);
  }
  for (const path of ["/agent-openapi.json", "/llms.txt", "/mcp"]) assert.ok(pageOf("").includes(`href="${path}"`));
});

test("marks texts of the contract as English, and says so in the other languages", () => {
  for (const [language, sentence] of [
    ["de", "Die Beschreibungen sind auf Englisch."],
    ["fr", "Les descriptions sont en anglais."],
  ] as const) {
    const html = renderDocsPage({ ...ENGLISH, language, texts: catalogue[language] }, VIEW, "reports");
    assert.ok(html.includes(sentence));
    const [{ summary = "", description = "", inputs = [] } = {}] = OPERATIONS.filter(({ id }) => id === "createReport");
    const shown = decode(html);
    assert.ok(shown.includes(`<h2 lang="en">${summary}</h2>`));
    for (const text of [description, inputs[0]?.fields[0]?.description ?? ""])
      assert.ok(shown.includes(`<span lang="en">${text}</span>`), text);
    assert.doesNotMatch(html, /<span class="type">/);
  }
});

test("each page is under 25 KB compressed, in every language", () => {
  for (const language of LANGUAGES)
    for (const slug of SLUGS) {
      const bytes = brotliCompressSync(renderDocsPage({ ...ENGLISH, language, texts: catalogue[language] }, VIEW, slug)).length;
      assert.ok(bytes < 25 * 1024, `${slug} in ${language}: ${bytes} bytes`);
    }
});

test("escapes a hostile base URL in the pages, and quotes it in every example and in the guides", () => {
  const hostile = `https://x.example/"><img src=x onerror=alert(1)>'$(touch /tmp/pwned)\`id\``;
  const view = viewAt(hostile);
  for (const slug of SLUGS) assert.doesNotMatch(renderDocsPage(ENGLISH, view, slug), /<img/);
  const { curl, client, "receive-webhooks": webhooks } = guideCommands(view);
  const commands = [
    ...view.groups.flatMap(({ operations }) => operations.map(({ curl }) => curl)),
    ...Object.values(curl).filter((command) => command.startsWith("curl")),
    ...[webhooks.subscribe, webhooks.try, webhooks.log, client.signIn, client.download],
  ].filter((command) => command.includes("x.example"));
  assert.ok(commands.length > 50);
  // The shell reads each command as words and runs nothing else.
  const script = `curl() { printf '%s\\n' "$@"; }\nfilehost() { curl "$@"; }\n${commands.join("\n")}`;
  const words = execFileSync("/bin/sh", ["-c", script], { env: { PATH: "" }, encoding: "utf8" }).split("\n");
  assert.equal(words.filter((word) => word.startsWith(hostile)).length, commands.length);
});

test("names addresses of this server, and no placeholder of one", () => {
  for (const [slug, html] of PAGES) assert.doesNotMatch(html, /\{\w*url\}/i, slug);
});

test("shows code of its texts as code, without backticks", () => {
  for (const language of LANGUAGES)
    for (const slug of SLUGS) {
      const html = renderDocsPage({ ...ENGLISH, language, texts: catalogue[language] }, VIEW, slug);
      const outsideOfCode = html.replaceAll(/<(pre|code|script)\b[^>]*>.*?<\/\1>/gs, "");
      assert.deepEqual(
        [...outsideOfCode.matchAll(/.{0,40}`.{0,40}/g)].map(([text]) => text),
        [],
      );
    }
});

test("each step of a guide has its command, and the check of a delivery is the documented one", () => {
  const commands = guideCommands(VIEW);
  for (const language of LANGUAGES)
    for (const name of GUIDE_NAMES) {
      const { steps } = catalogue[language].docs.guides[name];
      assert.deepEqual(Object.keys(steps), Object.keys(commands[name]), `${name} in ${language}`);
    }
  const [documented] = blocksBelow("docs/webhooks.md", "Verify");
  assert.equal(commands["receive-webhooks"].verify, documented?.text.trimEnd());
});
