/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { ADMIN_FILE_STATES, type AdminFileView } from "../../../src/service/administration/files-contract.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { FileName, FileTile } from "../../site/file-name.tsx";
import { visibleText } from "../../site/format.ts";
import { MoreIcon } from "../../site/icons.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Ago, Ask } from "../../site/panel.tsx";
import { FileStateTag, Owner } from "../admin-file.tsx";
import { NextPages, renderAdmin } from "../admin-layout.tsx";
import { BlockField, DecisionQuestion, PublicReasonField } from "../decision-form.tsx";
import { ADMIN_FILES_PATH } from "../paths.ts";
import { SELECTION, SelectedFiles } from "./selected-files.tsx";

export const ADMIN_FILE_ORDERS = ["created-desc", "created-asc", "size-desc", "size-asc"] as const;

export interface FilesSearch {
  readonly q: string;
  readonly owner: string;
  readonly state: (typeof ADMIN_FILE_STATES)[number] | "";
  readonly sort: (typeof ADMIN_FILE_ORDERS)[number];
}

export interface AdminFilesPageProps {
  readonly files: readonly AdminFileView[];
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
  const { files, search, nextCursor, isLaterPage, nowMs, canScan, done, problem } = props;
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
          <section class="card panel">
            <ul class="items">
              {files.map((file) => (
                <FileItem key={file.id} page={page} file={file} path={path} nowMs={nowMs} canScan={canScan} />
              ))}
            </ul>
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

interface ItemProps {
  readonly page: PageContext;
  readonly file: AdminFileView;
  readonly path: string;
  readonly nowMs: number;
  readonly canScan: boolean;
}

/** Returns the consequence of a takedown, with the other shares that the file is in. */
function takedownText(moderation: PageContext["texts"]["moderation"], { otherPlaces, otherPlaceCount }: AdminFileView): string {
  if (otherPlaceCount === 0) return moderation.takeDownFileText;
  const named = otherPlaces.map(({ shortId }) => shortId).join(", ");
  return `${moderation.takeDownFileText} ${moderation.takeDownOthers(otherPlaceCount, named)}`;
}

function FileItem({ page, file, path, nowMs, canScan }: ItemProps) {
  const { texts, language } = page;
  const { moderation } = texts;
  const about = visibleText(file.name);
  const isReady = file.status === "active" && !file.isUploading && file.scanStatus === "clean";
  return (
    <li class="item report-file">
      <label class="pick">
        <input type="checkbox" name="file" value={file.id} form={SELECTION} aria-label={`${moderation.select}: ${about}`} />
      </label>
      <FileTile name={file.name} />
      <div class="item-head">
        <p class="item-name">
          <FileName name={file.name} />
        </p>
        <p class="quiet">
          {formatSize(file.sizeBytes, language)} · <Ago page={page} time={file.createdAt} nowMs={nowMs} /> ·{" "}
          <Owner page={page} owner={file.owner} />
        </p>
        {isReady ? null : (
          <p>
            <FileStateTag texts={texts} file={file} />
          </p>
        )}
      </div>
      <FileActions texts={texts} file={file} path={path} canScan={canScan} />
    </li>
  );
}

/** Renders the actions of a file, folded behind one button, which also works without scripts. */
function FileActions({
  texts,
  file,
  path,
  canScan,
}: Pick<ItemProps, "file" | "path" | "canScan"> & { readonly texts: PageContext["texts"] }) {
  const { moderation } = texts;
  const about = visibleText(file.name);
  const isTakenDown = file.status === "dmca_removed";
  const canRescan = canScan && file.status === "active" && file.hasBytes;
  if (isTakenDown && !file.hasBytes) return null;
  return (
    <details class="file-actions" name="file-actions">
      <summary class="button small" aria-label={`${moderation.actions}: ${about}`}>
        <MoreIcon />
      </summary>
      <div class="asks">
        {canRescan ? (
          <Ask
            label={moderation.rescan}
            about={about}
            path={path}
            fields={{ action: "rescan", file: file.id }}
            text={moderation.rescanText}
            confirm={moderation.rescan}
          />
        ) : null}
        {isTakenDown ? (
          <Ask
            label={moderation.restore}
            about={about}
            path={path}
            fields={{ action: "restore", file: file.id }}
            text={moderation.restoreText}
            confirm={moderation.restore}
          />
        ) : (
          <DecisionQuestion
            texts={texts}
            label={moderation.takeDown}
            about={about}
            text={takedownText(moderation, file)}
            path={path}
            fields={{ action: "takedown", file: file.id }}
            tone="danger"
          >
            <PublicReasonField texts={texts} />
            <BlockField texts={texts} />
          </DecisionQuestion>
        )}
      </div>
    </details>
  );
}
