/** @jsxImportSource preact */
import type { Output } from "../../src/service/contract.ts";
import { NOTICE_SETTINGS_PATH } from "../settings/paths.ts";
import { EmptyState } from "../site/empty-state.tsx";
import { formatDate, formatRelative } from "../site/format.ts";
import { BellIcon, ClockIcon, DownloadIcon, InboxIcon, SettingsIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { noticeSentence, type ToldNotice } from "./notice-text.ts";
import { NOTICES_PATH, noticePath } from "./paths.ts";

export type NoticeView = ToldNotice & Pick<Output<"listNotices">["notices"][number], "id" | "updatedAt" | "isRead">;

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
    width: "wide",
    styles: ["dashboard"],
    // A page that the browser restores is replaced if this text has changed.
    main: { "data-state": `notices ${unread} ${notices[0]?.updatedAt ?? ""}` },
    children: (
      <>
        <div class="notices-head">
          <h1>{texts.title}</h1>
          <div class="notices-tools">
            {unread === 0 ? null : (
              <form method="post" action={NOTICES_PATH}>
                <button class="button small" type="submit">
                  {texts.markRead}
                </button>
              </form>
            )}
            <a class="button small notices-settings" href={NOTICE_SETTINGS_PATH} title={texts.toSettings}>
              <SettingsIcon />
              <span class="unseen">{texts.toSettings}</span>
            </a>
          </div>
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
        {pageCount > 1 ? (
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
          </nav>
        ) : null}
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
      <p>
        <a href={noticePath(notice.id)}>
          {noticeSentence(texts, notice, {
            reader: page,
            show: (name, kind) => (kind === "sender" ? <bdi class="notice-sender">{name}</bdi> : <bdi class="notice-title">{name}</bdi>),
          })}
        </a>
        {notice.isRead ? null : <span class="tag">{texts.notices.unread}</span>}
      </p>
      <span class="when quiet" title={formatDate(updatedAtMs, page)}>
        {formatRelative(updatedAtMs, nowMs, language)}
      </span>
    </li>
  );
}

const toPath = (pageNumber: number): string => (pageNumber === 1 ? NOTICES_PATH : `${NOTICES_PATH}?page=${pageNumber}`);
