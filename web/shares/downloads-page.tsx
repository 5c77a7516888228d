/** @jsxImportSource preact */

import type { RecipientView } from "../../src/service/recipients/contract.ts";
import { describeRecipient } from "../recipients/describe-recipient.ts";
import { NOTICE_SETTINGS_PATH } from "../settings/paths.ts";
import { BackLink } from "../site/back-link.tsx";
import { EmptyState } from "../site/empty-state.tsx";
import { FileName } from "../site/file-name.tsx";
import { counted, formatClock, formatDate, formatLongDay } from "../site/format.ts";
import { renderDocument } from "../site/layout.tsx";
import { NotifySelect } from "../site/notify-select.tsx";
import { Done } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { downloadsPath, SHARES_PATH } from "./paths.ts";
import { toFilesName } from "./share-row.ts";

export interface DownloadRow {
  readonly at: string;
  readonly route: string | null;
  readonly client: string | null;
  readonly files: number;
  readonly name: string;
}

export interface DownloadsPageProps {
  readonly shortId: string;
  readonly name: string;
  readonly downloads: readonly DownloadRow[];
  /** The people to whom the share was sent by mail, whose downloads are known. */
  readonly recipients: readonly RecipientView[];
  readonly nextCursor: string | null;
  /** Whether the share has several files, so that each row names the downloaded file. */
  readonly isShipment: boolean;
  /** The setting of notices for the owner; undefined if the share has ended. */
  readonly notify: boolean | null | undefined;
  /** Whether the form has just saved the setting. */
  readonly isSaved: boolean;
}

/** Renders a share's downloads by day, with their times and programs, and the recipients of its mails. Other recipients are not known. */
export function renderDownloadsPage(page: PageContext, props: DownloadsPageProps): string {
  const { shortId, name, downloads, recipients, nextCursor, notify, isSaved } = props;
  const { shares } = page.texts;
  return renderDocument(page, {
    title: shares.downloadsTitle,
    width: "wide",
    styles: ["dashboard"],
    main: { "data-state": "share-downloads" },
    children: (
      <>
        {isSaved ? <Done>{page.texts.notices.saved}</Done> : null}
        <div class="heading">
          <BackLink path={SHARES_PATH} text={shares.title} />
          <h1>{shares.downloadsTitle}</h1>
          <p class="quiet">
            <FileName name={name} />
          </p>
        </div>
        {recipients.length === 0 ? null : <Recipients page={page} recipients={recipients} />}
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
        {notify === undefined ? null : (
          <noscript>
            <form class="card panel share-notify" method="post" action={downloadsPath(shortId)}>
              <label class="field" for="notify">
                {page.texts.notify.label}
                <NotifySelect texts={page.texts.notify} id="notify" notify={notify} describedBy="notify-effect" />
                <span class="quiet">
                  <span id="notify-effect">{page.texts.notify.effect}</span>{" "}
                  <a href={NOTICE_SETTINGS_PATH}>{page.texts.notify.toSettings}</a>
                </span>
              </label>
              <button class="button small" type="submit">
                {page.texts.notices.save}
              </button>
            </form>
          </noscript>
        )}
      </>
    ),
  });
}

type PartProps<Field extends keyof DownloadsPageProps> = { readonly page: PageContext } & Pick<DownloadsPageProps, Field>;

function Recipients({ page, recipients }: PartProps<"recipients">) {
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
              <span class="quiet">{at === null ? text : `${text} · ${formatDate(Date.parse(at), page)}`}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Days({ page, downloads, isShipment }: PartProps<"downloads" | "isShipment">) {
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
                  {isShipment ? <Files page={page} {...download} /> : null}
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
const Files = ({ page, files, name }: DownloadRow & { readonly page: PageContext }) => (
  <span class="quiet">
    {" · "}
    {files > 1 ? (
      counted(files, page.language, page.texts.shares.file, page.texts.shares.fileMany)
    ) : (
      <FileName name={toFilesName({ name, files }, page.texts.shares)} />
    )}
  </span>
);

function toProgram({ client, route }: DownloadRow, { texts: { shares } }: PageContext): string {
  if (route === "curl") return "curl";
  return shares.clients[client === "browser" || client === "cli" || client === "bot" ? client : "other"];
}
