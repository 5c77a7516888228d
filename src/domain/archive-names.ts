import { foldName } from "./fold-name.ts";

/** Names for the files of one archive, in order: their relative paths or names, made unique by a number before the extension. */
export function archiveNames(files: readonly { readonly name: string; readonly relative_path: string | null }[]): string[] {
  // No file has the name of a folder that others are in.
  const taken = new Set(files.flatMap((file) => foldersOf(file.relative_path ?? file.name)));
  // Where counting goes on for a name: a shipment may have 10,000 files of one.
  const numbers = new Map<string, number>();
  return files.map((file) => {
    const wanted = file.relative_path ?? file.name;
    let name = wanted;
    let number = numbers.get(foldName(wanted)) ?? 2;
    for (; taken.has(foldName(name)); number += 1) name = numbered(wanted, number);
    numbers.set(foldName(wanted), number);
    taken.add(foldName(name));
    return name;
  });
}

/** `a/b/c.txt` → `a`, `a/b`. */
function foldersOf(path: string): string[] {
  const names = foldName(path).split("/");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
}

function numbered(path: string, number: number): string {
  const slash = path.lastIndexOf("/") + 1;
  const dot = path.lastIndexOf(".");
  const cut = dot > slash ? dot : path.length;
  return `${path.slice(0, cut)} (${number})${path.slice(cut)}`;
}
