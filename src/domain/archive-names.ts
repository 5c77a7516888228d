import { MAX_NAME_BYTES, shorten } from "./filename.ts";
import { foldName } from "./fold-name.ts";

/** What Windows forbids in a name (a colon also separates a drive or an alternate stream), and control characters. */
const FORBIDDEN = /[<>:"|?*\\\p{Cc}]/gu;
/** Names that Windows takes for a device, with any extension, also after spaces. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)/i;
/** Windows drops these from the end of a name. */
const DROPPED = /[. ]+$/;
/** Room for the longest number that makes a name unique, such as ` (10000)`. */
const NUMBER_BYTES = 8;

/**
 * Names for the files of one archive, in order: their relative paths or names, each segment harmless on every common file system and at most
 * 255 bytes, made unique in any case by a number before the extension.
 */
export function archiveNames(files: readonly { readonly name: string; readonly relative_path: string | null }[]): string[] {
  const paths = files.map((file) => toSafePath(file.relative_path ?? file.name));
  // No file has the name of a folder that others are in.
  const taken = new Set(paths.flatMap(foldersOf));
  // The next number to try for a name: a shipment may have 10,000 files of one.
  const numbers = new Map<string, number>();
  return paths.map((wanted) => {
    if (!taken.has(foldName(wanted))) {
      taken.add(foldName(wanted));
      return wanted;
    }
    const { before, after } = splitForNumber(wanted);
    const key = foldName(`${before}/${after}`);
    let number = numbers.get(key) ?? 2;
    let name = `${before} (${number})${after}`;
    for (; taken.has(foldName(name)); name = `${before} (${number})${after}`) number += 1;
    numbers.set(key, number + 1);
    taken.add(foldName(name));
    return name;
  });
}

/** A relative path that stays inside the folder that it is extracted to. */
function toSafePath(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  return segments.length === 0 ? "_" : segments.map(toSafeSegment).join("/");
}

function toSafeSegment(segment: string): string {
  const allowed = segment.replace(FORBIDDEN, "_");
  return keepEnd(shorten(DEVICE.test(allowed) ? `_${allowed}` : allowed));
}

const keepEnd = (segment: string): string => segment.replace(DROPPED, (dropped) => "_".repeat(dropped.length));

/** `a/b/c.txt` → `a`, `a/b`. */
function foldersOf(path: string): string[] {
  const names = foldName(path).split("/");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
}

/** A path around the place of its number, shortened where there is no room for one. */
function splitForNumber(path: string): { before: string; after: string } {
  const slash = path.lastIndexOf("/") + 1;
  const name = keepEnd(shorten(path.slice(slash), MAX_NAME_BYTES - NUMBER_BYTES));
  const dot = name.lastIndexOf(".");
  const cut = dot > 0 ? dot : name.length;
  return { before: path.slice(0, slash) + name.slice(0, cut), after: name.slice(cut) };
}
