import type { Output } from "../../service/contract.ts";
import { ClientError } from "../client-error.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { type FolderAtPath, findFolder } from "./account-folders.ts";
import { findSubject } from "./find-subject.ts";
import { findNamedShare, type SharingCaller } from "./named-share.ts";
import { isUuid } from "./subject.ts";

export type MoveResult =
  | { readonly kind: "moved"; readonly folder: FolderAtPath; readonly files: number; readonly folders: number }
  | { readonly kind: "renamed"; readonly id: string; readonly name: string };

/**
 * Moves files and folders into the folder that `target` names. If there is no such folder, gives a single one the name `target`, and moves it if this
 * is a path. `/`, an ID and a path that ends with `/` always name a folder. Rejects with NOT_FOUND, VALIDATION_FAILED, and the server's errors.
 */
export async function move(caller: SharingCaller, texts: readonly string[], target: string): Promise<MoveResult> {
  const { api } = caller;
  const mustBeFolder = texts.length > 1 || target.endsWith("/") || isUuid(target);
  const folder = await findFolder(api, target);
  const { parent, name } = folder === undefined ? await splitTarget(api, target) : { parent: undefined, name: target };
  if (folder === undefined && (mustBeFolder || (parent === undefined && target.includes("/"))))
    throw new ClientError("NOT_FOUND", "The target folder was not found in your account.", { advice: [{ kind: "listFolders" }] });
  const named = await Promise.all([...new Set(texts)].map((text) => findMovable(caller, text)));
  const fileIds = named.flatMap((one) => one.fileIds);
  const folderIds = named.flatMap((one) => one.folderId ?? []);
  if (folder !== undefined) {
    const { files, folders } = await api.call("moveFiles", { fileIds, folderIds, folderId: folder.id });
    return { kind: "moved", folder, files, folders };
  }
  const [folderId] = folderIds;
  if (folderId !== undefined) {
    const changed = await api.call("changeFolder", { id: folderId, name, ...(parent && { parentId: parent.id }) });
    return { kind: "renamed", id: changed.id, name: changed.name };
  }
  const [fileId, ...others] = fileIds;
  if (fileId === undefined || others.length > 0)
    throw new ClientError("VALIDATION_FAILED", "A shipment of several files has no name of its own.", { advice: [{ kind: "giveTitle" }] });
  const changed = await api.call("changeFile", { fileId, name, ...(parent && { folderId: parent.id }) });
  return { kind: "renamed", id: changed.id, name: changed.name };
}

/** Splits a path into its folder and a new name. Without `/` it is only a name, and what gets it stays where it is. */
async function splitTarget(api: RemoteApi, target: string): Promise<{ readonly parent: FolderAtPath | undefined; readonly name: string }> {
  const slash = target.lastIndexOf("/");
  if (slash < 0) return { parent: undefined, name: target };
  return { parent: await findFolder(api, target.slice(0, slash) || "/"), name: target.slice(slash + 1) };
}

interface Movable {
  readonly fileIds: readonly string[];
  readonly folderId?: string;
}

/** Finds the files of a share, or a folder. */
async function findMovable(caller: SharingCaller, text: string): Promise<Movable> {
  const subject = await findSubject(caller, text);
  if (subject.kind === "folder") return { fileIds: [], folderId: subject.folderId };
  if (subject.kind === "file") return { fileIds: [subject.fileId] };
  const { name } = await findNamedShare(caller, text);
  if ("fileId" in name) return { fileIds: [name.fileId] };
  const share: Output<"getShare"> = await caller.api.call("getShare", name);
  return { fileIds: share.kind === "file" ? [share.id] : (share.files ?? []).map(({ id }) => id) };
}
