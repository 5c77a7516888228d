/** @jsxImportSource preact */

import type { LinkedRecipients } from "../../src/service/shares/contract.ts";
import { EmptyState } from "../site/empty-state.tsx";
import { ClockIcon, ShareIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import { Done } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { Tabs } from "../site/tabs.tsx";
import { SHARES_PATH } from "./paths.ts";
import { ShareCard } from "./share-item.tsx";
import type { OwnShare, RowThumbnail } from "./share-row.ts";

export type ShareList = "active" | "expiring" | "ended";

/** The lists, in the order of their tabs. */
export const SHARE_LISTS: readonly ShareList[] = ["active", "expiring", "ended"];

export interface SharesPageProps {
  readonly list: ShareList;
  readonly search: string;
  readonly shares: readonly OwnShare[];
  /** The thumbnails of shares, by short ID. */
  readonly thumbnails: ReadonlyMap<string, RowThumbnail>;
  /** Who has private links, by short ID. */
  readonly recipients: ReadonlyMap<string, LinkedRecipients>;
  /** The numbers of days to which a share can be extended, by short ID. */
  readonly extensions: ReadonlyMap<string, readonly number[]>;
  readonly nowMs: number;
  /** The cursor of the next page, if there is one. */
  readonly nextCursor: string | null;
  /** Whether this is not the first page. */
  readonly isLaterPage: boolean;
  /** The change by the last form. */
  readonly done?: "extended" | "closed" | "removed" | undefined;
  /** The numbers of shares in the lists, `MAX_TAB_COUNT` + 1 at most; undefined in a search. */
  readonly counts: Readonly<Record<ShareList, number>> | undefined;
}

/** The highest number of shares that a tab shows. */
export const MAX_TAB_COUNT = 999;

/** Renders one page of an account's shares. */
export function renderSharesPage(page: PageContext, props: SharesPageProps): string {
  const { texts } = page;
  const { list, search, shares, nextCursor, isLaterPage, done, counts } = props;
  return renderDocument(page, {
    title: texts.shares.title,
    width: "wide",
    styles: ["dashboard"],
    scripts: ["page", "shares"],
    main: { "data-state": `shares-${list}` },
    children: (
      <>
        <div class="shares-head">
          <h1>{texts.shares.title}</h1>
          <form class="shares-search" method="get" action={SHARES_PATH}>
            <input type="hidden" name="state" value={list} />
            <input
              type="search"
              name="q"
              value={search}
              maxLength={200}
              aria-label={texts.shares.search}
              placeholder={texts.shares.search}
            />
          </form>
        </div>
        <Tabs
          label={texts.shares.title}
          tabs={SHARE_LISTS.map((name) => ({
            href: listPath(name, search),
            text: texts.shares.lists[name],
            count: counts && toTabCount(counts[name]),
            isCurrent: name === list,
          }))}
        />
        {/* The script shows the shares of this device that can be claimed here. */}
        <div id="claim" />
        {done === undefined ? null : <Done>{texts.shares.done[done]}</Done>}
        <div id="share-list">
          {shares.length === 0 ? null : <Rows page={page} {...props} />}
          {/* Styles show it when the script has hidden or removed the last row. */}
          {shares.length > 0 && (nextCursor !== null || isLaterPage) ? null : <Empty page={page} {...props} />}
        </div>
        {nextCursor === null && !isLaterPage ? null : (
          <nav class="choices shares-pages" aria-label={texts.shares.pages}>
            {isLaterPage ? (
              <a class="button small" href={listPath(list, search)}>
                {texts.shares.firstPage}
              </a>
            ) : null}
            {nextCursor === null ? null : (
              <a class="button small" href={listPath(list, search, nextCursor)} rel="next">
                {texts.shares.nextPage}
              </a>
            )}
          </nav>
        )}
      </>
    ),
    aside: <div id="toasts" />,
  });
}

const toTabCount = (count: number): string => (count > MAX_TAB_COUNT ? `${MAX_TAB_COUNT}+` : String(count));

type PartProps = SharesPageProps & { readonly page: PageContext };

function Rows({ page, list, shares, thumbnails, recipients, extensions, nowMs }: PartProps) {
  return (
    <ul class="share-rows">
      {shares.map((share) => (
        <ShareCard
          key={share.shortId}
          page={page}
          share={share}
          nowMs={nowMs}
          thumbnail={thumbnails.get(share.shortId)}
          recipients={recipients.get(share.shortId)}
          extensions={extensions.get(share.shortId) ?? []}
          list={list}
        />
      ))}
    </ul>
  );
}

function Empty({ page: { texts }, list, search }: PartProps) {
  const text = search ? texts.shares.nothingFound : texts.shares.empty[list];
  return (
    <EmptyState icon={list === "active" ? <ShareIcon /> : <ClockIcon />} title={text}>
      {search ? (
        <a class="button plain" href={listPath(list, "")}>
          {texts.shares.clearSearch}
        </a>
      ) : list === "active" ? (
        <a class="button" href="/">
          {texts.shares.sendFirst}
        </a>
      ) : undefined}
    </EmptyState>
  );
}

function listPath(list: ShareList, search: string, cursor?: string): string {
  const query = new URLSearchParams({
    ...(list !== "active" && { state: list }),
    ...(search && { q: search }),
    ...(cursor && { cursor }),
  }).toString();
  return query === "" ? SHARES_PATH : `${SHARES_PATH}?${query}`;
}
