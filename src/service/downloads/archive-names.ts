import type { ShareRow } from "../../db/tables/files.ts";
import { MAX_NAME_BYTES, normalizeName, shorten } from "../../lib/file-name.ts";

/** Characters that Windows forbids in a name (a colon separates a drive or an alternate stream), and control characters. */
const FORBIDDEN = /[<>:"|?*\\\p{Cc}]/gu;
/** Names of Windows devices, with any extension, also after trailing spaces. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)/i;
/** Characters that Windows removes from the end of a name. */
const TRAILING = /[. ]+$/;
/** Space for the longest number that makes a name unique: ` (10000)`. */
const NUMBER_BYTES = 8;

/** The name of an archive: its share's title or name, in one segment that is safe on every common file system. */
export const archiveName = ({ title, name, short_id }: Pick<ShareRow, "title" | "name" | "short_id">): string => {
  const suffix = `-${short_id}.zip`;
  return toSafeSegment(shorten((title ?? name).replaceAll("/", "_"), MAX_NAME_BYTES - suffix.length) + suffix);
};

/**
 * Chooses names for the files of one archive, in order: relative paths or names, whose segments are safe on every common file system and
 * have at most 255 bytes. A number before the extension makes names unique, ignoring case.
 */
export function archiveNames(files: readonly { readonly name: string; readonly relative_path: string | null }[]): string[] {
  const paths = files.map((file) => toSafePath(file.relative_path ?? file.name));
  // A file must not have the name of a folder of other files.
  const taken = new Set(paths.flatMap(foldersOf));
  // The next number to try for each name: a shipment may have 10,000 files of one name.
  const nextNumbers = new Map<string, number>();
  return paths.map((path) => {
    if (!taken.has(normalizeName(path))) {
      taken.add(normalizeName(path));
      return path;
    }
    const { before, after } = splitForNumber(path);
    const key = normalizeName(`${before}/${after}`);
    let number = nextNumbers.get(key) ?? 2;
    let name = `${before} (${number})${after}`;
    for (; taken.has(normalizeName(name)); name = `${before} (${number})${after}`) number += 1;
    nextNumbers.set(key, number + 1);
    taken.add(normalizeName(name));
    return name;
  });
}

/** Makes a relative path that stays inside the folder that it is extracted to. */
function toSafePath(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  return segments.length === 0 ? "_" : segments.map(toSafeSegment).join("/");
}

function toSafeSegment(segment: string): string {
  const allowed = segment.replace(FORBIDDEN, "_");
  return replaceTrailing(shorten(DEVICE.test(allowed) ? `_${allowed}` : allowed));
}

const replaceTrailing = (segment: string): string => segment.replace(TRAILING, (trailing) => "_".repeat(trailing.length));

/** `a/b/c.txt` → `a`, `a/b`. */
function foldersOf(path: string): string[] {
  const names = normalizeName(path).split("/");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
}

/** Splits a path where its number is inserted, and shortens the name if there is no space for the number. */
function splitForNumber(path: string): { before: string; after: string } {
  const slash = path.lastIndexOf("/") + 1;
  const name = replaceTrailing(shorten(path.slice(slash), MAX_NAME_BYTES - NUMBER_BYTES));
  const dot = name.lastIndexOf(".");
  const cut = dot > 0 ? dot : name.length;
  return { before: path.slice(0, slash) + name.slice(0, cut), after: name.slice(cut) };
}
