/** @jsxImportSource preact */

import { NOTICE_SETTINGS_PATH } from "../settings/paths.ts";
import { LocalTime } from "../share/share-components.tsx";
import { EmptyState } from "../site/empty-state.tsx";
import { FileName } from "../site/file-name.tsx";
import { counted } from "../site/format.ts";
import { renderDocument } from "../site/layout.tsx";
import { NotifySelect } from "../site/notify-select.tsx";
import { Done } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { downloadsPath, SHARES_PATH } from "./paths.ts";

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
  readonly nextCursor: string | null;
  /** Whether the share has several files, so that each row names the downloaded file. */
  readonly isShipment: boolean;
  /** The setting of notices for the owner; undefined if the share has ended. */
  readonly notify: boolean | null | undefined;
  /** Whether the form has just saved the setting. */
  readonly isSaved: boolean;
}

/** Renders the times and programs of a share's downloads. Recipients are not known. */
export function renderDownloadsPage(page: PageContext, props: DownloadsPageProps): string {
  const { shortId, name, downloads, nextCursor, isShipment, notify, isSaved } = props;
  const { shares } = page.texts;
  return renderDocument(page, {
    title: shares.downloadsTitle,
    width: "wide",
    styles: ["dashboard"],
    main: { "data-state": "share-downloads" },
    children: (
      <>
        <p>
          <a href={SHARES_PATH}>{shares.back}</a>
        </p>
        {isSaved ? <Done>{page.texts.notices.saved}</Done> : null}
        <div class="heading">
          <h1>{shares.downloadsTitle}</h1>
          <p class="quiet">
            <FileName name={name} />
          </p>
        </div>
        {downloads.length === 0 ? <EmptyState title={shares.noDownloads} /> : null}
        <ol class="timeline">
          {downloads.map((download) => (
            <li key={download.at}>
              <LocalTime timeMs={Date.parse(download.at)} page={page} />
              <span class="quiet">
                {shares.clients[toClient(download.client)]}
                {!isShipment ? null : download.files > 1 ? (
                  ` · ${counted(download.files, page.language, shares.file, shares.fileMany)}`
                ) : (
                  <>
                    {" · "}
                    <FileName name={download.name} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ol>
        {nextCursor === null ? null : (
          <p>
            <a class="button small" href={`${downloadsPath(shortId)}?cursor=${nextCursor}`} rel="next">
              {shares.olderDownloads}
            </a>
          </p>
        )}
        <p class="quiet">{shares.downloadsNote}</p>
        {notify === undefined ? null : (
          <form class="card panel share-notify" method="post" action={downloadsPath(shortId)}>
            <label class="field" for="notify">
              {page.texts.notify.label}
              <NotifySelect texts={page.texts.notify} id="notify" notify={notify} describedBy="notify-effect" />
              <span class="quiet" id="notify-effect">
                {page.texts.notify.effect} <a href={NOTICE_SETTINGS_PATH}>{page.texts.notices.toSettings}</a>
              </span>
            </label>
            <button class="button small" type="submit">
              {page.texts.notices.save}
            </button>
          </form>
        )}
      </>
    ),
  });
}

const toClient = (client: string | null): "browser" | "cli" | "bot" | "other" =>
  client === "browser" || client === "cli" || client === "bot" ? client : "other";
