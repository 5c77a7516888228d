/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { fullName, toFolderName } from "../site/format.ts";
import { LIST_SORTS, toListQuery } from "./file-listing.ts";
import { Go, HiddenFields, type ShareProps, type ShipmentProps } from "./share-components.tsx";
import { hasHiddenName } from "./share-title.ts";
import { isReachableByUrl, listUrl, sharePath } from "./share-urls.ts";

/** The smallest number of files with tools above the list. */
const MIN_FILES_WITH_TOOLS = 12;

/** Renders the search, the order and the view above a list of many files. */
export function Tools({ page, share, totals }: ShipmentProps) {
  const { list: texts } = page.texts;
  const { listing } = share;
  if (totals.count < MIN_FILES_WITH_TOOLS) return null;
  const view = listing.shownView === "grid" ? "list" : "grid";
  // The server cannot find hidden names, and must not get what a reader searches among them: only the script uses this field.
  const form = share.files.some(hasHiddenName) ? undefined : "go";
  return (
    <div class="tools">
      <search class="search">
        <input
          form={form}
          type="search"
          name={form && "q"}
          id="search"
          value={listing.search}
          aria-label={texts.search}
          placeholder={texts.search}
          autocomplete="off"
        />
        {form === undefined ? null : (
          <button form={form} class="button small" type="submit">
            {texts.find}
          </button>
        )}
      </search>
      <select form="order" name="go" id="sort" aria-label={texts.sort}>
        {LIST_SORTS.map((sort) => (
          <option key={sort} value={toListQuery({ ...listing, page: 1, sort })} selected={listing.sort === sort}>
            {texts.sorts[sort]}
          </option>
        ))}
      </select>
      <button form="order" class="button small" type="submit">
        {texts.sort}
      </button>
      <Go share={share} change={{ view }} class="view">
        {texts.views[view]}
      </Go>
      {view === "grid" && share.files.some(({ isEncrypted }) => isEncrypted) ? (
        <template data-grid-view="">
          <Go share={share} change={{ view: "list" }} class="view">
            {texts.views.list}
          </Go>
        </template>
      ) : null}
    </div>
  );
}

/** Renders the forms of the fields and buttons that show another part of the list: `go` for the search and the buttons, `order` for the order. */
export function ListForms({ share }: Pick<ShareProps, "share">) {
  const { sort, view } = share.listing;
  return (
    <>
      <ListForm share={share} id="go">
        {sort === "name" ? null : <input type="hidden" name="sort" value={sort} />}
        {view === undefined ? null : <input type="hidden" name="view" value={view} />}
      </ListForm>
      {share.files.length < MIN_FILES_WITH_TOOLS ? null : <ListForm share={share} id="order" />}
    </>
  );
}

function ListForm({ share, id, children }: Pick<ShareProps, "share"> & { readonly id: string; readonly children?: ComponentChildren }) {
  const byUrl = isReachableByUrl(share.access);
  const action = byUrl
    ? (listUrl(share, { ...share.listing, folder: "", search: "", page: 1 }) ?? "").split("?", 1)[0]
    : sharePath(share, "/unlock");
  return (
    <form id={id} method={byUrl ? "get" : "post"} action={action} hidden>
      {byUrl ? null : <HiddenFields share={share} />}
      {byUrl && share.wait !== undefined ? <input type="hidden" name="ready" value={share.wait.token} /> : null}
      {children}
    </form>
  );
}

/** Renders the folders above the shown one; nothing at the top, where all files are. */
export function Path({ page, share }: ShareProps) {
  const { root, folder } = share.listing;
  const { list: texts } = page.texts;
  const rootName = root === "" ? texts.allFiles : toFolderName(root);
  if (folder === root) return null;
  const above = folder
    .slice(root.length)
    .split("/")
    .filter((name) => name !== "");
  const steps = above.map((name, index) => ({
    name: fullName(name),
    path: [root, ...above.slice(0, index + 1)].filter((part) => part !== "").join("/"),
  }));
  return (
    <nav class="path" aria-label={texts.path}>
      {[{ name: rootName, path: root }, ...steps].map(({ name, path }) => (
        <span key={path}>
          {path === folder ? (
            <bdi aria-current="location">{name}</bdi>
          ) : (
            <Go share={share} change={{ folder: path, search: "" }}>
              <bdi>{name}</bdi>
            </Go>
          )}
        </span>
      ))}
    </nav>
  );
}
