import { commonFolder, pathInShare, withoutEmptySegments } from "../../src/lib/text/relative-path.ts";
import { toSearchText } from "../site/format.ts";
import { compareNaturally } from "../site/natural-order.ts";

/** The part of a shipment that a page shows. */
export interface ListRequest {
  /** The path of a folder; empty for all files. */
  readonly folder: string;
  /** A text that the paths of the shown files contain. */
  readonly search: string;
  readonly sort: ListSort;
  /** The view; undefined for a grid if more than half of the files are images. */
  readonly view: ListLayout | undefined;
  /** The number of the page, from 1. */
  readonly page: number;
}

export const LIST_SORTS = ["name", "size", "newest"] as const;
export type ListSort = (typeof LIST_SORTS)[number];
export const LIST_VIEWS = ["list", "grid"] as const;
export type ListLayout = (typeof LIST_VIEWS)[number];

export const WHOLE_SHIPMENT: ListRequest = { folder: "", search: "", sort: "name", view: undefined, page: 1 };

/** The fields of a file that the list reads. */
export interface Listable {
  readonly id: string;
  readonly name: string;
  /** The folders and the file's name; null outside folders. */
  readonly relativePath?: string | null;
  readonly sizeBytes: number | null;
  readonly contentType: string | null;
  readonly createdAtMs?: number;
}

export interface FileInList<T> {
  readonly file: T;
  /** The file's name; in the result of a search, its path below the shown folder. */
  readonly label: string;
}

export interface ListedFolder<T> {
  readonly path: string;
  readonly name: string;
  readonly files: readonly T[];
  /** The contents of the folder, in a small shipment. Otherwise they are loaded when the folder is opened. */
  readonly contents?: Pick<FileListing<T>, "folders" | "files">;
}

/** A page of folders and files. */
export interface FileListing<T> extends ListRequest {
  /** The folder that contains all files of the shipment; empty if there is none. */
  readonly root: string;
  readonly shownView: ListLayout;
  readonly folders: readonly ListedFolder<T>[];
  readonly files: readonly FileInList<T>[];
  /** The number of folders and files on all pages. */
  readonly count: number;
  readonly pageCount: number;
}

/** The number of folders and files on a page of a list, and in a part that scripts load. */
const PAGE_SIZE = 100;
/** The largest number of files for which the contents of folders are shown. */
const MAX_EXPANDED_FILES = 60;
const MIN_GRID_FILES = 2;

/** Lists the files of a folder: its folders first, then files, in natural order (`2` before `10`) or as requested. */
export function arrangeFiles<T extends Listable>(files: readonly T[], request: ListRequest): FileListing<T> {
  const items = files.map((file) => ({ file, path: pathInShare(file) }));
  const root = commonFolder(items.map(({ path }) => path));
  const requested = request.folder === "" ? [] : items.filter(({ path }) => path.startsWith(`${request.folder}/`));
  const folder = requested.length > 0 ? request.folder : root;
  const inFolder = requested.length > 0 ? requested : items;
  const search = toSearchText(request.search.trim());
  const { folders, files: listed } = search === "" ? group(inFolder, folder, request.sort) : find(inFolder, folder, search, request.sort);
  const count = folders.length + listed.length;
  const pageCount = Math.max(1, Math.ceil(count / PAGE_SIZE));
  const page = Math.min(Math.max(1, request.page), pageCount);
  const start = (page - 1) * PAGE_SIZE;
  const isSmall = files.length <= MAX_EXPANDED_FILES;
  return {
    ...request,
    root,
    folder,
    shownView: request.view ?? (areMostlyImages(files) ? "grid" : "list"),
    page,
    pageCount,
    count,
    folders: folders.slice(start, start + PAGE_SIZE).map((entry) => (isSmall ? expand(entry, request.sort) : entry)),
    files: listed.slice(Math.max(0, start - folders.length), Math.max(0, start + PAGE_SIZE - folders.length)),
  };
}

const areMostlyImages = (files: readonly Listable[]): boolean =>
  files.length >= MIN_GRID_FILES && files.filter(({ contentType }) => contentType?.startsWith("image/")).length > files.length / 2;

/** Replaces the files in a listing. */
export function mapListed<T>(listing: FileListing<T>, replace: (file: T) => T): FileListing<T> {
  return { ...listing, ...mapEntries(listing, replace) };
}

function mapEntries<T>({ folders, files }: Entries<T>, replace: (file: T) => T): Entries<T> {
  return {
    folders: folders.map((folder) =>
      folder.contents === undefined ? folder : { ...folder, contents: mapEntries(folder.contents, replace) },
    ),
    files: files.map((entry) => ({ ...entry, file: replace(entry.file) })),
  };
}

/** Lists the files in a listing, also those in open folders. */
export const listedFiles = <T>({ folders, files }: Entries<T>): readonly T[] => [
  ...files.map(({ file }) => file),
  ...folders.flatMap(({ contents }) => (contents === undefined ? [] : listedFiles(contents))),
];

interface Item<T> {
  readonly file: T;
  readonly path: string;
}

type Entries<T> = { readonly folders: readonly ListedFolder<T>[]; readonly files: readonly FileInList<T>[] };

function group<T extends Listable>(items: readonly Item<T>[], folder: string, sort: ListSort): Entries<T> {
  const start = folder === "" ? 0 : folder.length + 1;
  const folders = new Map<string, T[]>();
  const files: FileInList<T>[] = [];
  for (const { file, path } of items) {
    const end = path.indexOf("/", start);
    if (end < 0) files.push({ file, label: path.slice(start) || file.name });
    else {
      const name = path.slice(start, end);
      const known = folders.get(name);
      if (known === undefined) folders.set(name, [file]);
      else known.push(file);
    }
  }
  // A folder that contains only another folder is shown together with it: `a/b`.
  const listed = [...folders.values()].map((files) => {
    const path = commonFolder(files.map(pathInShare));
    return { path, name: path.slice(start), files };
  });
  return { folders: listed.toSorted((a, b) => compareNaturally(a.name, b.name)), files: sortFiles(files, sort) };
}

function expand<T extends Listable>(folder: ListedFolder<T>, sort: ListSort): ListedFolder<T> {
  const items = folder.files.map((file) => ({ file, path: pathInShare(file) }));
  const { folders, files } = group(items, folder.path, sort);
  return { ...folder, contents: { folders: folders.map((entry) => expand(entry, sort)), files } };
}

function find<T extends Listable>(items: readonly Item<T>[], folder: string, search: string, sort: ListSort): Entries<T> {
  const start = folder === "" ? 0 : folder.length + 1;
  const found = items
    .map(({ file, path }) => ({ file, label: path.slice(start) }))
    .filter(({ label }) => toSearchText(label).includes(search));
  return { folders: [], files: sortFiles(found, sort) };
}

const ORDERS: Readonly<Record<ListSort, (one: FileInList<Listable>, other: FileInList<Listable>) => number>> = {
  name: (one, other) => compareNaturally(one.label, other.label),
  size: (one, other) => (other.file.sizeBytes ?? -1) - (one.file.sizeBytes ?? -1) || compareNaturally(one.label, other.label),
  newest: (one, other) => (other.file.createdAtMs ?? 0) - (one.file.createdAtMs ?? 0) || compareNaturally(one.label, other.label),
};

const sortFiles = <T extends Listable>(files: readonly FileInList<T>[], sort: ListSort): readonly FileInList<T>[] =>
  files.toSorted(ORDERS[sort]);

/** Reads the query of a list's page. Unknown values become the default. */
export function readListRequest(fields: URLSearchParams): ListRequest {
  // The value of a form's button is a query.
  const query = fields.has("go") ? new URLSearchParams(fields.get("go") ?? "") : fields;
  return {
    folder: withoutEmptySegments(query.get("folder") ?? ""),
    search: query.get("q") ?? "",
    sort: LIST_SORTS.find((sort) => sort === query.get("sort")) ?? "name",
    view: LIST_VIEWS.find((view) => view === query.get("view")),
    page: Math.max(1, Math.trunc(Number(query.get("page"))) || 1),
  };
}

/** Returns the query of a list's page, without defaults; empty for the first page of the whole shipment. */
export function toListQuery({ folder, search, sort, view, page }: ListRequest): string {
  const fields = { folder, q: search, sort: sort === "name" ? "" : sort, view: view ?? "", page: page === 1 ? "" : String(page) };
  return new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
}
