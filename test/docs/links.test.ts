import assert from "node:assert/strict";
import { glob, readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "../..");

const read = async (pattern: string) =>
  await Array.fromAsync(glob(pattern, { cwd: root }), async (name) => ({ name, text: await readFile(join(root, name), "utf8") }));

const documents = [...(await read("*.md")), ...(await read("docs/**/*.md"))].map(({ name, text }) => ({ name, text: withoutCode(text) }));
const headings = new Map(documents.map(({ name, text }) => [name, headingsOf(text)]));
const anchors = new Map([...headings].map(([name, titles]) => [name, toAnchors(titles)]));

/** Fenced blocks and code spans contain examples, not links. Headings keep the text of their spans. */
function withoutCode(text: string): string {
  return text
    .replace(/^(```+)[^\n]*\n[\s\S]*?^\1$/gm, "")
    .split("\n")
    .map((line) => (line.startsWith("#") ? line.replaceAll("`", "") : line.replace(/`[^`]*`/g, "")))
    .join("\n");
}

function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, title = ""]) => title.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
}

/** The anchors that GitHub gives to headings: lower case, without punctuation, numbered where they repeat. */
function toAnchors(titles: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const names = titles.map((title) => {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set(names);
}

/** The targets of inline links, images, link definitions and HTML attributes, without those on other sites. */
function targetsIn(text: string): readonly string[] {
  const inline = text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  const defined = text.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm);
  const attributes = text.matchAll(/\s(?:href|src)="([^"]+)"/g);
  return [...inline, ...defined, ...attributes].map(([, target = ""]) => target).filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
}

/** Why a link does not resolve; undefined if it does. */
async function findProblem(from: string, target: string): Promise<string | undefined> {
  const [path = "", anchor] = decodeURIComponent(target).split("#");
  const name = path === "" ? from : relative(root, resolve(root, dirname(from), path));
  if (path.startsWith("/") || name.startsWith("..")) return "leads out of the repository";
  if (!(await stat(join(root, name)).catch(() => undefined))) return "names no file";
  if (anchor !== undefined && !anchors.get(name)?.has(anchor)) return "names no heading";
  return undefined;
}

test("every relative link in the documents resolves to a file and a heading", async () => {
  const links = documents.flatMap(({ name, text }) => targetsIn(text).map((target) => ({ name, target })));
  assert.ok(links.some(({ target }) => target.includes("#")));
  const broken = await Promise.all(
    links.map(async ({ name, target }) => ({ link: `${name}: ${target}`, problem: await findProblem(name, target) })),
  );
  assert.deepEqual(
    broken.filter(({ problem }) => problem !== undefined),
    [],
  );
});

test("every document and section that the code names exists", async () => {
  const sources = await read("{src,web,test,scripts}/**/*.{ts,tsx,js}");
  const named = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/\bdocs\/[\w/-]+\.md\b(?:, "([^"\n]+)")?/g)].map(([citation, section]) => ({
      citation: `${name}: ${citation}`,
      document: citation.replace(/,.*/, ""),
      section,
    })),
  );
  assert.ok(named.some(({ section }) => section !== undefined));
  const wrong = named.filter(({ document, section }) => {
    const titles = headings.get(document);
    return !titles || (section !== undefined && !titles.includes(section));
  });
  assert.deepEqual(wrong, []);
});

test("every path that ARCHITECTURE.md or a design note names exists", async () => {
  const notes = [...(await read("ARCHITECTURE.md")), ...(await read("docs/design/*.md"))];
  const named = notes.flatMap(({ name, text }) =>
    [...text.matchAll(/`((?:src|web|test|scripts)\/[\w./-]+)`/g)].map(([, path = ""]) => ({ name, path })),
  );
  assert.ok(named.length > 0);
  const found = await Promise.all(
    named.map(async (citation) => ({ ...citation, exists: (await stat(join(root, citation.path)).catch(() => undefined)) !== undefined })),
  );
  assert.deepEqual(
    found.filter(({ exists }) => !exists),
    [],
  );
});
