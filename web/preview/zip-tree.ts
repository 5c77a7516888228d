import type { ZipEntry } from "../../src/lib/formats/zip-directory.ts";
import { compareNaturally } from "../site/natural-order.ts";

/** A folder of a ZIP, with its folders and files in natural order (`2` before `10`). */
export interface ZipFolder {
  /** Its name; the names of several folders with `/` if each contains only the next one. */
  readonly name: string;
  readonly folders: readonly ZipFolder[];
  readonly files: readonly ZipFile[];
  /** The number of files in it and in its folders, and their bytes. */
  readonly fileCount: number;
  readonly sizeBytes: number;
}

export interface ZipFile extends Pick<ZipEntry, "sizeBytes" | "isEncrypted"> {
  readonly name: string;
}

/** The largest number of entries of a ZIP whose folders are open at first. */
export const MAX_OPEN_ENTRIES = 40;

/** Whether the folders in a folder are open at first: if all are, or if there is only one. */
export const isOpenFirst = ({ folders, files }: Pick<ZipFolder, "folders" | "files">, areAllOpen: boolean): boolean =>
  areAllOpen || (folders.length === 1 && files.length === 0);

/** The deepest folder that is shown as one. The paths of deeper files are names. */
const MAX_DEPTH = 32;

interface Branch {
  readonly folders: Map<string, Branch>;
  readonly files: ZipFile[];
}

const newBranch = (): Branch => ({ folders: new Map(), files: [] });

/** Arranges the entries of a ZIP as folders. Names are not safe as paths. */
export function toZipTree(entries: readonly ZipEntry[]): ZipFolder {
  const root = newBranch();
  for (const { name, isFolder, sizeBytes, isEncrypted } of entries) {
    const segments = name.split(/[/\\]+/).filter((segment) => segment !== "");
    const folders = (isFolder ? segments : segments.slice(0, -1)).slice(0, MAX_DEPTH);
    let branch = root;
    for (const folder of folders) {
      const known = branch.folders.get(folder) ?? newBranch();
      branch.folders.set(folder, known);
      branch = known;
    }
    if (!isFolder) branch.files.push({ name: segments.slice(folders.length).join("/") || name, sizeBytes, isEncrypted });
  }
  return toFolder("", root);
}

function toFolder(name: string, branch: Branch): ZipFolder {
  const [[onlyName, only] = [], ...others] = branch.folders;
  if (name !== "" && branch.files.length === 0 && others.length === 0 && onlyName !== undefined && only !== undefined)
    return toFolder(`${name}/${onlyName}`, only);
  const folders = [...branch.folders].map(([name, inner]) => toFolder(name, inner)).sort((a, b) => compareNaturally(a.name, b.name));
  const files = branch.files.toSorted((a, b) => compareNaturally(a.name, b.name));
  const sum = (count: (folder: ZipFolder) => number) => folders.reduce((total, folder) => total + count(folder), 0);
  return {
    name,
    folders,
    files,
    fileCount: files.length + sum(({ fileCount }) => fileCount),
    sizeBytes: files.reduce((total, file) => total + file.sizeBytes, 0) + sum(({ sizeBytes }) => sizeBytes),
  };
}
