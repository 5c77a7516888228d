import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { loadGroups } from "../src/cli/command.ts";
import { commandGroups } from "../src/cli/commands.ts";
import { DEFAULT_RATES } from "../src/config/rates.ts";
import { ERRORS } from "../src/errors.ts";
import { operationDefinitions } from "../src/service/contract.ts";

/** Sections without rules to test: a calculation. */
const NOT_TESTED = ['unlocking, "The arithmetic"'];

const tests = await Array.fromAsync(glob("**/*.test.ts", { cwd: import.meta.dirname }), async (name) => ({
  name,
  text: await readFile(`${import.meta.dirname}/${name}`, "utf8"),
}));

const ROOT = `${import.meta.dirname}/..`;
const DOCS = `${ROOT}/docs/interface`;

/** Document → its text, and the anchors of its headings. */
const documents = new Map(
  await Array.fromAsync(glob("*.md", { cwd: DOCS }), async (name) => {
    const text = await readFile(`${DOCS}/${name}`, "utf8");
    const headings = toHeadings(text);
    return [name, { text, headings, anchors: new Set([...headings].map(toAnchor)) }] as const;
  }),
);

function toHeadings(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading));
}

/** The anchor that GitHub gives a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** `request limits` → the headings of `request-limits.md`; `docs/deploy.md` → those of that file. */
const headings = new Map([
  ...[...documents].map(([name, document]) => [name.replace(/\.md$/, "").replaceAll("-", " "), document.headings] as const),
  ...(await Array.fromAsync(glob("docs/*.md", { cwd: ROOT }), async (path) => {
    return [path, toHeadings(await readFile(`${ROOT}/${path}`, "utf8"))] as const;
  })),
]);
headings.delete("README");

interface Citation {
  /** A key of `headings`, or the words before the comma if they end with none. */
  readonly document: string;
  readonly section: string;
}

/** Words, a comma and quoted headings: `uploads, "Completing" (a note), "Delegations" and "Name and type"`. */
const CITATION = /([\w./ -]+), ("[A-Z][^"]*"(?: \([^)]*\))?(?:(?:,? and|,) "[A-Z][^"]*"(?: \([^)]*\))?)*)/g;

/** Every citation in the comments of a source text. */
function citationsIn(text: string): readonly Citation[] {
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|(?:^\s*\/\/.*\n)+|(?<!:)\/\/.*$/gm)].map(([comment]) =>
    comment.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, " "),
  );
  return comments.flatMap((comment) =>
    [...comment.matchAll(CITATION)].flatMap(([, words = "", list = ""]) => {
      const names = [...headings.keys()].filter((name) => ` ${words}`.endsWith(` ${name}`));
      const document = names.toSorted((a, b) => b.length - a.length)[0] ?? words.trim();
      return [...list.matchAll(/"([^"]+)"/g)].map(([, section = ""]) => ({ document, section }));
    }),
  );
}

const sources = await Array.fromAsync(glob("{src,test,web,scripts}/**/*.{ts,tsx,js}", { cwd: ROOT }), async (name) => {
  const text = await readFile(`${ROOT}/${name}`, "utf8");
  return { name, text, citations: citationsIn(text) };
});

const isMissing = ({ document, section }: Citation): boolean => headings.get(document)?.has(section) !== true;

test("a citation is missing if its document or its heading does not exist", () => {
  const comment = (text: string): readonly Citation[] => citationsIn(`/** ${text}. */`);
  assert.deepEqual(comment('As requested (request limits, "Slow bodies" (408) and "Test events"; docs/deploy.md, "Several servers")'), [
    { document: "request limits", section: "Slow bodies" },
    { document: "request limits", section: "Test events" },
    { document: "docs/deploy.md", section: "Several servers" },
  ]);
  for (const text of [
    'interface, "Limits"',
    'decisions, "Uploads"',
    'uploads, "Complete"',
    'request-limits, "Slow bodies"',
    'docs/interface/uploads.md, "Completing"',
  ])
    assert.ok(comment(text).every(isMissing) && comment(text).length === 1, text);
});

test("every section that a comment cites exists", () => {
  const citations = sources.flatMap(({ name, citations }) => citations.map((citation) => ({ ...citation, name })));
  assert.ok(citations.length > 300);
  assert.deepEqual(citations.filter(isMissing), []);
});

/** First words of a doc comment that is understood only with what stands before it: "Of the file", "As `other`", "Those that failed". */
const LEANING =
  /\/\*\*\s+(?:\*\s+)?(?:As|Also|Ditto|Like|None of|Of|Otherwise|So|Such|That of|The former|The latter|The same|Their|Then|These|They|Those|Whose)\b.*/g;

const findLeaning = (text: string): readonly string[] => [...text.matchAll(LEANING)].map(([comment]) => comment);

test("a doc comment leans on what stands before it if it begins with a word that refers to it", () => {
  const begin = "/**";
  for (const comment of [
    "Of the file. */",
    "Those that failed. */",
    "\n   * The same for a form, which is made while\n   * it is sent. */",
  ])
    assert.equal(findLeaning(`${begin} ${comment}`).length, 1, comment);
  for (const comment of ["Offers a file. */", "Asks as `other` does. */", "\n * Lists those that failed. Of each:\n * its name. */"])
    assert.deepEqual(findLeaning(`${begin} ${comment}`), [], comment);
});

test("no doc comment leans on what stands before it", () => {
  assert.deepEqual(
    sources.flatMap(({ name, text }) => findLeaning(text).map((comment) => ({ name, comment }))),
    [],
  );
});

test("no line of a comment is longer than 152 columns", () => {
  const longLines = sources.flatMap(({ name, text }) =>
    text.split("\n").flatMap((line, index) => (line.length > 152 && /^ *(\/\/|\/?\*)/.test(line) ? [`${name}:${index + 1}`] : [])),
  );
  assert.deepEqual(longLines, []);
});

test("a test cites every section of docs/interface", () => {
  const cited = sources.filter(({ name }) => name.startsWith("test/")).flatMap(({ citations }) => citations);
  const named = new Set(cited.map(({ document, section }) => `${document}, "${section}"`));
  const sections = [...documents].flatMap(([name, { text }]) =>
    [...text.matchAll(/^## (.+)$/gm)].map(([, section = ""]) => `${name.replace(/\.md$/, "").replaceAll("-", " ")}, "${section}"`),
  );
  assert.deepEqual(
    sections.filter((section) => !section.startsWith("README, ") && !named.has(section)),
    NOT_TESTED,
  );
});

test("the README of docs/interface lists every document", () => {
  const index = documents.get("README.md")?.text ?? "";
  for (const name of documents.keys()) assert.ok(name === "README.md" || index.includes(`](${name})`), `${name} is not listed`);
});

test("every link in docs/interface resolves to a document and a heading", () => {
  for (const [name, { text }] of documents) {
    for (const [link, file = "", anchor] of text.matchAll(/\]\(([\w./-]*)(?:#([\w-]+))?\)/g)) {
      const target = documents.get(file === "" ? name : file);
      assert.ok(target, `${name}: ${link} has no document`);
      assert.ok(anchor === undefined || target.anchors.has(anchor), `${name}: ${link} has no heading`);
    }
  }
});

test("the table of error codes matches ERRORS", () => {
  const text = documents.get("envelopes-and-errors.md")?.text ?? "";
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (\d+) \|/gm)].map(([, code = "", status, exit]) => [
    code,
    { status: Number(status), exit: Number(exit) },
  ]);
  assert.deepEqual(Object.fromEntries(rows), ERRORS);
});

test("docs/interface names every operation, field, command, option and rate", async () => {
  const all = [...documents.values()].map(({ text }) => text).join("\n");
  const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);
  const wanted = [
    ...operationDefinitions.flatMap(([, { method, path, input }]) => [
      `\`${method} ${path}`,
      ...Object.keys(input.shape).map((field) => `\`${field}`),
    ]),
    ...commands.flatMap(({ name, options = {} }) => [`\`${name}`, ...Object.keys(options).map((option) => `--${option}`)]),
    ...Object.keys(DEFAULT_RATES).map((rate) => `\`${rate}\``),
  ];
  assert.deepEqual(
    [...new Set(wanted)].filter((text) => !new RegExp(`${text.replace(/\W/g, "\\$&")}(?!\\w)`).test(all)),
    [],
  );
});

test("every error code occurs in a test", () => {
  const quoted = new Set(tests.flatMap(({ text }) => [...text.matchAll(/(["'`])([A-Z][A-Z_]+)\1/g)].map(([, , code]) => code)));
  assert.deepEqual(
    Object.keys(ERRORS).filter((code) => !quoted.has(code)),
    [],
  );
});
