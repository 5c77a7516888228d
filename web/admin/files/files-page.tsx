/** @jsxImportSource preact */
import { ADMIN_FILE_STATES, type AdminFileView } from "../../../src/service/administration/files-contract.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { NextPages, renderAdmin } from "../admin-layout.tsx";
import { ADMIN_FILES_PATH } from "../paths.ts";
import { FileRow } from "./file-row.tsx";
import { SelectedFiles } from "./selected-files.tsx";

export const ADMIN_FILE_ORDERS = ["created-desc", "created-asc", "size-desc", "size-asc"] as const;

export interface FilesSearch {
  readonly q: string;
  readonly owner: string;
  readonly state: (typeof ADMIN_FILE_STATES)[number] | "";
  readonly sort: (typeof ADMIN_FILE_ORDERS)[number];
}

export interface AdminFilesPageProps {
  readonly files: readonly AdminFileView[];
  /** The thumbnails that anybody with the link sees, by the ID of the file. */
  readonly thumbnails: ReadonlyMap<string, { readonly url: string }>;
  readonly search: FilesSearch;
  readonly nextCursor: string | null;
  readonly isLaterPage: boolean;
  readonly nowMs: number;
  /** Whether the server has a malware scanner. */
  readonly canScan: boolean;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Renders one page of the files of all accounts. */
export function renderAdminFilesPage(page: PageContext, props: AdminFilesPageProps): string {
  const { moderation } = page.texts;
  const { files, search, nextCursor, isLaterPage, canScan, done, problem } = props;
  const path = listPath(search);
  return renderAdmin(page, {
    section: "files",
    done,
    problem,
    children: (
      <>
        <SearchForm page={page} search={search} />
        {files.length === 0 ? (
          <EmptyState title={moderation.noFiles} text={moderation.noFilesText} />
        ) : (
          <section class="account-files admin-files">
            <FileTable {...props} page={page} path={path} />
            <SelectedFiles texts={page.texts} files={files} path={path} canScan={canScan} />
          </section>
        )}
        <NextPages page={page} path={path} nextCursor={nextCursor} isLaterPage={isLaterPage} />
      </>
    ),
  });
}

const listPath = (search: FilesSearch): string => `${ADMIN_FILES_PATH}?${new URLSearchParams({ ...search })}`;

/** Renders the search. Choices that are rarely used are folded, unless one is in use. */
function SearchForm({ page: { texts }, search }: { readonly page: PageContext; readonly search: FilesSearch }) {
  const { moderation, admin } = texts;
  const hasMore = search.owner !== "" || search.sort !== ADMIN_FILE_ORDERS[0];
  return (
    <form class="file-search" method="get" action={ADMIN_FILES_PATH}>
      <input
        type="search"
        name="q"
        value={search.q}
        maxLength={300}
        aria-label={moderation.searchFiles}
        placeholder={moderation.searchFiles}
      />
      <select name="state" aria-label={moderation.state}>
        <option value="">{moderation.allStates}</option>
        {ADMIN_FILE_STATES.map((state) => (
          <option key={state} value={state} selected={state === search.state}>
            {moderation.states[state]}
          </option>
        ))}
      </select>
      <button class="button small" type="submit">
        {admin.find}
      </button>
      <details class="file-search-more" open={hasMore}>
        <summary>{moderation.moreSearch}</summary>
        <div class="file-search-fields">
          <label class="field">
            <span>{moderation.ownerField}</span>
            <input type="text" name="owner" value={search.owner} maxLength={254} autocomplete="off" />
          </label>
          <label class="field">
            <span>{moderation.sort}</span>
            <select name="sort">
              {ADMIN_FILE_ORDERS.map((sort) => (
                <option key={sort} value={sort} selected={sort === search.sort}>
                  {moderation.sorts[sort]}
                </option>
              ))}
            </select>
          </label>
        </div>
      </details>
    </form>
  );
}

/** The columns whose headings sort the list. */
const SORTED = ["size", "created"] as const;

/** Renders the files as the table of an account's own files, with their owners. */
function FileTable({ page, path, ...props }: AdminFilesPageProps & { readonly page: PageContext; readonly path: string }) {
  const { files: columns, moderation } = page.texts;
  const { files, thumbnails, search, nowMs, canScan } = props;
  return (
    <div role="table" class="files-list table" aria-label={moderation.files}>
      <div role="row" class="files-row files-head">
        <div role="columnheader" class="files-pick">
          <span class="unseen">{moderation.select}</span>
        </div>
        <div role="columnheader">{columns.columns.name}</div>
        <div role="columnheader" class="files-owner">
          {moderation.owner}
        </div>
        {SORTED.map((column) => {
          const [sorted, order] = search.sort.split("-");
          const isDescending = sorted === column && order === "desc";
          return (
            <div
              key={column}
              role="columnheader"
              class={column === "size" ? "files-size" : "files-date"}
              aria-sort={sorted === column ? (isDescending ? "descending" : "ascending") : undefined}
            >
              <a href={listPath({ ...search, sort: `${column}-${isDescending ? "asc" : "desc"}` })}>{columns.columns[column]}</a>
            </div>
          );
        })}
        <div role="columnheader" class="files-tools">
          <span class="unseen">{moderation.actions}</span>
        </div>
      </div>
      {files.map((file) => (
        <FileRow key={file.id} page={page} file={file} thumbnail={thumbnails.get(file.id)} path={path} nowMs={nowMs} canScan={canScan} />
      ))}
    </div>
  );
}
