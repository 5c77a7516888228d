import { toSafeSegment } from "../text/safe-segment.ts";
import { MAX_NAME_BYTES, normalizeName, shorten } from "../text/stored-name.ts";

/** Space for the longest number that makes a name unique: ` (10000)`. */
const NUMBER_BYTES = 8;
/** The end of the name of an encrypted file whose own name is inside (encryption, "Hidden names"). */
const HIDDEN_EXTENSION = ".tar.age";

/** The name of each shipment without a title, in the names of its archives. */
export const SHIPMENT_NAME = "Shipment";

/**
 * Returns the name of a share's archive: the share's title, otherwise the common folder of its files, otherwise its first file and the number of the
 * others, otherwise the share's name. The name is one segment that is safe on every common file system.
 */
export function archiveName(
  { title, name, short_id }: { readonly title: string | null; readonly name: string; readonly short_id: string },
  entries: readonly string[],
): string {
  const folder = title === null ? findCommonFolder(entries) : undefined;
  return folder === undefined ? archiveSegment(title ?? nameEntries(entries) ?? name, `-${short_id}.zip`) : archiveSegment(folder, ".zip");
}

/** Returns the name of the first entry without its extension, and the number of the others; undefined if the entry has a hidden name. */
function nameEntries(entries: readonly string[]): string | undefined {
  const first = entries[0]?.split("/").at(-1);
  if (first === undefined || first.endsWith(HIDDEN_EXTENSION)) return undefined;
  const dot = first.lastIndexOf(".");
  const stem = dot > 0 ? first.slice(0, dot) : first;
  return entries.length === 1 ? stem : `${stem} and ${entries.length - 1} more`;
}

/** Returns the common first segment of all paths; undefined if they differ. */
export function findCommonFolder(paths: readonly string[]): string | undefined {
  const [first = ""] = paths;
  const folder = first.slice(0, first.indexOf("/") + 1);
  return folder !== "" && paths.every((path) => path.startsWith(folder)) ? folder.slice(0, -1) : undefined;
}

/** Returns a name and its suffix as one safe segment. */
export const archiveSegment = (name: string, suffix: string): string =>
  toSafeSegment(shorten(name.replaceAll("/", "_"), MAX_NAME_BYTES - suffix.length) + suffix);

/** Where the names are used. */
export interface NamingRules {
  /** Makes a path of segments safe, of at most 255 bytes each. */
  readonly toSafe: (path: string) => string;
  /** Returns the same key for names that are one file there. */
  readonly toKey: (name: string) => string;
}

/** The rules of archives, which are unpacked anywhere (archives, "Names of the entries"). */
const ANYWHERE: NamingRules = { toSafe: toSafeSegment, toKey: toCollisionKey };

/**
 * Chooses unique names for the files of one archive, in order. By default each segment has at most 255 bytes and is safe on every common file system;
 * a number before the extension resolves collisions, ignoring case.
 */
export function archiveNames(
  files: readonly { readonly name: string; readonly relative_path: string | null }[],
  rules: NamingRules = ANYWHERE,
): string[] {
  const paths = files.map((file) => toSafePath(file.relative_path ?? file.name, rules));
  return paths.map(createNaming(findFolders(paths.map(rules.toKey)), rules));
}

/**
 * Returns a function that chooses a unique name for each next file of an archive whose later files are not known yet, by the rules of `archiveNames`.
 * A folder with the name of an earlier file becomes a part of the names of its files.
 */
export function createArchiveNaming(): (path: string) => string {
  const [files, folders] = [new Set<string>(), new Set<string>()];
  const choose = createNaming((key) => folders.has(key), ANYWHERE);
  return (path) => {
    const safe = toSafePath(path, ANYWHERE);
    const name = choose(
      listFolders(toCollisionKey(safe)).some((folder) => files.has(folder)) ? toSafeSegment(safe.replaceAll("/", "_")) : safe,
    );
    const key = toCollisionKey(name);
    files.add(key);
    for (const folder of listFolders(key)) folders.add(folder);
    return name;
  };
}

/** Lists the folders of a path: `a` and `a/b` for `a/b/c`. */
const listFolders = (path: string): readonly string[] => {
  const [, ...ends] = path.split("/").map((_, index, parts) => parts.slice(0, index).join("/"));
  return ends;
};

const toSafePath = (path: string, { toSafe }: NamingRules): string => toSafe(withoutOuterSlashes(path)) || "_";

/** Returns a function that makes each next safe path unique. `isFolder` tells whether a key is the name of a folder of other files. */
function createNaming(isFolder: (key: string) => boolean, { toSafe, toKey }: NamingRules): (path: string) => string {
  const taken = new Set<string>();
  // A file must not have the name of a folder of other files.
  const isTaken = (name: string): boolean => taken.has(name) || isFolder(name);
  // The next number to try for each name: a shipment may have 10,000 files of one name.
  const nextNumbers = new Map<string, number>();
  return (path) => {
    if (!isTaken(toKey(path))) {
      taken.add(toKey(path));
      return path;
    }
    const { before, after } = splitForNumber(path, toSafe);
    const key = toKey(`${before}/${after}`);
    let number = nextNumbers.get(key) ?? 2;
    let name = `${before} (${number})${after}`;
    for (; isTaken(toKey(name)); name = `${before} (${number})${after}`) number += 1;
    nextNumbers.set(key, number + 1);
    taken.add(toKey(name));
    return name;
  };
}

/** Removes empty segments. The others are made safe together, because a path may have hundreds. */
const withoutOuterSlashes = (path: string): string => path.replace(/\/{2,}/g, "/").replace(/^\/|\/$/g, "");

/**
 * Returns a function that tells whether the key of a path is a folder of the given ones. It searches the sorted paths, because a set of all folders
 * could be 500 times as large.
 */
function findFolders(keys: readonly string[]): (path: string) => boolean {
  const sorted = [...keys].sort();
  return (path) => {
    const inside = `${path}/`;
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? "") < inside) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(inside) ?? false;
  };
}

/** Splits a path where its number is inserted, and shortens the name if there is no space for the number. */
function splitForNumber(path: string, toSafe: NamingRules["toSafe"]): { before: string; after: string } {
  const slash = path.lastIndexOf("/") + 1;
  const name = toSafe(shorten(path.slice(slash), MAX_NAME_BYTES - NUMBER_BYTES));
  const dot = name.lastIndexOf(".");
  const cut = dot > 0 ? dot : name.length;
  return { before: path.slice(0, slash) + name.slice(0, cut), after: name.slice(cut) };
}

/**
 * Returns the same key for names that a file system may treat as equal. Converts to upper case first, because lower case alone keeps a final sigma, a
 * long s and a sharp s distinct.
 */
export function toCollisionKey(name: string): string {
  return normalizeName(name.toUpperCase());
}
