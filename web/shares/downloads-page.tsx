/** @jsxImportSource preact */

import type { RecipientView } from "../../src/service/recipients/contract.ts";
import { formatShortDate } from "../files/short-date.ts";
import { describeRecipient } from "../recipients/describe-recipient.ts";
import { NOTICE_SETTINGS_PATH } from "../settings/paths.ts";
import { BackLink } from "../site/back-link.tsx";
import { CopyLink } from "../site/copy-link.tsx";
import { EmptyState } from "../site/empty-state.tsx";
import { FileName } from "../site/file-name.tsx";
import { counted, formatClock, formatDate, formatLongDay } from "../site/format.ts";
import { renderDocument } from "../site/layout.tsx";
import { describeShareNotices, NO_NOTICES, NotifySelect } from "../site/notify-select.tsx";
import { Done } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { describeFilesLeft, EndedActions } from "./ended-actions.tsx";
import { downloadsPath, ENDED_SHARES_PATH, SHARES_PATH } from "./paths.ts";
import { type OwnShare, toFilesName, toShareName } from "./share-row.ts";

export interface DownloadRow {
  readonly at: string;
  readonly route: string | null;
  readonly client: string | null;
  readonly files: number;
  readonly name: string;
}

export interface DownloadsPageProps {
  readonly share: OwnShare;
  readonly downloads: readonly DownloadRow[];
  /** The people to whom the share was sent by mail, whose downloads are known. */
  readonly recipients: readonly RecipientView[];
  /** Whether it can be sent to them again. */
  readonly canSend: boolean;
  readonly nextCursor: string | null;
  readonly nowMs: number;
  /** What a form has just done: the setting of notices is saved, or a mail is on the way. */
  readonly done?: "notify" | "sent" | undefined;
}

/** Renders a share's downloads by day, with their times and programs, and the recipients of its mails. Other recipients are not known. */
export function renderDownloadsPage(page: PageContext, props: DownloadsPageProps): string {
  const { share, downloads, recipients, nextCursor, done } = props;
  const { shortId } = share;
  const { shares, sendByMail } = page.texts;
  const name = toShareName(share, page.texts);
  const isOpen = share.state === "active";
  const facts = [
    ...(recipients.length === 0 ? [] : [shares.sentToPeople(recipients.length)]),
    share.maxDownloads === null
      ? counted(share.downloads, page.language, shares.download, shares.downloadMany)
      : shares.downloadsOf(share.downloads, share.maxDownloads),
  ];
  return renderDocument(page, {
    title: `${name} – ${shares.downloadsTitle}`,
    width: "wide",
    styles: ["dashboard"],
    scripts: ["page", "shares"],
    main: { "data-state": "share-downloads" },
    children: (
      <>
        {done === undefined ? null : <Done>{done === "notify" ? page.texts.notices.saved : sendByMail.accepted(1)}</Done>}
        <div class="downloads-head">
          <div class="heading">
            <BackLink path={isOpen ? SHARES_PATH : ENDED_SHARES_PATH} text={shares.title} />
            <h1>
              <FileName name={name} />
            </h1>
            <p class="quiet">{facts.join(" · ")}</p>
          </div>
          {isOpen ? (
            <div class="share-actions">
              <CopyLink id={`link-${shortId}`} url={share.shareUrl} label={shares.copy} about={name} />
              <a class="button small" href={share.sharePath}>
                {shares.open}
              </a>
            </div>
          ) : share.filesLeft === null ? null : (
            <EndedActions page={page} share={share} />
          )}
        </div>
        {share.filesLeft === null ? null : <p>{describeFilesLeft(page, share)}</p>}
        {recipients.length === 0 ? null : <Recipients page={page} {...props} />}
        {downloads.length === 0 ? <EmptyState title={shares.noDownloads} /> : <Days page={page} {...props} />}
        {nextCursor === null ? null : (
          <p>
            <a class="button small" href={`${downloadsPath(shortId)}?cursor=${nextCursor}`} rel="next">
              {shares.olderDownloads}
            </a>
          </p>
        )}
        <p class="quiet">{recipients.length === 0 ? shares.downloadsNote : shares.otherDownloadsNote}</p>
        {/* With scripts, the settings of the share have this choice too, and save it immediately. */}
        {isOpen ? (
          <noscript>
            <form class="card panel share-notify" method="post" action={downloadsPath(shortId)}>
              <label class="field" for="notify">
                {page.texts.notify.label}
                <NotifySelect texts={page.texts.notify} id="notify" notify={share.notify} describedBy="notify-effect" />
                <span class="quiet">
                  <span id="notify-effect">{describeShareNotices(page.texts.notify, page.person?.notices ?? NO_NOTICES)}</span>{" "}
                  <a href={NOTICE_SETTINGS_PATH}>{page.texts.notify.toSettings}</a>
                </span>
              </label>
              <button class="button small" type="submit">
                {page.texts.notices.save}
              </button>
            </form>
          </noscript>
        ) : null}
      </>
    ),
    aside: <div id="toasts" />,
  });
}

type PartProps<Field extends keyof DownloadsPageProps> = { readonly page: PageContext } & Pick<DownloadsPageProps, Field>;

function Recipients({ page, share, recipients, canSend, nowMs }: PartProps<"share" | "recipients" | "canSend" | "nowMs">) {
  const { sendByMail } = page.texts;
  return (
    <section class="downloads-part">
      <h2>{page.texts.shares.sentByMail}</h2>
      <ul class="downloads-rows">
        {recipients.map((recipient) => {
          const { text, at } = describeRecipient(sendByMail, recipient);
          return (
            <li key={recipient.id} class="downloads-row">
              <bdi>{recipient.address}</bdi>
              <span class="quiet" title={at === null ? undefined : formatDate(Date.parse(at), page)}>
                {at === null ? text : `${text} · ${formatShortDate(Date.parse(at), nowMs, page.language, page.timeZone)}`}
              </span>
              {canSend && recipient.state !== "waiting" && recipient.state !== "sending" ? (
                <form class="downloads-again" method="post" action={downloadsPath(share.shortId)} data-once="">
                  <button class="button small" type="submit" name="sendTo" value={recipient.address}>
                    {sendByMail.again}
                    <span class="unseen"> {recipient.address}</span>
                  </button>
                </form>
              ) : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Days({ page, share, downloads }: PartProps<"share" | "downloads">) {
  const days = Map.groupBy(downloads, ({ at }) => formatLongDay(Date.parse(at), page));
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section key={day} class="downloads-part">
          <h2>{day}</h2>
          <ol class="downloads-rows">
            {ofDay.map((download) => (
              <li key={download.at} class="downloads-row">
                {/* No `time` element, because the script would show the day too, which the heading has. */}
                <span class="downloads-clock" title={formatDate(Date.parse(download.at), page)}>
                  {formatClock(Date.parse(download.at), page)}
                </span>
                <span>
                  {toProgram(download, page)}
                  {share.kind === "shipment" ? <Files page={page} encrypted={share.encrypted} {...download} /> : null}
                </span>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

/** Names the file that was downloaded, or the number of files. */
const Files = ({ page, encrypted, files, name }: DownloadRow & Pick<OwnShare, "encrypted"> & { readonly page: PageContext }) => (
  <span class="quiet">
    {" · "}
    {files > 1 ? (
      counted(files, page.language, page.texts.shares.file, page.texts.shares.fileMany)
    ) : (
      <FileName name={toFilesName({ name, files, encrypted }, page.texts.shares)} />
    )}
  </span>
);

function toProgram({ client, route }: DownloadRow, { texts: { shares } }: PageContext): string {
  if (route === "curl") return "curl";
  return shares.clients[client === "browser" || client === "cli" || client === "bot" ? client : "other"];
}
