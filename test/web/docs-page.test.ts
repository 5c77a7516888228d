import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { ERRORS } from "../../src/errors.ts";
import { operationDefinitions } from "../../src/service/contract.ts";
import { renderDocsPage } from "../../web/docs/docs-page.tsx";
import { toDocsView } from "../../web/docs/reference.ts";
import type { DocsField } from "../../web/docs/view.ts";
import { catalogue } from "../../web/texts/catalogue.ts";
import { LANGUAGES } from "../../web/texts/languages.ts";
import { ENGLISH } from "./pages.ts";

const viewAt = (siteUrl: string) => toDocsView({ siteUrl, apiUrl: `${siteUrl}/api`, contentUrl: siteUrl });
const VIEW = viewAt("https://files.example.org");
const OPERATIONS = VIEW.groups.flatMap(({ operations }) => operations);
const HTML = renderDocsPage(ENGLISH, VIEW);

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
  for (const { id, curl, summary } of OPERATIONS) {
    assert.equal(HTML.split(`id="${id}"`).length, 2, id);
    assert.ok(HTML.includes(`href="#${id}"`), id);
    assert.ok(curl.startsWith("curl "), id);
    assert.ok(decode(HTML).includes(curl) && decode(HTML).includes(summary), id);
  }
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

test("shows every error code at its status, to which the operations link", () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const part = new RegExp(`id="status-${status}">.*?</dd>`).exec(HTML)?.[0] ?? "";
    assert.ok(part.includes(`<code>${code}</code>`), code);
  }
  for (const [, anchor = ""] of HTML.matchAll(/href="#([^"]+)"/g)) assert.equal(HTML.split(`id="${anchor}"`).length, 2, anchor);
});

test("shows examples of responses with this server's URLs, as valid JSON", () => {
  for (const { id, output } of viewAt("https://x.example/\"'").groups.flatMap(({ operations }) => operations)) {
    if (output.example === undefined) continue;
    assert.doesNotThrow(() => JSON.parse(output.example ?? ""), id);
    assert.doesNotMatch(output.example, /files\.example\.org/);
  }
});

test("loads nothing from other sites, has no inline scripts or styles, and links to the descriptions for programs", () => {
  assert.doesNotMatch(HTML, /<script>|<style|style="|\son\w+="|undefined|\[object/);
  for (const [, url = ""] of HTML.matchAll(/ (?:href|src)="([^"]*)"/g)) assert.match(url, /^[#/?]/);
  for (const path of ["/agent-openapi.json", "/llms.txt"]) assert.ok(HTML.includes(`href="${path}"`));
});

test("marks texts of the contract as English, and says so in the other languages", () => {
  for (const [language, sentence] of [
    ["de", "Die Beschreibungen sind auf Englisch."],
    ["fr", "Les descriptions sont en anglais."],
  ] as const) {
    const html = renderDocsPage({ ...ENGLISH, language, texts: catalogue[language] }, VIEW);
    assert.ok(html.includes(sentence));
    const [{ summary = "", description = "", inputs = [] } = {}] = OPERATIONS.filter(({ id }) => id === "createReport");
    const shown = decode(html);
    for (const text of [summary, description, inputs[0]?.fields[0]?.description ?? ""])
      assert.ok(shown.includes(`<span lang="en">${text}</span>`), text);
    assert.doesNotMatch(html, /<span class="type">/);
  }
});

test("the reference is under 60 KB compressed, in every language", () => {
  for (const language of ["en", "de", "fr"] as const) {
    const bytes = brotliCompressSync(renderDocsPage({ ...ENGLISH, language, texts: catalogue[language] }, VIEW)).length;
    assert.ok(bytes < 60 * 1024, `${language}: ${bytes} bytes`);
  }
});

test("escapes a hostile base URL in the page, and quotes it in every example", () => {
  const hostile = `https://x.example/"><img src=x onerror=alert(1)>'$(touch /tmp/pwned)\`id\``;
  const view = viewAt(hostile);
  assert.doesNotMatch(renderDocsPage(ENGLISH, view), /<img/);
  const commands = view.groups.flatMap(({ operations }) => operations.map(({ curl }) => curl)).filter((curl) => curl.includes("x.example"));
  assert.ok(commands.length > 50);
  // The shell reads each command as words and runs nothing else.
  const script = `curl() { printf '%s\\n' "$@"; }\n${commands.join("\n")}`;
  const words = execFileSync("/bin/sh", ["-c", script], { env: { PATH: "" }, encoding: "utf8" }).split("\n");
  assert.equal(words.filter((word) => word.startsWith(hostile)).length, commands.length);
});

test("shows code of its texts as code, without backticks", () => {
  for (const language of LANGUAGES) {
    const html = renderDocsPage({ ...ENGLISH, language, texts: catalogue[language] }, VIEW);
    const outsideOfCode = html.replaceAll(/<(pre|code|script)\b[^>]*>.*?<\/\1>/gs, "");
    assert.deepEqual(
      [...outsideOfCode.matchAll(/.{0,40}`.{0,40}/g)].map(([text]) => text),
      [],
    );
  }
});
