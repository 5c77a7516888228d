/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { ADMIN_FILE_STATES, type AdminFileView } from "../../../src/service/administration/files-contract.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { FileName, FileTile } from "../../site/file-name.tsx";
import { visibleText } from "../../site/format.ts";
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
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Renders one page of the files of all accounts. */
export function renderAdminFilesPage(page: PageContext, props: AdminFilesPageProps): string {
  const { moderation } = page.texts;
  const { files, search, nextCursor, isLaterPage, nowMs, done, problem } = props;
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
                <FileItem key={file.id} page={page} file={file} path={path} nowMs={nowMs} />
              ))}
            </ul>
            <SelectedFiles texts={page.texts} files={files} path={path} />
          </section>
        )}
        <NextPages page={page} path={path} nextCursor={nextCursor} isLaterPage={isLaterPage} />
      </>
    ),
  });
}

const listPath = (search: FilesSearch): string => `${ADMIN_FILES_PATH}?${new URLSearchParams({ ...search })}`;

function SearchForm({ page: { texts }, search }: { readonly page: PageContext; readonly search: FilesSearch }) {
  const { moderation, admin } = texts;
  return (
    <form class="card panel file-search" method="get" action={ADMIN_FILES_PATH}>
      <label class="field">
        <span>{moderation.searchFiles}</span>
        <input type="search" name="q" value={search.q} maxLength={300} />
      </label>
      <label class="field">
        <span>{moderation.ownerField}</span>
        <input type="text" name="owner" value={search.owner} maxLength={254} autocomplete="off" />
      </label>
      <label class="field">
        <span>{moderation.state}</span>
        <select name="state">
          <option value="">{moderation.allStates}</option>
          {ADMIN_FILE_STATES.map((state) => (
            <option key={state} value={state} selected={state === search.state}>
              {moderation.states[state]}
            </option>
          ))}
        </select>
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
      <button class="button small" type="submit">
        {admin.find}
      </button>
    </form>
  );
}

interface ItemProps {
  readonly page: PageContext;
  readonly file: AdminFileView;
  readonly path: string;
  readonly nowMs: number;
}

/** Returns the consequence of a takedown, with the other shares that the file is in. */
function takedownText(moderation: PageContext["texts"]["moderation"], { otherPlaces, otherPlaceCount }: AdminFileView): string {
  if (otherPlaceCount === 0) return moderation.takeDownFileText;
  const named = otherPlaces.map(({ shortId }) => shortId).join(", ");
  return `${moderation.takeDownFileText} ${moderation.takeDownOthers(otherPlaceCount, named)}`;
}

function FileItem({ page, file, path, nowMs }: ItemProps) {
  const { texts, language } = page;
  const { moderation } = texts;
  const about = visibleText(file.name);
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
        <p>
          <FileStateTag texts={texts} file={file} />
        </p>
      </div>
      <div class="asks">
        {file.status === "active" && file.hasBytes ? (
          <Ask
            label={moderation.rescan}
            about={about}
            path={path}
            fields={{ action: "rescan", file: file.id }}
            text={moderation.rescanText}
            confirm={moderation.rescan}
          />
        ) : null}
        {file.status === "dmca_removed" ? null : (
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
        {file.status === "dmca_removed" && file.hasBytes ? (
          <Ask
            label={moderation.restore}
            about={about}
            path={path}
            fields={{ action: "restore", file: file.id }}
            text={moderation.restoreText}
            confirm={moderation.restore}
          />
        ) : null}
      </div>
    </li>
  );
}
