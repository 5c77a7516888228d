import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { test } from "node:test";
import { catalogue } from "../../web/texts/catalogue.ts";
import { LANGUAGES, type Language } from "../../web/texts/languages.ts";
import { findSentences } from "./sentences.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Texts that are the same in each language: names and commands. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "web/home/home-page.tsx": ["curl -T file", '-H "Authorization: Bearer KEY"'],
  "web/mcp/clients.ts": ["Claude Code", "VS Code", "Gemini CLI"],
  "web/settings/keys/sharex.ts": ["ImageUploader, TextUploader, FileUploader"],
  // The name of a form's field.
  "web/site/installed-site.ts": ["title"],
  "web/site/layout.tsx": ["filehost …"],
};

test("texts between tags, in attributes and in scripts are found", () => {
  const source = `
    const a = <p title="Close" class="big">Hello {name ? "there" : <b>you</b>}</p>;
    const b = { title: \`Open \${name}\`, kind: "file" };
    node.textContent = "Copied to the clipboard";
    throw new Error("Not for people.");
    const c = "no sentence";`;
  assert.deepEqual(findSentences("a.tsx", source).toSorted(), ["Close", "Copied to the clipboard", "Hello", "Open …", "there", "you"]);
});

test("all texts of pages and their scripts are in the catalogue", () => {
  const files = globSync("web/**/*.{ts,tsx,js}", { cwd: ROOT }).filter((file) => !/^web\/(generated|[^/]+\/texts)\//.test(file));
  assert.ok(files.length > 20);
  const outside = files.flatMap((file) => {
    const source = readFileSync(resolve(ROOT, file), "utf8");
    // Handlers throw errors of the API, which pages show by their codes.
    if (source.includes("/src/http/")) return [];
    const sentences = findSentences(file, source);
    const texts = new Set(sentences).difference(new Set(ALLOWED[file]));
    return [...texts].map((text) => ({ file, text }));
  });
  assert.deepEqual(outside, []);
});

const UNITS_AND_NAMES = ["{name}", "KB", "MB", "GB", "TB", "PB", "llms.txt", "Pro", "Webhooks"];
/** Texts that a language has in common with English. */
const COMMON: Readonly<Record<Exclude<Language, "en">, ReadonlySet<string>>> = {
  de: new Set([
    ...UNITS_AND_NAMES,
    "Admin",
    "Administrator",
    "Agent",
    "Audio",
    "Code",
    "Code:",
    "Details",
    "Downloads",
    "Uploads",
    "Free",
    "ID",
    "In data",
    "Installation",
    "Link",
    "Logo",
    "Name",
    "Passkey",
    "Passkeys",
    "Pro",
    "Server",
    "Terminal",
    "Text",
    "Video",
    "Webhooks",
    "curl",
  ]),
  fr: new Set([
    ...UNITS_AND_NAMES,
    "Action",
    "Actions",
    "Applications",
    "Admin",
    "Administration",
    "Agent",
    "Agents",
    "Photos",
    "Protection",
    "agent",
    "agents",
    "Audio",
    "Code",
    "Date",
    "Documentation",
    "Free",
    "Guides",
    "Image",
    "Installation",
    "Logo",
    "Message",
    "curl",
    "Note",
    "Options",
    "Pages",
    "Pause",
    "Pro",
    "Sessions",
    "Sources",
    "Terminal",
    "Type",
    "Webhooks",
    "note.txt",
  ]),
};

type Area = Readonly<Record<string, unknown>>;

const areas = globSync("web/*/texts/en.ts", { cwd: ROOT }).map((file) => basename(dirname(dirname(file))));

const readArea = async (language: Language, area: string): Promise<Area> => import(`../../web/${area}/texts/${language}.ts`);

/** The texts and functions of an area by path, such as `share.kinds.missing.title`. */
function flatten(value: unknown, path: string): [path: string, text: string | ((...values: unknown[]) => string)][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, value as () => string]];
  return Object.entries(value ?? {}).flatMap(([key, member]) => flatten(member, `${path}.${key}`));
}

test("every language has all texts", async () => {
  assert.ok(areas.includes("site"));
  for (const area of areas) {
    const paths = await Promise.all(LANGUAGES.map(async (language) => flatten(await readArea(language, area), area).map(([path]) => path)));
    for (const other of paths) assert.deepEqual(other.toSorted(), paths[0]?.toSorted());
  }
});

/** The names in a source, without its comments that begin a line. */
const namesIn = (source: string): string[] => source.replaceAll(/^\s*(?:\/\*.*?\*\/|\/\/[^\n]*)/gms, "").match(/[\p{L}\d_$]+/gu) ?? [];

/** The paths of texts of which a part is none of the names. A part of several words, such as `created desc`, is put together from them. */
function findUnused(texts: unknown, path: string, names: ReadonlySet<string>): string[] {
  if (typeof texts !== "object" || texts === null) return [];
  return Object.entries(texts).flatMap(([key, member]) =>
    namesIn(key).every((name) => names.has(name)) ? findUnused(member, `${path}.${key}`, names) : [`${path}.${key}`],
  );
}

test("a text whose name occurs only in a comment is unused", () => {
  const names = new Set(namesIn("/** The title. */\nconst text = texts.orders[join(sort, 'asc')];\n// open\n"));
  const texts = { orders: { "sort asc": "", "sort desc": "" }, title: "", open: "" };
  assert.deepEqual(findUnused(texts, "area", names), ["area.orders.sort desc", "area.title", "area.open"]);
});

test("every text is used: its name occurs in a source", async () => {
  const sources = globSync("{src,web}/**/*.{ts,tsx,js}", { cwd: ROOT }).filter((file) => !/^web\/(generated|[^/]+\/texts)\//.test(file));
  const names = new Set(sources.flatMap((file) => namesIn(readFileSync(resolve(ROOT, file), "utf8"))));
  const unused = await Promise.all(areas.map(async (area) => findUnused(await readArea("en", area), area, names)));
  assert.deepEqual(unused.flat(), []);
});

test("each name of texts belongs to one area", async () => {
  const names = await Promise.all(areas.map(async (area) => Object.keys(await readArea("en", area))));
  assert.deepEqual(names.flat().toSorted(), Object.keys(catalogue.en).toSorted());
});

test("no text is in English in another language", async () => {
  const same: string[] = [];
  for (const area of areas) {
    const english = new Map(flatten(await readArea("en", area), area));
    for (const language of ["de", "fr"] as const) {
      for (const [path, text] of flatten(await readArea(language, area), area)) {
        if (typeof text !== "string" || !/\p{L}{2}/u.test(text) || COMMON[language].has(text)) continue;
        if (english.get(path) === text) same.push(`${language} ${path}: ${text}`);
      }
    }
  }
  assert.deepEqual(same, []);
});

test("texts with arguments contain them, in each language", async () => {
  const without: string[] = [];
  for (const area of areas) {
    for (const language of LANGUAGES) {
      for (const [path, make] of flatten(await readArea(language, area), area)) {
        if (typeof make === "function" && makeExample(make) === undefined) without.push(`${language} ${path}`);
      }
    }
  }
  assert.deepEqual(without, []);
});

/** Calls the function with texts or, if it formats numbers, with numbers. Returns undefined if the result does not contain them. */
function makeExample(make: (...values: unknown[]) => string): string | undefined {
  const texts = Array.from({ length: make.length }, (_, index) => `<${index}>`);
  const numbers = texts.map((_, index) => 22 - index);
  return [texts, numbers].flatMap((values) => {
    const text = make(...values);
    return values.every((value) => text.includes(String(value))) ? [text] : [];
  })[0];
}

/** Names of products and formats, the field of the API that the page of runs names, and names in the commands of the guides. */
const KNOWN_WORDS: ReadonlySet<string> = new Set([
  "JavaScript",
  "OpenAPI",
  "ShareX",
  "WebP",
  "handoffUrl",
  "iPad",
  "iPhone",
  "rawBody",
  "runId",
  "unlockCode",
]);

test("no text contains the name of a type, a function or a field", async () => {
  const names: string[] = [];
  for (const area of areas) {
    for (const language of LANGUAGES) {
      for (const [path, text] of flatten(await readArea(language, area), area)) {
        const example = typeof text === "string" ? text : (makeExample(text) ?? "");
        for (const [word] of example.matchAll(/(?<![\p{L}\d])\p{L}*\p{Ll}\p{Lu}\p{L}*(?![\p{L}\d])/gu)) {
          if (!KNOWN_WORDS.has(word)) names.push(`${language} ${path}: ${word}`);
        }
      }
    }
  }
  assert.deepEqual(names, []);
});

/** A normal space between a number and its unit, where a line could break. */
const BROKEN_UNIT =
  /[\d>] (?:[KMGT]B|[KMGT]o|bytes?|octets?|files?|folders?|(?:second|minute|hour|day|month|time|download|character|pixel)s?|Datei(?:en)?|Ordnern?|Sekunden?|Minuten?|Stunden?|Tage?n?|Monaten?|Zeichen|Downloads?|fichiers?|dossiers?|secondes?|minutes?|heures?|jours?|mois|fois|téléchargements?|caractères?)(?![\p{L}\d])/u;

/** Texts with a name in place of a number. */
const NAMED: ReadonlySet<string> = new Set(["site.types.kinds.file", "requests.receive.receiptClosed"]);

/** pages, "Languages". */
test("texts have a no-break space between a number and its unit", async () => {
  const broken: string[] = [];
  for (const area of areas) {
    for (const language of LANGUAGES) {
      for (const [path, text] of flatten(await readArea(language, area), area)) {
        if (NAMED.has(path)) continue;
        const examples =
          typeof text === "string" ? [text] : ["<0>", 1, 22].map((value) => text(...Array.from({ length: text.length }, () => value)));
        for (const example of examples) if (BROKEN_UNIT.test(example)) broken.push(`${language} ${path}: ${example}`);
      }
    }
  }
  assert.deepEqual(broken, []);
});

/** A normal space before high punctuation or inside guillemets, where a line could break, or no space at all. */
const WRONG_SPACE = /[ \u202f][:;!?»](?=\s|$)|(?<=[\p{L}’)»])[;!?](?=\s|$)|»:|«[ \p{L}\d<]|[\p{L}\d.>]»/u;

test("French texts have a no-break space before high punctuation and inside guillemets", async () => {
  const wrong: string[] = [];
  for (const area of areas) {
    for (const [path, text] of flatten(await readArea("fr", area), area)) {
      const example = typeof text === "string" ? text : (makeExample(text) ?? "");
      if (WRONG_SPACE.test(example)) wrong.push(`${path}: ${example}`);
    }
  }
  assert.deepEqual(wrong, []);
});
