import type { Input, Output } from "../../src/service/contract.ts";

/** The fields of a file that pages show to its owner (listing, "Files"). */
export type FileView = Pick<
  Output<"getFile">,
  | "id"
  | "shortId"
  | "shareUrl"
  | "sharePath"
  | "name"
  | "size"
  | "mimeType"
  | "encrypted"
  | "createdAt"
  | "expiresAt"
  | "scanStatus"
  | "failureReason"
  | "isBlocklisted"
  | "status"
  | "folderId"
  | "visibility"
  | "unlockRequired"
  | "immutable"
  | "thumbnailUrl"
  | "runId"
  | "linkCount"
> & {
  /** The oldest links, if there is one beside that of the file itself. */
  readonly links: readonly FileLink[];
};

/** Returns whether a file has a link beside that of the place that `id` names, which its deletion would end too. */
export const hasOtherLinks = ({ id, links }: Pick<FileView, "id"> & { readonly links: readonly Pick<FileLink, "id">[] }): boolean =>
  links.some((link) => link.id !== id);

/** A link of a file, without its settings. */
export type FileLink = Pick<Output<"getFile">["links"][number], "id" | "shareUrl" | "sharePath" | "title">;

export type FolderView = Output<"listFolders">["data"][number];

export interface NamedFolder {
  readonly id: string;
  readonly name: string;
}

/** The query of a list: its folder, search and order. */
export interface ListQuery {
  /** The ID of the folder; null for files without a folder. A search covers the whole account. */
  readonly folderId: string | null;
  readonly search: string;
  readonly sort: FileSort;
  readonly order: "asc" | "desc";
}

const FILE_SORTS = ["name", "state", "size", "created"] as const satisfies readonly Input<"listFiles">["sort"][];
export type FileSort = (typeof FILE_SORTS)[number];
/** The columns, in their order. A state is beside the name. */
export const FILE_COLUMNS = ["name", "size", "created"] as const satisfies readonly FileSort[];
export const FILE_VIEWS = ["table", "grid"] as const;
export type FilesView = (typeof FILE_VIEWS)[number];

/** The cookie that remembers the view on a device. */
export const VIEW_COOKIE = "files-view";

/** The number of files that a page loads together. */
export const PAGE_SIZE = 100;

/** The loaded part of a list. */
export interface FilesListing {
  readonly folders: readonly FolderView[];
  readonly files: readonly FileView[];
  /** The folders from the root to the shown one. */
  readonly path: readonly NamedFolder[];
  /** The folders of a search's results. */
  readonly parents: readonly NamedFolder[];
  /** The number of files on all pages. */
  readonly total: number;
}

export type Entry = { readonly kind: "folder"; readonly folder: FolderView } | { readonly kind: "file"; readonly file: FileView };

export const FILES_PATH = "/files";
export const folderPath = (folderId: string | null): string =>
  folderId === null ? FILES_PATH : `${FILES_PATH}/${encodeURIComponent(folderId)}`;
/**
 * Returns the path that redirects to the file's signed URL. The page does not contain the URL, because it is compressed (pages, "Pages are
 * compressed, secrets are not").
 */
export const downloadPath = (fileId: string): string => `${FILES_PATH}/get/${encodeURIComponent(fileId)}`;
/** Returns the path that redirects to the list of the file's folder, beside which the script shows the file. */
export const detailsPath = (fileId: string): string => `${FILES_PATH}/details/${encodeURIComponent(fileId)}`;
export const RUNS_PATH = `${FILES_PATH}/runs`;

const DEFAULT_ORDER: Readonly<Record<FileSort, ListQuery["order"]>> = { name: "asc", state: "asc", size: "desc", created: "desc" };

/** Returns the query after a press on a column: sorted by the column, or in the other direction. */
export const sortedBy = (query: ListQuery, sort: FileSort): ListQuery => ({
  ...query,
  sort,
  order: query.sort !== sort ? DEFAULT_ORDER[sort] : query.order === "asc" ? "desc" : "asc",
});

/** Returns the column by which a list is sorted without a choice: a folder by name, because its files were often sent together. */
const defaultSort = (folderId: string | null): FileSort => (folderId === null ? "created" : "name");

/** Returns the query of another folder. An order that was chosen stays. */
export function inFolder(query: ListQuery, folderId: string | null): ListQuery {
  const own = defaultSort(query.folderId);
  const isChosen = query.sort !== own || query.order !== DEFAULT_ORDER[own];
  const sort = defaultSort(folderId);
  return { ...query, folderId, search: "", ...(!isChosen && { sort, order: DEFAULT_ORDER[sort] }) };
}

export function readListQuery(folderId: string | null, fields: URLSearchParams): ListQuery {
  const sort = FILE_SORTS.find((name) => name === fields.get("sort")) ?? defaultSort(folderId);
  const order = fields.get("order");
  return {
    folderId,
    search: (fields.get("q") ?? "").trim().slice(0, 200),
    sort,
    order: order === "asc" || order === "desc" ? order : DEFAULT_ORDER[sort],
  };
}

/** Returns the path and query of a list's page. */
export function filesListPath({ folderId, search, sort, order }: ListQuery, page = 1): string {
  const fields = {
    q: search,
    sort: sort === defaultSort(folderId) ? "" : sort,
    order: order === DEFAULT_ORDER[sort] ? "" : order,
    page: page === 1 ? "" : String(page),
  };
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
  const path = folderPath(folderId);
  return query === "" ? path : `${path}?${query}`;
}

const SHOWN_FIELD = "file";

/** Returns the path of a folder's list, with a file that the script shows. */
export const shownFilePath = (folderId: string | null, fileId: string): string =>
  `${folderPath(folderId)}?${new URLSearchParams({ [SHOWN_FIELD]: fileId })}`;

export const readShownFile = (fields: URLSearchParams): string | undefined => fields.get(SHOWN_FIELD) ?? undefined;

/** Returns the fields of `GET /files/list` for a query. */
export const toListInput = ({ folderId, search, sort, order }: ListQuery): Readonly<Record<string, string>> =>
  search === "" ? { folderId: folderId ?? "null", sort, order } : { search, sort, order };
