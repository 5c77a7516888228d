/**
 * Collects the license texts of everything that the executable contains: src/generated/licenses.json, which `filehost licenses` prints. Does nothing
 * if that file is newer than its sources.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const notices = join(root, "scripts/build.d/notices");
const target = join(root, "src/generated/licenses.json");
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)/i;
/** The packages that keep a license outside of their first folder. */
const OTHER_FOLDERS: Readonly<Record<string, readonly string[]>> = { "libheif-js": ["libheif-wasm"] };

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** Returns the folder of a package as the module at `from` finds it; undefined if it is not installed. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Lists the folders of the packages that a package needs, directly or through others. */
function listPackages(from: string, found = new Set<string>()): ReadonlySet<string> {
  for (const name of Object.keys(readManifest(from).dependencies ?? {})) {
    const folder = findPackage(name, from);
    if (folder === undefined || found.has(folder)) continue;
    found.add(folder);
    listPackages(folder, found);
  }
  return found;
}

const readLicenses = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file) && statSync(join(folder, file)).isFile())
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());

function collect(): string {
  const named = new Map<string, Set<string>>();
  for (const folder of listPackages(root)) {
    const { name, version, license } = readManifest(folder);
    const folders = [folder, ...(OTHER_FOLDERS[name] ?? []).map((other) => join(folder, other))];
    const texts = folders.flatMap(readLicenses);
    const text = texts.length === 0 ? `License: ${license ?? "see the package"}` : texts.join("\n\n");
    named.set(text, (named.get(text) ?? new Set()).add(`${name} ${version} (${license ?? "see below"})`));
  }
  const packages = [...named].map(([text, names]) => ({ title: [...names].toSorted().join("\n"), text }));
  packages.sort((a, b) => (a.title < b.title ? -1 : 1));
  const parts = [
    { title: "filehost", text: readFileSync(join(root, "LICENSE"), "utf8").trim() },
    ...["bun", "libavif", "libaom", "libyuv"].map((name) => ({
      title: name,
      text: readFileSync(join(notices, `${name}.txt`), "utf8").trim(),
    })),
    ...packages,
  ];
  return parts.map(({ title, text }) => `${title}\n\n${text}\n`).join(`\n${"-".repeat(80)}\n\n`);
}

const sources = [
  import.meta.path,
  join(root, "bun.lock"),
  join(root, "LICENSE"),
  ...readdirSync(notices).map((file) => join(notices, file)),
];
const newestMs = Math.max(...sources.map((path) => statSync(path).mtimeMs));
if (!existsSync(target) || statSync(target).mtimeMs < newestMs) await Bun.write(target, JSON.stringify({ text: collect() }));
