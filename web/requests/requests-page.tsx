/** @jsxImportSource preact */

import { formatSize } from "../../src/lib/text/format-size.ts";
import { EmptyState } from "../site/empty-state.tsx";
import { formatDate } from "../site/format.ts";
import { PlusIcon, UploadIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import { Done } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { Tabs } from "../site/tabs.tsx";
import type { FolderChoice } from "./folder-choice.ts";
import { REQUESTS_PATH, requestPath } from "./paths.ts";
import { RequestForm } from "./request-form.tsx";
import type { OwnRequest } from "./request-view.ts";

/** The lists, in the order of their tabs. */
export const REQUEST_LISTS = ["open", "ended"] as const;
type RequestList = (typeof REQUEST_LISTS)[number];

export interface RequestsPageProps {
  readonly list: RequestList;
  readonly requests: readonly OwnRequest[];
  /** The number of requests in each list of the account. */
  readonly counts: Readonly<Record<RequestList, number>>;
  readonly folders: readonly FolderChoice[];
  /** The number of the next page, if there is one. */
  readonly nextPage?: number | undefined;
  readonly done?: "deleted" | undefined;
  /** Whether the server accepts encrypted files. */
  readonly canEncrypt: boolean;
  /** Whether the form begins with encryption. */
  readonly isEncrypted?: boolean;
  /** The reason why a new request was refused. */
  readonly problem?: string | undefined;
}

/** Renders an account's requests, with the form for a new one. */
export function renderRequestsPage(page: PageContext, props: RequestsPageProps): string {
  const { list, requests, counts, folders, nextPage, done, canEncrypt, isEncrypted = false, problem } = props;
  const isFirst = counts.open + counts.ended === 0;
  const texts = page.texts.requests;
  return renderDocument(page, {
    title: texts.title,
    width: "medium",
    styles: ["dashboard", "requests"],
    scripts: canEncrypt ? ["page", "ownRequests"] : ["page"],
    main: { "data-state": "requests" },
    children: (
      <>
        <div class="heading">
          <h1>{texts.title}</h1>
          <p class="quiet">{texts.lead}</p>
        </div>
        {done === undefined ? null : <Done>{texts.done[done]}</Done>}
        <details class="card request-new" open={isFirst || problem !== undefined} id="new">
          <summary>
            <PlusIcon />
            <h2>{texts.create}</h2>
          </summary>
          <RequestForm
            page={page}
            action={REQUESTS_PATH}
            folders={folders}
            encryption={canEncrypt ? { isOn: isEncrypted } : undefined}
            problem={problem}
          />
        </details>
        {isFirst ? null : (
          <Tabs
            label={texts.title}
            tabs={REQUEST_LISTS.map((name) => ({
              href: listPath(name),
              text: texts.lists[name],
              count: counts[name].toLocaleString(page.language),
              isCurrent: name === list,
            }))}
          />
        )}
        {requests.length === 0 ? (
          <EmptyState icon={<UploadIcon />} title={isFirst ? texts.none : texts.empty[list]} />
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
                  <p class="quiet">{describeRequest(page, request)}</p>
                </div>
              </li>
            ))}
          </ul>
        )}
        {nextPage === undefined ? null : (
          <p class="choices">
            <a class="button small" href={listPath(list, nextPage)} rel="next">
              {texts.next}
            </a>
          </p>
        )}
      </>
    ),
  });
}

function listPath(list: RequestList, page = 1): string {
  const query = new URLSearchParams({ ...(list !== "open" && { state: list }), ...(page > 1 && { page: String(page) }) }).toString();
  return query === "" ? REQUESTS_PATH : `${REQUESTS_PATH}?${query}`;
}

/** Describes a request: `Open · 3 files, 2 MB · until 31 January 2030`. */
export function describeRequest(page: PageContext, request: OwnRequest): string {
  const { texts, language } = page;
  const { receivedFiles, receivedBytes, state, expiresAt } = request;
  const received =
    receivedFiles === 0
      ? texts.requests.nothing
      : texts.requests.received(texts.send.files(receivedFiles), formatSize(receivedBytes, language));
  const until = state === "open" ? [texts.requests.until(formatDate(Date.parse(expiresAt), page))] : [];
  return [texts.requests.states[state], received, ...until].join(" · ");
}
