import { AppError, type ErrorCode } from "../../errors.ts";
import type { Output } from "../../service/contract.ts";
import type { AnonymousShare } from "../records/share-records.ts";
import { folderNotFound, foldersBelow, listAllFolders } from "./account-folders.ts";
import { findSubject } from "./find-subject.ts";
import { findNamedShare, type NamedShare, type SharingCaller } from "./named-share.ts";

/** A file, share or folder that a command deletes. */
export type Removal =
  | { readonly kind: "share"; readonly text: string; readonly name: string | undefined }
  | {
      readonly kind: "folder";
      readonly text: string;
      readonly name: string;
      readonly fileIds: readonly string[];
      readonly folderIds: readonly string[];
      /** The IDs of files with several links, which are all deleted. */
      readonly linkedIds: readonly string[];
    };

export interface RemovalRefusal {
  readonly id: string;
  readonly errorCode: ErrorCode;
  readonly error: string;
}

export interface RemovalResult {
  readonly deleted: readonly string[];
  readonly refused: readonly RemovalRefusal[];
  /** The deleted shares and files that other links still offer, with the number of these links. */
  readonly linked: readonly { readonly id: string; readonly links: number }[];
}

export interface RemovalOptions {
  /** A deletion token; default: the remembered one, or the key. */
  readonly token?: string | undefined;
  readonly force?: boolean | undefined;
  /** Whether files are deleted in all shares that they are in. */
  readonly allLinks?: boolean | undefined;
}

/** The number of files that one `POST /files/delete-many` accepts. */
const FILES = 1000;

/**
 * Finds the files and folders that the IDs, links and paths name, with the files in folders if `recursive`. Throws NOT_FOUND for a path that names
 * nothing.
 */
export async function planRemovals(caller: SharingCaller, texts: readonly string[], recursive: boolean): Promise<readonly Removal[]> {
  const removals: Removal[] = [];
  for (const text of new Set(texts)) {
    const subject = await findSubject(caller, text);
    if (subject.kind === "folder") removals.push(await planFolder(caller, { text, id: subject.folderId }, recursive));
    else if (subject.kind === "private")
      throw new AppError("VALIDATION_FAILED", "A private link deletes nothing. Use the ID of the share.");
    else {
      const named = subject.kind === "file" ? subject.fileId : text;
      removals.push({ kind: "share", text: named, name: (await findNamedShare(caller, named)).remembered?.name });
    }
  }
  return removals;
}

async function planFolder(
  { api }: SharingCaller,
  { text, id }: { readonly text: string; readonly id: string },
  recursive: boolean,
): Promise<Removal> {
  const folders = await listAllFolders(api);
  const folder = folders.find((one) => one.id === id.toLowerCase());
  if (!folder) throw folderNotFound();
  const folderIds = [...(recursive ? foldersBelow(folders, folder.id).map((one) => one.id) : []), folder.id];
  const lists = recursive ? await Promise.all(folderIds.map((folderId) => api.call("listFileIds", { folderId }))) : [];
  const [fileIds, linkedIds] = [lists.flatMap(({ ids }) => ids), lists.flatMap((list) => list.linkedIds)];
  return { kind: "folder", text, name: folder.name, fileIds, folderIds, linkedIds };
}

type LinkedFile = Pick<Output<"getFile">, "name" | "linkCount" | "links">;

/** The files in folders that have several links: the first of them, and the number of all. */
export interface LinkedFiles {
  readonly named: readonly LinkedFile[];
  readonly count: number;
}

/** Maximum number of files whose links are named before they are deleted. */
const MAX_NAMED = 3;

/** Reads the links that files in folders lose with their deletion. */
export async function readLostLinks({ api }: SharingCaller, removals: readonly Removal[]): Promise<LinkedFiles> {
  const ids = [...new Set(removals.flatMap((removal) => (removal.kind === "folder" ? removal.linkedIds : [])))];
  const named = await Promise.all(ids.slice(0, MAX_NAMED).map((fileId) => api.call("getFile", { fileId })));
  return { named, count: ids.length };
}

/** Deletes each in its own request. Rejects with an error that concerns all of them, such as an invalid key. */
export async function removeAll(caller: SharingCaller, removals: readonly Removal[], options: RemovalOptions): Promise<RemovalResult> {
  const deleted: string[] = [];
  const refused: RemovalRefusal[] = [];
  const linked: { readonly id: string; readonly links: number }[] = [];
  for (const removal of removals) {
    try {
      const { refused: [first] = [], remainingLinks: links = 0 } =
        removal.kind === "folder" ? await removeFolder(caller, removal, options) : await removeShare(caller, removal.text, options);
      if (first) refused.push({ ...first, id: removal.text });
      else deleted.push(removal.text);
      if (links > 0) linked.push({ id: removal.text, links });
    } catch (error) {
      if (!(error instanceof AppError) || !(error.status === 403 || error.status === 404 || error.status === 409)) throw error;
      refused.push({ id: removal.text, errorCode: error.code, error: error.message });
    }
  }
  return { deleted, refused, linked };
}

interface Removed {
  readonly refused?: readonly RemovalRefusal[];
  readonly remainingLinks?: number;
}

/** Deletes files with all their links before their folders, because a folder must be empty. */
async function removeFolder(
  { api }: SharingCaller,
  { fileIds, folderIds }: Extract<Removal, { kind: "folder" }>,
  { force }: RemovalOptions,
): Promise<Removed> {
  for (let start = 0; start < fileIds.length; start += FILES) {
    const { refused } = await api.call("deleteFiles", { fileIds: fileIds.slice(start, start + FILES), force, allLinks: true });
    if (refused.length > 0)
      return { refused: refused.map((one) => ({ ...one, errorCode: one.errorCode as ErrorCode, error: `${one.id}: ${one.error}` })) };
  }
  for (const id of folderIds) await api.call("deleteFolder", { id });
  return {};
}

async function removeShare(caller: SharingCaller, text: string, { token, force, allLinks }: RemovalOptions): Promise<Removed> {
  const { api } = caller;
  const { name, remembered } = await findNamedShare(caller, text);
  let remainingLinks = 0;
  const remove = async (fileId: string, own = remembered?.deletionToken): Promise<void> => {
    ({ remainingLinks } = await api.call("deleteFile", { fileId, token: token ?? own, force, allLinks }));
  };
  try {
    if (remembered?.unfinishedUpload) await removeUnfinished(api, remembered.unfinishedUpload, remove);
    else if ("fileId" in name) await remove(name.fileId);
    else if (remembered) await removeRemembered(remembered, remove);
    else await remove(await findDeletableId(caller, name.shortId));
  } catch (error) {
    if (remembered && isNotFound(error)) await forgetEnded(caller, remembered, name);
    throw error;
  }
  if (remembered) await forgetEnded(caller, remembered, name);
  return { remainingLinks };
}

/** Removes a whole shipment, which may have files that others added. A share of one file is removed by its file. */
async function removeRemembered({ shortId, fileIds }: AnonymousShare, remove: (id: string) => Promise<unknown>): Promise<void> {
  const [onlyFile, ...others] = fileIds;
  try {
    await remove(shortId);
  } catch (error) {
    if (!isNotFound(error) || onlyFile === undefined || others.length > 0) throw error;
    await remove(onlyFile);
  }
}

/** Aborts an upload. If the response to its completion was lost, deletes its file by the deletion token. */
async function removeUnfinished(
  api: SharingCaller["api"],
  upload: NonNullable<AnonymousShare["unfinishedUpload"]>,
  remove: (fileId: string, token?: string) => Promise<unknown>,
): Promise<void> {
  try {
    await api.call("abortMultipart", upload);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UPLOAD_CLOSED") throw error;
    const { id, deletionToken } = await api.call("completeMultipart", upload);
    await remove(id, deletionToken);
  }
}

/** Forgets a share that has ended. Any other share is remembered without the removed file, because only its tokens can remove the rest. */
async function forgetEnded({ api, shares }: SharingCaller, remembered: AnonymousShare, name: NamedShare["name"]): Promise<void> {
  const left = remembered.fileIds.filter((id) => !("fileId" in name) || id !== name.fileId);
  const hasEnded = await api.call("getShare", { shortId: remembered.shortId }).then(() => false, isNotFound);
  if (hasEnded) await shares.forget(remembered);
  else await shares.update(remembered, { fileIds: left });
}

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.code === "NOT_FOUND";

/** Finds the ID of the only file of a share, or the ID of a shipment. Returns the short ID of a share that has ended. */
async function findDeletableId({ api }: SharingCaller, shortId: string): Promise<string> {
  try {
    return (await api.call("getShare", { shortId })).id;
  } catch (error) {
    if (isNotFound(error)) return shortId;
    throw error;
  }
}
