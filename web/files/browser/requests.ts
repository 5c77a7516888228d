/** The requests of the files page, as who is signed in. */
import { files as texts } from "#texts/files";
import { type ErrorJson, toSentence } from "../../site/browser/upload/api.ts";
import { type FileView, type FolderView, type ListQuery, type NamedFolder, PAGE_SIZE, toListInput } from "../file-views.ts";

/** A response that refuses; its message is a sentence for people. */
class Refused extends Error {
  readonly status: number;
  readonly errorCode: string | undefined;

  constructor(message: string, { status, errorCode }: { readonly status: number; readonly errorCode: string | undefined }) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
  }
}

/** Whether the server refuses because buyers would lose what they paid for, which `force` allows (selling, "What buyers keep"). */
export const hasBuyers = (error: unknown): boolean => error instanceof Refused && error.errorCode === HAS_BUYERS;

const HAS_BUYERS = "HAS_BUYERS";

/** Whether the server refuses because of another state, such as that of an encrypted file, which has no price. */
export const hasConflict = (error: unknown): boolean => error instanceof Refused && error.errorCode === "CONFLICT";

/** Requests survive the page that sent them. Throws a `Refused`, or an error whose message is a sentence. */
export async function ask<Answer>(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, json?: object): Promise<Answer> {
  const headers = { Accept: "application/json", ...(json && { "Content-Type": "application/json" }) };
  const body = json && JSON.stringify(json);
  const response = await fetch(`/api${path}`, { method, headers, body, keepalive: method !== "GET" }).catch(() => undefined);
  if (!response) throw new Error(texts.offline);
  const answer = (await response.json().catch(() => ({}))) as Answer & ErrorJson;
  if (response.ok) return answer;
  // The session has ended: the page asks to sign in, and then goes on here.
  if (response.status === 401) location.reload();
  throw new Refused(toSentence(answer) ?? texts.failed, { status: response.status, errorCode: answer.errorCode });
}

export interface ListPage {
  readonly files: readonly FileView[];
  readonly folders?: readonly FolderView[];
  readonly path?: readonly NamedFolder[];
  readonly parents?: readonly NamedFolder[];
  readonly total: number;
}

/** Loads a page of a list, from 1. */
export async function loadPage(query: ListQuery, page: number, includeFolders: boolean): Promise<ListPage> {
  const fields = { ...toListInput(query), page: String(page), limit: String(PAGE_SIZE), includeFolders: String(includeFolders) };
  const { data, pagination } = await ask<{ data: Omit<ListPage, "total">; pagination: { total: number } }>(
    "GET",
    `/files/list?${new URLSearchParams(fields)}`,
  );
  return { ...data, total: pagination.total };
}

export async function loadIds({ folderId, search }: ListQuery): Promise<readonly string[]> {
  const fields: Readonly<Record<string, string>> = search === "" ? { folderId: folderId ?? "null" } : { search };
  return (await ask<{ data: { ids: string[] } }>("GET", `/files/list/ids?${new URLSearchParams(fields)}`)).data.ids;
}

const TOGETHER = 1000;

/** Parts of a list that one request takes. */
function inParts(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / TOGETHER) }, (_, index) => ids.slice(index * TOGETHER, (index + 1) * TOGETHER));
}

/** Files and folders by their IDs. */
export interface Chosen {
  readonly fileIds: readonly string[];
  readonly folderIds: readonly string[];
}

export const countOf = ({ fileIds, folderIds }: Chosen): number => fileIds.length + folderIds.length;

export async function move({ fileIds, folderIds }: Chosen, folderId: string | null): Promise<void> {
  const parts = inParts(fileIds);
  await ask("POST", "/files/move", { fileIds: parts[0] ?? [], folderIds, folderId });
  for (const part of parts.slice(1)) await ask("POST", "/files/move", { fileIds: part, folderId });
}

/** What stays, and why. */
export interface Undeleted {
  readonly ids: readonly string[];
  /** A sentence. */
  readonly reason: string;
  /** The files among them that buyers would lose: `force` deletes them. */
  readonly soldIds: readonly string[];
}

/** What a page that is being left can still delete: browsers send 64 KB after it, and 1,000 IDs have 19 KB. */
export const MAX_WHILE_LEAVING = 3 * TOGETHER;

export interface DeleteOptions {
  /** Whether the page is being left: then the parts are sent together, otherwise one after the other. */
  readonly isLeaving: boolean;
  /** Whether buyers lose what they paid for. */
  readonly force?: boolean;
}

/** Deletes for good. */
export async function deleteForGood({ fileIds, folderIds }: Chosen, { isLeaving, force }: DeleteOptions): Promise<Undeleted> {
  const deletePart = (fileIds: readonly string[]) => deleteFiles(fileIds, force);
  const folders = folderIds.map((id) => keptIfRefused([id], () => ask("DELETE", `/folders/${encodeURIComponent(id)}`).then(() => [])));
  const results: Undeleted[] = isLeaving ? await Promise.all(inParts(fileIds).map(deletePart)) : [];
  if (!isLeaving) for (const part of inParts(fileIds)) results.push(await deletePart(part));
  results.push(...(await Promise.all(folders)));
  return {
    ids: results.flatMap(({ ids }) => ids),
    reason: results.find(({ reason }) => reason !== "")?.reason ?? "",
    soldIds: results.flatMap(({ soldIds }) => soldIds),
  };
}

interface RefusedFile extends ErrorJson {
  readonly id: string;
}

const deleteFiles = (fileIds: readonly string[], force?: boolean): Promise<Undeleted> =>
  keptIfRefused(fileIds, async () => {
    const { data } = await ask<{ data: { refused: RefusedFile[] } }>("POST", "/files/delete-many", { fileIds, ...(force && { force }) });
    // A file that is gone is what was asked for.
    return data.refused.filter(({ errorCode }) => errorCode !== "NOT_FOUND");
  });

async function keptIfRefused(ids: readonly string[], act: () => Promise<readonly RefusedFile[]>): Promise<Undeleted> {
  try {
    const refused = await act();
    const [first, ...others] = refused;
    // How many buyers there are is known of each file, not of several.
    const reason = first && toSentence(others.length === 0 ? first : { ...first, buyers: undefined });
    const soldIds = refused.filter(({ errorCode }) => errorCode === HAS_BUYERS).map(({ id }) => id);
    return { ids: refused.map(({ id }) => id), reason: reason ?? "", soldIds };
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return { ids: [], reason: "", soldIds: [] };
    return { ids, reason: error instanceof Error ? error.message : String(error), soldIds: [] };
  }
}

/** The most files that one request shares or packs. Folders count by themselves. */
export const MAX_TOGETHER = TOGETHER;

export interface SharedLink {
  readonly shareUrl: string;
  readonly sharePath: string;
}

/** Gives files and folders one link; those that they had end. */
export async function shareTogether(
  chosen: Chosen,
  { title, force }: { readonly title: string; readonly force: boolean },
): Promise<SharedLink> {
  const json = { ...chosen, move: true, ...(title !== "" && { title }), ...(force && { force }) };
  return (await ask<{ data: SharedLink }>("POST", "/files/share", json)).data;
}

/** Resolves to the URL of a ZIP of files and folders. */
export const packFiles = async (chosen: Chosen): Promise<string> => (await ask<{ url: string }>("POST", "/files/archive", chosen)).url;

export const renameFile = async (fileId: string, name: string): Promise<FileView> =>
  (await ask<{ data: FileView }>("PATCH", `/files/${encodeURIComponent(fileId)}/details`, { name })).data;

export const renameFolder = async (id: string, name: string): Promise<FolderView> =>
  (await ask<{ data: FolderView }>("PATCH", `/folders/${encodeURIComponent(id)}`, { name })).data;

export const createFolder = async (name: string, parentId: string | null): Promise<FolderView> =>
  (await ask<{ data: FolderView }>("POST", "/folders", { name, parentId })).data;

/** The folders directly in one, by name. */
export async function loadFolders(parentId: string | null): Promise<readonly FolderView[]> {
  const all: FolderView[] = [];
  for (let page = 1; ; page += 1) {
    const fields = { parentId: parentId ?? "null", limit: "200", page: String(page) };
    const { data, pagination } = await ask<{ data: FolderView[]; pagination: { totalPages: number } }>(
      "GET",
      `/folders/list?${new URLSearchParams(fields)}`,
    );
    all.push(...data);
    if (page >= pagination.totalPages) return all;
  }
}
