/** @jsxImportSource preact */
import type { Output } from "../../src/service/contract.ts";
import { NOTICE_SETTINGS_PATH } from "../settings/paths.ts";
import { EmptyState } from "../site/empty-state.tsx";
import { formatDate, formatRelative } from "../site/format.ts";
import { BellIcon, ClockIcon, DownloadIcon, InboxIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { noticeText, type ToldNotice } from "./notice-text.ts";
import { NOTICES_PATH, noticePath } from "./paths.ts";

export type NoticeView = ToldNotice & Pick<Output<"listNotices">["notices"][number], "id" | "title" | "updatedAt" | "isRead">;

export interface NoticesPageProps {
  readonly notices: readonly NoticeView[];
  readonly unread: number;
  readonly pageNumber: number;
  readonly pageCount: number;
  readonly nowMs: number;
}

const ICONS = { downloaded: DownloadIcon, arrived: InboxIcon, expiring: ClockIcon } as const;

/** Renders the notices of the account, newest first. */
export function renderNoticesPage(page: PageContext, props: NoticesPageProps): string {
  const texts = page.texts.notices;
  const { notices, unread, pageNumber, pageCount, nowMs } = props;
  return renderDocument(page, {
    title: texts.title,
    width: "medium",
    styles: ["dashboard"],
    // A page that the browser restores is replaced if this text has changed.
    main: { "data-state": `notices ${unread} ${notices[0]?.updatedAt ?? ""}` },
    children: (
      <>
        <div class="notices-head">
          <h1>{texts.title}</h1>
          {unread === 0 ? null : (
            <form method="post" action={NOTICES_PATH}>
              <button class="button small" type="submit">
                {texts.markRead}
              </button>
            </form>
          )}
        </div>
        {notices.length === 0 ? (
          <EmptyState icon={<BellIcon />} title={texts.empty} text={texts.emptyText} />
        ) : (
          <ul class="notices">
            {notices.map((notice) => (
              <NoticeItem key={notice.id} page={page} notice={notice} nowMs={nowMs} />
            ))}
          </ul>
        )}
        <nav class="notices-foot" aria-label={texts.title}>
          {pageNumber > 1 ? (
            <a class="button small" href={toPath(pageNumber - 1)} rel="prev">
              {texts.newerPage}
            </a>
          ) : null}
          {pageNumber < pageCount ? (
            <a class="button small" href={toPath(pageNumber + 1)} rel="next">
              {texts.olderPage}
            </a>
          ) : null}
          <a class="button plain small" href={NOTICE_SETTINGS_PATH}>
            {texts.choose}
          </a>
        </nav>
      </>
    ),
  });
}

interface NoticeItemProps {
  readonly page: PageContext;
  readonly notice: NoticeView;
  readonly nowMs: number;
}

function NoticeItem({ page, notice, nowMs }: NoticeItemProps) {
  const { texts, language } = page;
  const KindIcon = ICONS[notice.kind];
  const updatedAtMs = Date.parse(notice.updatedAt);
  return (
    <li class={notice.isRead ? "notice" : "notice new"}>
      <KindIcon />
      <a href={noticePath(notice.id)}>
        <bdi>{notice.title}</bdi>
      </a>
      <p>
        {noticeText(texts.notices, notice, page)}
        {notice.isRead ? null : <span class="tag">{texts.notices.unread}</span>}
      </p>
      <span class="when quiet" title={formatDate(updatedAtMs, page)}>
        {formatRelative(updatedAtMs, nowMs, language)}
      </span>
    </li>
  );
}

const toPath = (pageNumber: number): string => (pageNumber === 1 ? NOTICES_PATH : `${NOTICES_PATH}?page=${pageNumber}`);
