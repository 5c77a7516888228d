/** The list of the page: its folders, and the loaded part of its files. */

import {
  type Entry,
  type FilesListing,
  type FileView,
  type FolderView,
  type ListQuery,
  type NamedFolder,
  PAGE_SIZE,
} from "../file-views.ts";
import { isUnnamed } from "../shown-name.ts";
import { type ListPage, loadPage } from "./calls.ts";

export const idOf = (entry: Entry): string => (entry.kind === "file" ? entry.file.id : entry.folder.id);
export const entryName = (entry: Entry): string => (entry.kind === "file" ? entry.file.name : entry.folder.name);

export interface FilesStore {
  readonly query: ListQuery;
  readonly path: readonly NamedFolder[];
  readonly parents: ReadonlyMap<string, NamedFolder>;
  /** The number of entries, without hidden ones. */
  readonly count: number;
  /** The number of files and folders in the folder, or in the results of a search. */
  readonly total: number;
  readonly folders: readonly FolderView[];
  /** The number of folders, which are the first entries, without hidden ones. */
  readonly folderCount: number;
  /** Whether another list is being loaded. */
  readonly isLoading: boolean;
  /** Returns an entry; undefined until it is loaded. */
  at(index: number): Entry | undefined;
  /** Returns the index of a loaded entry; -1 if there is none. */
  indexOf(id: string): number;
  /** Loads these entries, which are about to become visible. */
  need(first: number, last: number): void;
  /** Shows another list. Rejects with an error whose message is a sentence. */
  show(query: ListQuery): Promise<void>;
  /** Loads the visible entries again. */
  refresh(): Promise<void>;
  /** Hides entries, also in lists that are loaded later. */
  hide(ids: readonly string[]): void;
  unhide(ids: readonly string[]): void;
  isHidden(id: string): boolean;
  /** Shows a change before it is in the server's list. */
  patch(id: string, change: Partial<FileView & FolderView>): void;
}

interface State {
  query: ListQuery;
  path: readonly NamedFolder[];
  parents: ReadonlyMap<string, NamedFolder>;
  folders: readonly FolderView[];
  /** The files in the order of the server. The array is sparse. */
  files: (FileView | undefined)[];
}

export function createStore(
  initial: { readonly query: ListQuery; readonly listing: FilesListing; readonly page: number; readonly hiddenIds: readonly string[] },
  onChange: () => void,
): FilesStore {
  let state = toState(initial.query, { ...initial.listing }, initial.page);
  const hidden = new Set(initial.hiddenIds);
  /** The positions of the visible entries; undefined if none is hidden. */
  let visible: Int32Array | undefined;
  let folderCount = state.folders.length;
  let isLoading = false;
  let generation = 0;
  const loading = new Set<number>();
  let seen = { first: 0, last: PAGE_SIZE };

  const positionOf = (index: number): number => (visible ? (visible[index] ?? -1) : index);
  const countAll = (): number => state.folders.length + state.files.length;
  const find = (position: number): Entry | undefined => {
    const folder = state.folders[position];
    if (folder) return { kind: "folder", folder };
    const file = state.files[position - state.folders.length];
    return file && { kind: "file", file };
  };

  function update(): void {
    if (hidden.size === 0) visible = undefined;
    else {
      const shown: number[] = [];
      for (let position = 0; position < countAll(); position += 1) {
        const entry = find(position);
        if (!entry || !hidden.has(idOf(entry))) shown.push(position);
      }
      visible = Int32Array.from(shown);
    }
    folderCount = state.folders.filter(({ id }) => !hidden.has(id)).length;
    onChange();
  }

  /** Returns the pages of the entries from `first` to `last`. */
  function pagesOf(first: number, last: number): number[] {
    const from = Math.max(0, positionOf(first) - state.folders.length);
    const lastPosition = positionOf(Math.min(last, (visible?.length ?? countAll()) - 1));
    const to = lastPosition - state.folders.length;
    const pages: number[] = [];
    for (let page = Math.floor(from / PAGE_SIZE); page * PAGE_SIZE <= to; page += 1) pages.push(page + 1);
    return pages;
  }

  async function load(page: number): Promise<void> {
    const own = generation;
    loading.add(page);
    try {
      put(await loadPage(state.query, page, false), page, own);
    } catch {
      // The rows of the page stay empty until they become visible again.
    } finally {
      if (own === generation) loading.delete(page);
    }
  }

  function put({ files, total, folders, path, parents }: ListPage, page: number, own: number): void {
    if (own !== generation) return;
    // Files were added or removed, so the loaded pages are outdated.
    if (total !== state.files.length) state.files = new Array<FileView | undefined>(total);
    for (const [index, file] of files.entries()) state.files[(page - 1) * PAGE_SIZE + index] = file;
    if (folders) state.folders = folders;
    if (path) state.path = path;
    if (parents) state.parents = new Map([...state.parents, ...parents.map((folder) => [folder.id, folder] as const)]);
    update();
    showNames(files);
  }

  /** Shows the names of encrypted files that this device has sent. */
  function showNames(files: readonly FileView[]): void {
    if (!files.some(isUnnamed)) return;
    void import("./learn-names.ts").then(async ({ learnNames }) => (await learnNames(files)) && onChange());
  }
  showNames(initial.listing.files);
  if (hidden.size > 0) update();

  return {
    get query() {
      return state.query;
    },
    get path() {
      return state.path;
    },
    get parents() {
      return state.parents;
    },
    get folders() {
      return state.folders;
    },
    get folderCount() {
      return folderCount;
    },
    get count() {
      return visible?.length ?? countAll();
    },
    get total() {
      return countAll();
    },
    get isLoading() {
      return isLoading;
    },
    at: (index) => find(positionOf(index)),
    indexOf(id) {
      const inFolders = state.folders.findIndex((folder) => folder.id === id);
      const position = inFolders >= 0 ? inFolders : state.folders.length + state.files.findIndex((file) => file?.id === id);
      if (position < state.folders.length && inFolders < 0) return -1;
      return visible ? visible.indexOf(position) : position;
    },
    need(first, last) {
      seen = { first, last };
      if (isLoading) return;
      for (const page of pagesOf(first, last)) {
        const start = (page - 1) * PAGE_SIZE;
        const isLoaded = state.files[start] !== undefined && state.files[Math.min(start + PAGE_SIZE, state.files.length) - 1] !== undefined;
        if (!isLoaded && start < state.files.length && !loading.has(page)) void load(page);
      }
    },
    async show(query) {
      const own = ++generation;
      loading.clear();
      isLoading = true;
      onChange();
      try {
        const page = await loadPage(query, 1, true);
        if (own !== generation) return;
        state = toState(query, { path: [], parents: [], folders: [], ...page }, 1);
        showNames(page.files);
        seen = { first: 0, last: PAGE_SIZE };
      } finally {
        if (own === generation) {
          isLoading = false;
          update();
        }
      }
    },
    async refresh() {
      const own = generation;
      const [first = 1, ...rest] = pagesOf(seen.first, seen.last);
      const loaded = await Promise.all([first, ...rest].map((page) => loadPage(state.query, page, page === first)));
      if (own !== generation) return;
      state.files = new Array<FileView | undefined>(loaded[0]?.total ?? 0);
      for (const [index, page] of loaded.entries()) put(page, [first, ...rest][index] ?? 1, own);
    },
    hide(ids) {
      for (const id of ids) hidden.add(id);
      update();
    },
    unhide(ids) {
      for (const id of ids) hidden.delete(id);
      update();
    },
    isHidden: (id) => hidden.has(id),
    patch(id, change) {
      state.folders = state.folders.map((folder) => (folder.id === id ? { ...folder, ...change } : folder));
      const index = state.files.findIndex((file) => file?.id === id);
      const file = state.files[index];
      if (file) state.files[index] = { ...file, ...change };
      update();
    },
  };
}

function toState(query: ListQuery, { folders, files, path, parents, total }: FilesListing, page: number): State {
  const sparse = new Array<FileView | undefined>(total);
  for (const [index, file] of files.entries()) sparse[(page - 1) * PAGE_SIZE + index] = file;
  return { query, path, parents: new Map(parents.map((folder) => [folder.id, folder])), folders, files: sparse };
}
