import type { RequestContext } from "../../src/context.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { type FolderName, listAllFolders } from "../../src/service/files/folders.ts";
import type { FolderChoice } from "./file-views.ts";

/** A longer path is shown by its end. */
const MAX_SHOWN = 200;

/** All folders of the account by their paths, such as `Reports / 2026`, without those in `except`, which may be folders of any level. */
export async function listFolderPaths(
  c: HttpContext,
  call: RequestContext,
  except: readonly string[] = [],
): Promise<readonly FolderChoice[]> {
  const folders = new Map((await listAllFolders(c.env.ctx, call)).map((folder) => [folder.id, folder]));
  const paths = new Map<string, string | undefined>(except.map((id) => [id, undefined]));
  const toPath = ({ id, name, parent_id }: FolderName): string | undefined => {
    if (!paths.has(id)) {
      const parent = folders.get(parent_id ?? "");
      const above = parent && toPath(parent);
      const isExcepted = parent !== undefined && above === undefined;
      paths.set(id, isExcepted ? undefined : cutStart(above === undefined ? name : `${above} / ${name}`));
    }
    return paths.get(id);
  };
  return [...folders.values()]
    .flatMap((folder) => {
      const path = toPath(folder);
      return path === undefined ? [] : [{ id: folder.id, path }];
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

const cutStart = (path: string): string => (path.length > MAX_SHOWN ? `…${path.slice(1 - MAX_SHOWN).toWellFormed()}` : path);
