import type { ShareRow } from "../../db/tables/files.ts";
import { MAX_NAME_BYTES, normalizeName, shorten } from "../../lib/text/file-name.ts";
import { replaceTrailing, toSafeSegment } from "../../lib/text/safe-segment.ts";

/** Space for the longest number that makes a name unique: ` (10000)`. */
const NUMBER_BYTES = 8;

/**
 * The name of an archive with entries of these names: its share's title, otherwise the folder that all are in, otherwise the share's name, in one
 * segment that is safe on every common file system.
 */
export function archiveName({ title, name, short_id }: Pick<ShareRow, "title" | "name" | "short_id">, entries: readonly string[]): string {
  const folder = title === null ? findCommonFolder(entries) : undefined;
  return folder === undefined ? archiveSegment(title ?? name, `-${short_id}.zip`) : archiveSegment(folder, ".zip");
}

/** The first segment of all these paths, if they have the same: the folder that was sent. */
export function findCommonFolder(paths: readonly string[]): string | undefined {
  const [first = ""] = paths;
  const folder = first.slice(0, first.indexOf("/") + 1);
  return folder !== "" && paths.every((path) => path.startsWith(folder)) ? folder.slice(0, -1) : undefined;
}

/** A name and its suffix in one such segment. */
export const archiveSegment = (name: string, suffix: string): string =>
  toSafeSegment(shorten(name.replaceAll("/", "_"), MAX_NAME_BYTES - suffix.length) + suffix);

/**
 * Chooses names for the files of one archive, in order: relative paths or names, whose segments are safe on every common file system and
 * have at most 255 bytes. A number before the extension makes names unique, ignoring case.
 */
export function archiveNames(files: readonly { readonly name: string; readonly relative_path: string | null }[]): string[] {
  const paths = files.map((file) => toSafePath(file.relative_path ?? file.name));
  const isFolder = findFolders(paths);
  const taken = new Set<string>();
  // A file must not have the name of a folder of other files.
  const isTaken = (name: string): boolean => taken.has(name) || isFolder(name);
  // The next number to try for each name: a shipment may have 10,000 files of one name.
  const nextNumbers = new Map<string, number>();
  return paths.map((path) => {
    if (!isTaken(toCollisionKey(path))) {
      taken.add(toCollisionKey(path));
      return path;
    }
    const { before, after } = splitForNumber(path);
    const key = toCollisionKey(`${before}/${after}`);
    let number = nextNumbers.get(key) ?? 2;
    let name = `${before} (${number})${after}`;
    for (; isTaken(toCollisionKey(name)); name = `${before} (${number})${after}`) number += 1;
    nextNumbers.set(key, number + 1);
    taken.add(toCollisionKey(name));
    return name;
  });
}

/** Makes a relative path that stays inside the folder that it is extracted to. A path may have hundreds of segments: all are replaced together. */
const toSafePath = (path: string): string => toSafeSegment(path.replace(/\/{2,}/g, "/").replace(/^\/|\/$/g, "")) || "_";

/** Returns whether a normalized path is a folder of these paths. They are sorted, because a set of all their folders could be 500 times as large. */
function findFolders(paths: readonly string[]): (path: string) => boolean {
  const sorted = paths.map(toCollisionKey).sort();
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
function splitForNumber(path: string): { before: string; after: string } {
  const slash = path.lastIndexOf("/") + 1;
  const name = replaceTrailing(shorten(path.slice(slash), MAX_NAME_BYTES - NUMBER_BYTES));
  const dot = name.lastIndexOf(".");
  const cut = dot > 0 ? dot : name.length;
  return { before: path.slice(0, slash) + name.slice(0, cut), after: name.slice(cut) };
}

/** Equal for names that a file system may take for the same. Upper case first: lower case alone keeps a final sigma, a long s and a sharp s apart. */
const toCollisionKey = (name: string): string => normalizeName(name.toUpperCase());
