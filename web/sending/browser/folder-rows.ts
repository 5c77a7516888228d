/** The rows of a list of files: one for each file outside folders, and one for each folder. */
import { compareNaturally } from "../../site/natural-order.ts";

interface InShare {
  /** The folders and the name with `/` between them. */
  readonly path: string;
}

export type Row<File extends InShare> =
  | { readonly kind: "file"; readonly path: string; readonly file: File }
  /** `files` are in natural order of their paths (`2` before `10`). */
  | { readonly kind: "folder"; readonly path: string; readonly files: readonly File[] };

/** Groups files by their outermost folders. Folders are before files, in natural order (`2` before `10`). */
export function toRows<File extends InShare>(files: readonly File[]): readonly Row<File>[] {
  const rows: Row<File>[] = [];
  const folders = new Map<string, File[]>();
  for (const file of files) {
    const folder = folderOf(file.path);
    const known = folder === undefined ? undefined : folders.get(folder);
    if (folder === undefined) rows.push({ kind: "file", path: file.path, file });
    else if (known) known.push(file);
    else {
      const inFolder = [file];
      folders.set(folder, inFolder);
      rows.push({ kind: "folder", path: folder, files: inFolder });
    }
  }
  for (const inFolder of folders.values()) inFolder.sort((one, other) => compareNaturally(one.path, other.path));
  return rows.sort((one, other) =>
    one.kind === other.kind ? compareNaturally(stemOf(one.path), stemOf(other.path)) : one.kind === "folder" ? -1 : 1,
  );
}

/** Returns the path without its extension, because `a.txt` is before `a (2).txt`. */
const stemOf = (path: string): string => path.replace(/\.[^./]+$/, "");

/** Returns the name of the folder that contains all files; undefined if there is none. */
export function findOnlyFolder(files: readonly InShare[]): string | undefined {
  const [folder, ...others] = new Set(files.map(({ path }) => folderOf(path)));
  return others.length === 0 ? folder : undefined;
}

/** Returns the path of a file below its outermost folder. */
export const pathInFolder = ({ path }: InShare): string => path.slice(path.indexOf("/") + 1);

function folderOf(path: string): string | undefined {
  const slash = path.indexOf("/");
  return slash < 0 ? undefined : path.slice(0, slash);
}
