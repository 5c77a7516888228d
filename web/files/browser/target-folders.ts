/** The folders of the account into which the files of an upload are sent: those of their paths, in the folder into which they were uploaded. */
import type { ChosenFile } from "../../sending/browser/chosen-files.ts";

/** Limits of one request: paths, and the lengths of a path and of a folder's name (folders, "Creating the folders of paths"). */
const MAX_PATHS = 300;
const MAX_PATH = 1024;
const MAX_NAME = 200;

/** Creates the missing folders of paths. Resolves to the ID of the folder at the end of each path. */
export type CreateFolders = (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface TargetFolders {
  /** Whether the folders of all these files exist. */
  has(files: readonly ChosenFile[]): boolean;
  /** Creates the folders of these files, with one request for each 300. Existing folders of the same name are used. */
  create(files: readonly ChosenFile[], create: CreateFolders): Promise<void>;
  /** Returns the ID of the folder of a file whose folders exist; undefined: none. */
  idOf(file: ChosenFile): string | undefined;
}

export function createTargetFolders(parentId: string | null): TargetFolders {
  const known = new Map<string, string>();
  const listMissing = (files: readonly ChosenFile[]): readonly string[] => [
    ...new Set(files.map(folderPathOf).filter((path) => path !== "" && !known.has(path))),
  ];
  return {
    has: (files) => listMissing(files).length === 0,
    async create(files, create) {
      const missing = listMissing(files);
      for (let from = 0; from < missing.length; from += MAX_PATHS)
        for (const [path, id] of await create(missing.slice(from, from + MAX_PATHS))) known.set(path, id);
    },
    idOf: (file) => known.get(folderPathOf(file)) ?? parentId ?? undefined,
  };
}

/** Returns the path of a file's folder, whose names folders can have; empty without one. The server refuses files with too long paths itself. */
function folderPathOf({ path }: ChosenFile): string {
  const names = path.split("/").slice(0, -1);
  const folder = names.flatMap((name) => name.trim().slice(0, MAX_NAME) || []).join("/");
  return folder.length > MAX_PATH ? "" : folder;
}
