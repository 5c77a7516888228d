import { type FileView, hasOtherLinks, type ListQuery } from "../file-views.ts";
import { type ChosenEntries, loadIds, loadIdsInside } from "./calls.ts";
import { loadDetails } from "./details.ts";

/** Maximum number of files whose links the question before a deletion names. */
const MAX_NAMED = 10;

/** The chosen files, and files in chosen folders, that have other links than their own: the first of them, and the number of all. */
export interface LinkedFiles {
  readonly named: readonly FileView[];
  readonly count: number;
  /** The number of all files in chosen folders. */
  readonly insideCount: number;
}

/**
 * Finds the chosen files that have other links than their own, because a deletion ends all of them. `loaded` are the files of the list whose links are
 * known; those of the others are read from the server. Rejects with an error whose message is a sentence.
 */
export async function findLinked(
  { fileIds, folderIds }: ChosenEntries,
  loaded: ReadonlyMap<string, FileView>,
  query: ListQuery,
): Promise<LinkedFiles> {
  const known = fileIds.flatMap((id) => loaded.get(id) ?? []).filter(hasOtherLinks);
  const unknown = new Set(fileIds.filter((id) => !loaded.has(id)));
  const others = unknown.size === 0 ? [] : (await loadIds(query)).linkedIds.filter((id) => unknown.has(id));
  let insideCount = 0;
  for (const folderId of folderIds) {
    const { ids, linkedIds } = await loadIdsInside(folderId);
    insideCount += ids.length;
    others.push(...linkedIds);
  }
  const named = await Promise.all(others.slice(0, Math.max(0, MAX_NAMED - known.length)).map(loadDetails));
  return { named: [...known, ...named].slice(0, MAX_NAMED), count: known.length + others.length, insideCount };
}
