import type { RequestContext } from "../../src/context.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { type FolderName, listAllFolders } from "../../src/service/files/folders.ts";
import { compareNaturally } from "../site/natural-order.ts";
import type { FolderChoice } from "./folder-choice.ts";

/** The longest path that is shown whole. Only the end of a longer one is shown. */
const MAX_SHOWN = 200;

/** Lists all folders of the account by their paths, such as `Reports / 2026`. */
export async function listFolderPaths(c: HttpContext, call: RequestContext): Promise<readonly FolderChoice[]> {
  const folders = new Map((await listAllFolders(c.env.ctx, call)).map((folder) => [folder.id, folder]));
  const paths = new Map<string, string>();
  const toPath = ({ id, name, parent_id }: FolderName): string => {
    const parent = folders.get(parent_id ?? "");
    const path = paths.get(id) ?? cutStart(parent === undefined ? name : `${toPath(parent)} / ${name}`);
    paths.set(id, path);
    return path;
  };
  return [...folders.values()]
    .map((folder) => ({ id: folder.id, path: toPath(folder) }))
    .toSorted((one, other) => compareNaturally(one.path, other.path));
}

const cutStart = (path: string): string => (path.length > MAX_SHOWN ? `…${path.slice(1 - MAX_SHOWN).toWellFormed()}` : path);
