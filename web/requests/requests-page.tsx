/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/format-size.ts";
import { formatDate } from "../format.ts";
import { UploadIcon } from "../icons.tsx";
import { renderDocument } from "../layout.tsx";
import type { PageContext } from "../page-context.ts";
import { REQUESTS_PATH, requestPath } from "./paths.ts";
import { RequestForm } from "./request-form.tsx";
import type { FolderChoice, OwnRequest } from "./request-view.ts";

export interface RequestsPageProps {
  readonly requests: readonly OwnRequest[];
  readonly folders: readonly FolderChoice[];
  /** The number of the next page, if there is one. */
  readonly nextPage?: number | undefined;
  readonly done?: "deleted" | undefined;
  /** Why a new request was refused. */
  readonly problem?: string | undefined;
}

/** Renders an account's requests, with the form for a new one. */
export function renderRequestsPage(page: PageContext, { requests, folders, nextPage, done, problem }: RequestsPageProps): string {
  const texts = page.texts.requests;
  return renderDocument(page, {
    title: texts.title,
    width: "medium",
    styles: ["dashboard", "requests"],
    main: { "data-state": "requests" },
    children: (
      <>
        <div class="heading">
          <h1>{texts.title}</h1>
          <p class="quiet">{texts.lead}</p>
        </div>
        {done === undefined ? null : <p role="status">{texts.done[done]}</p>}
        <details class="card" open={requests.length === 0 || problem !== undefined} id="new">
          <summary>
            <h2>{texts.create}</h2>
          </summary>
          <RequestForm texts={texts} optional={page.texts.send.optional} action={REQUESTS_PATH} folders={folders} problem={problem} />
        </details>
        {requests.length === 0 ? (
          <p class="quiet request-note">{texts.none}</p>
        ) : (
          <ul class="card files" id="requests">
            {requests.map((request) => (
              <li key={request.id}>
                <span class={`request-mark ${request.state}`} aria-hidden="true">
                  <UploadIcon />
                </span>
                <div class="what">
                  <p class="name">
                    <a href={requestPath(request.id)}>{request.title}</a>
                  </p>
                  <p class="quiet">{describe(page, request)}</p>
                </div>
              </li>
            ))}
          </ul>
        )}
        {nextPage === undefined ? null : (
          <p class="choices">
            <a class="button small" href={`${REQUESTS_PATH}?page=${nextPage}`} rel="next">
              {texts.next}
            </a>
          </p>
        )}
      </>
    ),
  });
}

/** `Open · 3 files, 2 MB · until 31 January 2030`. */
export function describe({ texts, language }: PageContext, request: OwnRequest): string {
  const { receivedFiles, receivedBytes, state, expiresAt } = request;
  const received =
    receivedFiles === 0
      ? texts.requests.nothing
      : texts.requests.received(texts.send.files(receivedFiles), formatSize(receivedBytes, language));
  const until = state === "open" ? [texts.requests.until(formatDate(Date.parse(expiresAt), language))] : [];
  return [texts.requests.states[state], received, ...until].join(" · ");
}
