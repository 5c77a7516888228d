import { AppError } from "../../errors.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { contract, type Output } from "../../service/contract.ts";
import { ClientError } from "../client-error.ts";
import { readAllPages } from "../server/read-pages.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { listAccountFiles } from "./list-account.ts";
import { isUuid } from "./subject.ts";

type Folder = Output<"listFolders">["data"][number];

/** A folder of the account, or its root with `id: null`. */
export interface FolderAtPath {
  readonly id: string | null;
  /** Names of folders with `/` between them; empty for the root. */
  readonly path: string;
}

const ROOT: FolderAtPath = { id: null, path: "" };

/** Lists every folder of the account. */
export const listAllFolders = (api: RemoteApi): Promise<readonly Folder[]> =>
  readAllPages((page) => api.call("listFolders", page).then(({ data, pagination }) => ({ items: data, pagination })));

/**
 * Finds a folder by its ID, or by its path, such as `Reports/2026`; `/` is the root. Undefined if the path has none. Throws CONFLICT if it has
 * several, and VALIDATION_FAILED for `..`.
 */
export async function findFolder(api: RemoteApi, text: string): Promise<FolderAtPath | undefined> {
  const names = readFolderPath(text);
  if (names.length === 0 && text !== "") return ROOT;
  const folders = await listAllFolders(api);
  if (isUuid(text)) {
    const found = folders.find(({ id }) => id === text.toLowerCase());
    return found && { id: found.id, path: pathOf(folders, found) };
  }
  return findByNames(folders, names);
}

/** Returns the names in a path. `.` names nothing. Throws VALIDATION_FAILED for `..`, because paths begin at the root. */
function readFolderPath(path: string): readonly string[] {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes(".."))
    throw new AppError("VALIDATION_FAILED", "A path cannot have .. in it. Write it from the root, such as Reports/2026.");
  return names;
}

/**
 * Returns the names in the path of a folder that may be created, as the server stores them. Throws VALIDATION_FAILED for a name that no folder can
 * have.
 */
export function readNewFolderPath(path: string): readonly string[] {
  return readFolderPath(path).map((name) => {
    const parsed = contract.createFolder.input.shape.name.safeParse(toSingleLine(name));
    if (parsed.success) return parsed.data;
    throw new AppError(
      "VALIDATION_FAILED",
      `"${toSingleLine(path) || path}" is not the path of a folder: each name in it has 1 to 200 characters.`,
    );
  });
}

/** Finds a file by its path, such as `Reports/2026/june.pdf`. Undefined if there is none. Throws CONFLICT if several have this path. */
export async function findFileAtPath(api: RemoteApi, path: string): Promise<string | undefined> {
  if (path.endsWith("/")) return undefined;
  const names = [...readFolderPath(path)];
  const name = names.pop();
  if (name === undefined) return undefined;
  const folder = names.length === 0 ? ROOT : await findFolder(api, names.join("/"));
  if (folder === undefined) return undefined;
  const { files } = await listAccountFiles(api, { folderId: folder.id ?? "null", search: name }, Number.POSITIVE_INFINITY);
  const [found, other] = files.filter((file) => file.name === name);
  if (found === undefined || other === undefined) return found?.id;
  throw new AppError("CONFLICT", `Several files have this path. Use the ID of one: ${found.id}, ${other.id}.`);
}

/** Finds a folder by the names of its path. Throws CONFLICT if there are several. */
function findByNames(folders: readonly Folder[], names: readonly string[]): FolderAtPath | undefined {
  let found: readonly (Folder | null)[] = [null];
  for (const name of names)
    found = found.flatMap((parent) => folders.filter((folder) => folder.name === name && folder.parent_id === (parent?.id ?? null)));
  const [first, second] = found;
  if (second != null)
    throw new AppError("CONFLICT", `Several folders have this path. Use the ID of one: ${found.map((folder) => folder?.id).join(", ")}.`);
  return first == null ? undefined : { id: first.id, path: names.join("/") };
}

/** Finds the folder that an ID or a path names. Throws NOT_FOUND, and the errors of `findFolder`. */
export async function getFolder(api: RemoteApi, text: string): Promise<FolderAtPath> {
  const found = await findFolder(api, text);
  if (found) return found;
  throw folderNotFound();
}

export interface EnsuredFolder extends FolderAtPath {
  /** Whether the last folder of the path was created. */
  readonly isNew: boolean;
}

/** Finds the folder that an ID or a path names, and creates missing folders of the path. Throws NOT_FOUND for an unknown ID. */
export async function ensureFolder(api: RemoteApi, text: string): Promise<EnsuredFolder> {
  if (isUuid(text)) return { ...(await getFolder(api, text)), isNew: false };
  const names = readNewFolderPath(text);
  if (names.length === 0 && text === "")
    throw new AppError("VALIDATION_FAILED", "A path has names of folders with / between them, such as Reports/2026.");
  const folders = names.length === 0 ? [] : await listAllFolders(api);
  let known = names.length;
  while (known > 0 && !findByNames(folders, names.slice(0, known))) known -= 1;
  let { id } = findByNames(folders, names.slice(0, known)) ?? ROOT;
  for (const name of names.slice(known)) ({ id } = await api.call("createFolder", { name, ...(id !== null && { parentId: id }) }));
  return { id, path: names.join("/"), isNew: known < names.length };
}

/** Returns the bytes of the files in a folder and in the folders below it. */
export const sizeWithBelow = (folders: readonly Folder[], { id, total_size: own = 0 }: Folder): number =>
  foldersBelow(folders, id).reduce((sum, { total_size: size = 0 }) => sum + size, own);

/** The deepest level, below every account's folders. It ends the loop if a server's folders contain themselves. */
const MAX_DEPTH = 64;

/** Lists the folders in a folder, at every depth. Each folder follows the folders that it contains. */
export function foldersBelow(folders: readonly Folder[], id: string, depth = 0): readonly Folder[] {
  if (depth > MAX_DEPTH) return [];
  return folders
    .filter(({ parent_id: parent }) => parent === id)
    .flatMap((folder) => [...foldersBelow(folders, folder.id, depth + 1), folder]);
}

function pathOf(folders: readonly Folder[], { name, parent_id: parentId }: Folder, depth = 0): string {
  const parent = depth > MAX_DEPTH ? undefined : folders.find(({ id }) => id === parentId);
  return parent ? `${pathOf(folders, parent, depth + 1)}/${name}` : name;
}

/** Creates the error for a path that names no folder and no file of the account. */
export const pathNotFound = (): ClientError =>
  new ClientError("NOT_FOUND", "Neither a share nor a folder or file of your account has this name.", {
    advice: [{ kind: "listFolders" }],
  });

/** Creates the error for a folder that is not in the account. */
export const folderNotFound = (): ClientError =>
  new ClientError("NOT_FOUND", "The folder was not found in your account.", { advice: [{ kind: "listFolders" }] });
