/** @jsxImportSource preact */

import { formatSize } from "../../src/lib/text/format-size.ts";
import { CopyLink } from "../site/copy-link.tsx";
import { EmptyState } from "../site/empty-state.tsx";
import { formatDate, formatDuration } from "../site/format.ts";
import { InboxIcon, PlusIcon } from "../site/icons.tsx";
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
  readonly nowMs: number;
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
  const { list, requests, counts, folders, nowMs, nextPage, done, canEncrypt, isEncrypted = false, problem } = props;
  const isFirst = counts.open + counts.ended === 0;
  const texts = page.texts.requests;
  const form = (
    <RequestForm
      page={page}
      action={REQUESTS_PATH}
      folders={folders}
      encryption={canEncrypt ? { isOn: isEncrypted } : undefined}
      back={isFirst ? undefined : listPath(list)}
      problem={problem}
    />
  );
  return renderDocument(page, {
    title: texts.title,
    width: "wide",
    styles: ["dashboard", "requests"],
    scripts: canEncrypt ? ["page", "ownRequests"] : ["page"],
    main: { "data-state": "requests" },
    children: (
      <>
        {done === undefined ? null : <Done>{texts.done[done]}</Done>}
        <div class="requests-top">
          <div class="heading">
            <h1>{texts.title}</h1>
            <p class="quiet">{texts.lead}</p>
          </div>
          {isFirst ? (
            <section class="card" aria-labelledby="first">
              <h2 id="first">{texts.first}</h2>
              {form}
            </section>
          ) : (
            <details class="request-new" open={problem !== undefined} id="new">
              <summary class="button">
                <PlusIcon />
                {texts.create}
              </summary>
              <section class="card" aria-label={texts.create}>
                {form}
              </section>
            </details>
          )}
        </div>
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
        {isFirst ? null : requests.length === 0 ? (
          <EmptyState icon={<InboxIcon />} title={texts.empty[list]} />
        ) : (
          <ul class="share-rows request-rows" id="requests">
            {requests.map((request) => (
              <Row key={request.id} page={page} request={request} nowMs={nowMs} />
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

interface RequestProps {
  readonly page: PageContext;
  readonly request: OwnRequest;
  readonly nowMs: number;
}

function Row({ page, request, nowMs }: RequestProps) {
  const { id, title, requestUrl, state } = request;
  return (
    <li>
      <span class={`request-mark ${state}`} aria-hidden="true">
        <InboxIcon />
      </span>
      <p class="name">
        <a href={requestPath(id)} dir="auto">
          {title}
        </a>
      </p>
      <p class="quiet">
        <RequestFacts page={page} request={request} nowMs={nowMs} />
      </p>
      {state === "open" ? (
        <div class="share-actions">
          <CopyLink id={`link-${id}`} url={requestUrl} label={page.texts.requests.copyLink} about={title} />
        </div>
      ) : null}
    </li>
  );
}

/** Renders what a request has received, and its state: `3 files, 2 MB · 30 days left`. */
export function RequestFacts({ page, request: { receivedFiles, receivedBytes, state, expiresAt }, nowMs }: RequestProps) {
  const { texts, language } = page;
  const received =
    receivedFiles === 0
      ? texts.requests.nothing
      : texts.requests.received(texts.send.files(receivedFiles), formatSize(receivedBytes, language));
  const expiresAtMs = Date.parse(expiresAt);
  return (
    <>
      {received}
      {" · "}
      {state === "open" ? (
        <span title={formatDate(expiresAtMs, page)}>{texts.requests.timeLeft(formatDuration(expiresAtMs - nowMs, language))}</span>
      ) : (
        texts.requests.states[state]
      )}
    </>
  );
}
