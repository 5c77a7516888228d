import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { commandGroups } from "../src/cli/commands.ts";
import { DEFAULT_RATES } from "../src/config/rates.ts";
import { ERRORS } from "../src/errors.ts";
import { operationDefinitions } from "../src/service/contract.ts";

/**
 * The names by which tests and code cite sections of docs/interface; its README maps each name to a section. A test file names the sections that
 * it covers in its first comment, as in `interface, "Errors" and "Limits"; decisions, "Uploads"`.
 */
const SECTIONS = {
  interface: [
    ...["File", "Publish fields", "Share metadata", "File info item", "Folder", "Agent key", "Challenge", "Protection credentials"],
    ...["Remote import job", "Webhook event", "Safety-check status", "File status", "Import job status", "Transition table", "Endpoints"],
    ...["Agent and system", "Upload and import", "Ownership", "Listing", "Sharing and download", "Authentication", "Events", "Errors"],
    ...["Limits", "Versioning", "Seller payouts"],
  ],
  decisions: [
    ...["Addresses", "Configuration", "Identifiers and secrets", "Model", "Uploads", "Remote import", "Downloads", "Storage"],
    ...["Expiry and removal", "Scanning", "Accounts, keys, tiers", "Idempotency", "Envelopes", "Webhooks", "Errors", "Listing"],
    ...["Command line", "Payments"],
  ],
} as const;

/** Sections of which nothing is built yet. */
const NOT_SERVED = { interface: ["What the service does", "MCP tools"], decisions: ["MCP"] } as const;

const tests = await Array.fromAsync(glob("**/*.test.ts", { cwd: import.meta.dirname }), async (name) => ({
  name,
  text: await readFile(`${import.meta.dirname}/${name}`, "utf8"),
}));

/** The quoted names after `interface, ` or `decisions, `, up to the next of the two or the end of the comment. */
function namedIn(text: string, document: keyof typeof SECTIONS): readonly string[] {
  const comments = text.match(/^\/\*\* .* \*\/$/gm) ?? [];
  const lists = comments.flatMap((comment) => [...comment.matchAll(new RegExp(`\\b${document}, ("[^;]*)`, "g"))]);
  return lists.flatMap(([, list = ""]) => [...list.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name));
}

for (const document of ["interface", "decisions"] as const) {
  const sections: ReadonlySet<string> = new Set(SECTIONS[document]);
  test(`every section of ${document} is named by a test, and tests name no unknown section`, () => {
    const named = new Set<string>();
    for (const { name, text } of tests) {
      for (const section of namedIn(text, document)) {
        const isKnown = sections.has(section) || NOT_SERVED[document].some((other) => other === section);
        assert.ok(isKnown, `${name} names "${section}", which ${document} does not have`);
        named.add(section);
      }
    }
    assert.deepEqual(
      [...sections].filter((section) => !named.has(section)),
      [],
    );
  });
}

const ROOT = `${import.meta.dirname}/..`;
const DOCS = `${ROOT}/docs/interface`;

/** Document → its text, and the anchors of its headings. */
const documents = new Map(
  await Array.fromAsync(glob("*.md", { cwd: DOCS }), async (name) => {
    const text = await readFile(`${DOCS}/${name}`, "utf8");
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
    return [name, { text, headings: new Set(headings), anchors: new Set(headings.map(toAnchor)) }] as const;
  }),
);

/** The anchor that GitHub gives a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** Name of a document in a citation, such as `request limits` or `docs/interface/request-limits.md` → its file; undefined for `interface` and `decisions`. */
function toDocument(cited: string): string | undefined {
  if (cited in SECTIONS) return undefined;
  return `${cited.replace("docs/interface/", "").replace(/\.md$/, "").replaceAll(" ", "-")}.md`;
}

const names = [...documents.keys()].map((name) => name.replace(/\.md$/, "")).filter((name) => name !== "README");
const CITED = ["interface", "decisions", "docs/interface/[\\w-]+\\.md", ...names.map((name) => name.replaceAll("-", "[- ]"))].join("|");
/** `uploads, "Completing" (a note), "Delegations" and "Name and type"`. */
const CITATION = new RegExp(`(?<![\\w/-])(${CITED}), ("[^"]+"(?: \\([^)]*\\))?(?:(?:,? and|,) "[^"]+"(?: \\([^)]*\\))?)*)`, "g");

/** Every citation in the comments of a source text, as document and section. */
function citationsIn(text: string): { readonly document: string; readonly section: string }[] {
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|(?:^\s*\/\/.*\n)+|\/\/.*$/gm)].map(([comment]) =>
    comment.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, " "),
  );
  return comments.flatMap((comment) =>
    [...comment.matchAll(CITATION)].flatMap(([, document = "", list = ""]) =>
      [...list.matchAll(/"([^"]+)"/g)].map(([, section = ""]) => ({ document, section })),
    ),
  );
}

const sources = await Array.fromAsync(glob("{src,test,web,scripts}/**/*.{ts,tsx}", { cwd: ROOT }), async (name) => ({
  name,
  text: await readFile(`${ROOT}/${name}`, "utf8"),
}));

/** The README's table: a name in a comment → the links to its sections. */
const citedAs = new Map(
  [...(documents.get("README.md")?.text ?? "").matchAll(/^\| (interface|decisions), "([^"]+)" \| (.+) \|$/gm)].map(
    ([, document = "", section = "", links = ""]) => [`${document}, "${section}"`, links],
  ),
);

test("every section that a comment cites exists in docs/interface", () => {
  const citations = sources.flatMap(({ name, text }) => citationsIn(text).map((citation) => ({ ...citation, name })));
  const missing = citations.filter(({ document, section }) => {
    const file = toDocument(document);
    return file === undefined ? !citedAs.has(`${document}, "${section}"`) : documents.get(file)?.headings.has(section) !== true;
  });
  assert.deepEqual(missing, []);
  const named = sources.flatMap(({ text }) => text.match(/docs\/interface\/[\w-]+\.md/g) ?? []);
  assert.deepEqual(
    named.filter((path) => !documents.has(path.replace("docs/interface/", ""))),
    [],
  );
  const cited = new Set(citations.map(({ document }) => document));
  for (const document of ["interface", "decisions", "request limits", "docs/interface/connections.md"])
    assert.ok(cited.has(document), document);
});

test("the README of docs/interface maps every section name and lists every document", () => {
  const known = (["interface", "decisions"] as const).flatMap((document) =>
    [...SECTIONS[document], ...NOT_SERVED[document]].map((section) => `${document}, "${section}"`),
  );
  assert.deepEqual([...citedAs.keys()].sort(), known.sort());
  for (const links of citedAs.values()) assert.match(links, /\]\([\w-]*(?:\.md)?#[\w-]+\)/);
  const index = documents.get("README.md")?.text ?? "";
  for (const name of names) assert.ok(index.includes(`](${name}.md)`), `${name}.md is not listed`);
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

test("docs/interface names every operation, field, command, option and rate", () => {
  const all = [...documents.values()].map(({ text }) => text).join("\n");
  const commands = commandGroups.flatMap((group) => group.commands);
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
