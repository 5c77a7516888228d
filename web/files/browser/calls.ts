/** The requests of the files page, for the signed-in account. */
import { files as texts } from "#texts/files";
import type { ResponseOf } from "../../../src/service/contract.ts";
import { ApiRefusal, callApi, type ErrorJson, HAS_BUYERS, toSentence } from "../../site/browser/api.ts";
import { type FileView, type FolderView, type ListQuery, type NamedFolder, PAGE_SIZE, toListInput } from "../file-views.ts";

/** Whether the server refuses because of the current state. For example, an encrypted file cannot have a price. */

/** Calls an operation. If the session has ended, the page asks the person to sign in, and returns here. Throws like `callApi`. */
export const callSignedIn: typeof callApi = (route, input) =>
  callApi(route, input).catch((error: unknown) => {
    if (error instanceof ApiRefusal && error.status === 401) location.reload();
    throw error;
  });

export interface ListPage {
  readonly files: readonly FileView[];
  readonly folders?: readonly FolderView[];
  readonly path?: readonly NamedFolder[];
  readonly parents?: readonly NamedFolder[];
  readonly total: number;
}

/** Loads a page of a list. The first page is 1. */
export async function loadPage(query: ListQuery, page: number, includeFolders: boolean): Promise<ListPage> {
  const list = await callSignedIn("GET /files/list", { ...toListInput(query), page, limit: PAGE_SIZE, includeFolders });
  if (!("pagination" in list)) throw new Error("A list of a run has no pages.");
  return { ...list.data, total: list.pagination.total };
}

/** A link to all files in a folder. */
interface FolderLink extends SharedLink {
  readonly encrypted: boolean;
}

/** Finds the oldest link to exactly the files in a folder and in the folders inside it. */
export const findFolderLink = async (folderId: string): Promise<FolderLink | undefined> =>
  (await callSignedIn("GET /files/list/ids", { folderId, recursive: true })).data.links?.[0];

/** Lists the IDs of the files on all pages of a list. */
export async function loadIds({ folderId, search }: ListQuery): Promise<readonly string[]> {
  return (await callSignedIn("GET /files/list/ids", search === "" ? { folderId: folderId ?? "null" } : { search })).data.ids;
}

const MAX_IDS_PER_REQUEST = 1000;

/** Splits a list into parts, by default as large as one request accepts. */
const inParts = (ids: readonly string[], length = MAX_IDS_PER_REQUEST): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / length) }, (_, index) => ids.slice(index * length, (index + 1) * length));

/** Files and folders, by their IDs. */
export interface ChosenEntries {
  readonly fileIds: readonly string[];
  readonly folderIds: readonly string[];
}

export const countEntries = ({ fileIds, folderIds }: ChosenEntries): number => fileIds.length + folderIds.length;

/** Files and folders, and the folder that contains them; null: the root. */
export interface PlacedEntries extends ChosenEntries {
  readonly folderId: string | null;
}

/** Moves entries to a folder. Resolves to their places before the move. */
export async function move({ fileIds, folderIds }: ChosenEntries, folderId: string | null): Promise<readonly PlacedEntries[]> {
  const [first = [], ...others] = inParts(fileIds);
  const from = [...(await callSignedIn("POST /files/move", { fileIds: first, folderIds, folderId })).data.from];
  for (const part of others) from.push(...(await callSignedIn("POST /files/move", { fileIds: part, folderId })).data.from);
  return from;
}

export type DeletionPreview = ResponseOf<"previewDeletion">["data"];

/** Finds the links that stop working or lose files if entries are deleted. */
export const previewDeletion = async ({ fileIds, folderIds }: ChosenEntries): Promise<DeletionPreview> =>
  (
    await callSignedIn("POST /files/delete-many/preview", {
      ...(fileIds.length > 0 && { fileIds }),
      ...(folderIds.length > 0 && { folderIds }),
    })
  ).data;

/** The files and folders that were not deleted, with the reason. */
export interface Undeleted {
  readonly ids: readonly string[];
  /** The reason, in a sentence. */
  readonly reason: string;
  /** The IDs of those among them that have buyers, or contain files that have. `force` deletes them, so that buyers lose them. */
  readonly soldIds: readonly string[];
}

/** The bytes of an ID of a file and of a folder in a request, with its quotes and comma. */
const ID_BYTES = { file: 19, folder: 39 } as const;
/** The bytes of IDs that a browser sends while a page is being left: 64 KB without the rest of the requests. */
const MAX_BYTES_WHILE_LEAVING = 57_000;

/** Returns whether a page cannot delete so much while it is being left. */
export const isTooLargeWhileLeaving = ({ fileIds, folderIds }: ChosenEntries): boolean =>
  fileIds.length * ID_BYTES.file + folderIds.length * ID_BYTES.folder > MAX_BYTES_WHILE_LEAVING;

/** A deletion is one transaction. Of so few files, it delays nobody else on a busy server, and does not take too long. */
const FILES_PER_DELETION = 250;

export interface DeleteOptions {
  /** Whether the page is being left. If it is, the parts are sent together, otherwise one after another. */
  readonly isLeaving: boolean;
  /** Whether sold files are deleted too. */
  readonly force?: boolean;
}

/** Deletes files, with all their links, and folders with everything in them permanently. */
export async function deletePermanently({ fileIds, folderIds }: ChosenEntries, { isLeaving, force }: DeleteOptions): Promise<Undeleted> {
  const parts = [
    ...inParts(fileIds, FILES_PER_DELETION).map((fileIds) => ({ fileIds })),
    ...inParts(folderIds).map((folderIds) => ({ folderIds })),
  ];
  const deletePart = (part: Partial<ChosenEntries>) =>
    collectRefusals(part.fileIds ?? part.folderIds ?? [], async () => {
      const { data } = await callSignedIn("POST /files/delete-many", { ...part, allLinks: true, ...(force && { force }) });
      // A missing file or folder counts as deleted.
      const refused = data.refused.filter(({ errorCode }) => errorCode !== "NOT_FOUND");
      return part.folderIds ? refused.map(explainInside) : refused;
    });
  const results: Undeleted[] = isLeaving ? await Promise.all(parts.map(deletePart)) : [];
  if (!isLeaving) for (const part of parts) results.push(await deletePart(part));
  return {
    ids: results.flatMap(({ ids }) => ids),
    reason: results.find(({ reason }) => reason !== "")?.reason ?? "",
    soldIds: results.flatMap(({ soldIds }) => soldIds),
  };
}

interface RefusedEntry extends ErrorJson {
  readonly id: string;
}

/** Says of a folder that the refused change concerns a file in it. */
const explainInside = (refused: RefusedEntry): RefusedEntry =>
  refused.errorCode === "IMMUTABLE" ? { id: refused.id, error: texts.immutableInside } : refused;

async function collectRefusals(ids: readonly string[], act: () => Promise<readonly RefusedEntry[]>): Promise<Undeleted> {
  try {
    const refused = await act();
    const [first, ...others] = refused;
    // The number of buyers is known for each file, not for several files together.
    const reason = first && toSentence(others.length === 0 ? first : { ...first, buyers: undefined });
    const soldIds = refused.filter(({ errorCode }) => errorCode === HAS_BUYERS).map(({ id }) => id);
    return { ids: refused.map(({ id }) => id), reason: reason ?? "", soldIds };
  } catch (error) {
    return { ids, reason: error instanceof Error ? error.message : String(error), soldIds: [] };
  }
}

/** The largest number of files that one request shares or packs. Folders count separately. */
export const MAX_TOGETHER = MAX_IDS_PER_REQUEST;

export interface SharedLink {
  readonly shortId: string;
  readonly shareUrl: string;
  readonly sharePath: string;
}

/** Gives files and folders one more link. Their earlier links stay. */
export async function shareTogether(chosen: ChosenEntries, { title }: { readonly title: string }): Promise<SharedLink> {
  return (await callSignedIn("POST /files/share", { ...chosen, ...(title !== "" && { title }) })).data;
}

/** Deletes a file in one share. Its other links stay. */
export async function deleteLink(id: string, { force }: { readonly force: boolean }): Promise<void> {
  await callSignedIn("DELETE /files/delete", { fileId: id, ...(force && { force }) });
}

/** Makes a ZIP of files and folders. Resolves to its URL. */
export const packFiles = async (chosen: ChosenEntries): Promise<string> => (await callSignedIn("POST /files/archive", chosen)).url;

export const renameFile = async (fileId: string, name: string): Promise<FileView> =>
  (await callSignedIn("PATCH /files/{fileId}/details", { fileId, name })).data;

export const renameFolder = async (id: string, name: string): Promise<FolderView> =>
  (await callSignedIn("PATCH /folders/{id}", { id, name })).data;

export const createFolder = async (name: string, parentId: string | null): Promise<FolderView> =>
  (await callSignedIn("POST /folders", { name, parentId })).data;

/** Loads the folders directly in a folder, ordered by name. */
export async function loadFolders(parentId: string | null): Promise<readonly FolderView[]> {
  const all: FolderView[] = [];
  for (let page = 1; ; page += 1) {
    const { data, pagination } = await callSignedIn("GET /folders/list", { parentId: parentId ?? "null", limit: 200, page });
    all.push(...data);
    if (page >= pagination.totalPages) return all;
  }
}
