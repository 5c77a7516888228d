/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { FileName, FileTile } from "../site/file-name.tsx";
import { counted, formatDate, formatRelative } from "../site/format.ts";
import { BlockedIcon, CheckIcon, ClockIcon, RemovedIcon, UsedUpIcon, WaitIcon } from "../site/icons.tsx";
import type { PageContext } from "../site/page-context.ts";
import { closePath, downloadsPath, EXTEND_PATH } from "./paths.ts";
import { isUnfinished, type OwnShare, type RowState, type RowThumbnail, toneOfState, toRowState, toShareName } from "./share-row.ts";

export interface ShareItemProps {
  readonly page: PageContext;
  readonly share: OwnShare;
  readonly nowMs: number;
  readonly thumbnail: RowThumbnail | undefined;
  /** The numbers of days to which the share can be extended. */
  readonly extensions: readonly number[];
  /** The path of the list to which the forms return. */
  readonly list: string;
}

/** Renders one share in its owner's list: its contents, its state, and its actions. */
export function ShareCard({ page, share, nowMs, thumbnail, extensions, list }: ShareItemProps) {
  const { shares } = page.texts;
  const name = toShareName(share, page.texts);
  const isOpen = share.state === "active";
  const facts = [
    share.files > 0 ? formatSize(share.size, page.language) : "",
    share.files > 1 ? counted(share.files, page.language, shares.file, shares.fileMany) : "",
    share.unlockRequired ? shares.withCode : "",
    share.visibility === "public" ? shares.public : "",
    share.otherLinks > 0 ? shares.alsoIn(share.otherLinks) : "",
  ].filter(Boolean);
  return (
    <li
      id={`share-${share.shortId}`}
      data-share={share.shortId}
      data-other-links={share.otherLinks}
      data-sealed={share.name?.endsWith(".age") ? "" : undefined}
    >
      <RowImage name={share.name ?? ""} thumbnail={thumbnail} />
      <div class="share-what">
        <p class="name">
          {isOpen ? (
            <a href={share.sharePath}>
              <FileName name={name} />
            </a>
          ) : (
            <FileName name={name} />
          )}
        </p>
        <p class="quiet">{facts.join(" · ")}</p>
      </div>
      <div class="share-state">
        <StateLine page={page} state={toRowState(share)} />
        <p class="quiet">
          <When page={page} share={share} nowMs={nowMs} />
        </p>
      </div>
      <p class="share-downloads">
        <a href={downloadsPath(share.shortId)}>
          {share.maxDownloads === null
            ? counted(share.downloads, page.language, shares.download, shares.downloadMany)
            : shares.downloadsOf(share.downloads, share.maxDownloads)}
          <span class="unseen"> {name}</span>
        </a>
      </p>
      <div class="share-actions">
        {isOpen ? (
          <>
            <span id={`link-${share.shortId}`} hidden>
              {share.shareUrl}
            </span>
            <button class="button small" type="button" data-copy={`link-${share.shortId}`} hidden>
              {shares.copy}
              <span class="unseen"> {name}</span>
            </button>
            <a class="button small" href={`${share.sharePath}#edit`}>
              {shares.edit}
              <span class="unseen"> {name}</span>
            </a>
            {extensions.length === 0 ? null : (
              <details class="menu-opener" id={`extend-${share.shortId}`}>
                <summary class="button small">
                  {shares.extend}
                  <span class="unseen"> {name}</span>
                </summary>
                <form class="menu" method="post" action={EXTEND_PATH} data-extend={share.expiresAt ?? ""}>
                  <input type="hidden" name="shortId" value={share.shortId} />
                  <input type="hidden" name="list" value={list} />
                  <p class="menu-title">{shares.extendTo}</p>
                  {extensions.map((days) => (
                    <button key={days} class="menu-item" type="submit" name="days" value={days}>
                      {counted(days, page.language, shares.day, shares.dayMany)}
                    </button>
                  ))}
                </form>
              </details>
            )}
            {share.immutable || isUnfinished(share) ? null : (
              <a class="button small" href={closePath(share.shortId)} data-close="">
                {shares.close}
                <span class="unseen"> {name}</span>
              </a>
            )}
          </>
        ) : null}
      </div>
    </li>
  );
}

/** Renders the thumbnail of a share in a list, otherwise the tile of its first file. */
export function RowImage({ name, thumbnail }: { readonly name: string; readonly thumbnail: RowThumbnail | undefined }) {
  if (thumbnail === undefined) return <FileTile name={name} />;
  return <img class="thumbnail" src={thumbnail.url} width={thumbnail.width} height={thumbnail.height} alt="" loading="lazy" />;
}

const ICONS: Readonly<Record<RowState, typeof CheckIcon>> = {
  uploading: WaitIcon,
  scanning: WaitIcon,
  blocked: BlockedIcon,
  active: CheckIcon,
  expired: ClockIcon,
  used_up: UsedUpIcon,
  taken_down: RemovedIcon,
};

function StateLine({ page, state }: { readonly page: PageContext; readonly state: RowState }) {
  const StateIcon = ICONS[state];
  return (
    <p class={`share-tone ${toneOfState(state)}`}>
      <StateIcon />
      {page.texts.shares.states[state]}
    </p>
  );
}

/** Renders the time when a share expires or ended, with the exact time on hover. */
function When({ page, share, nowMs }: Pick<ShareItemProps, "page" | "share" | "nowMs">) {
  const { texts, language } = page;
  if (isUnfinished(share)) return null;
  const time = share.state === "active" ? share.expiresAt : (share.endedAt ?? share.expiresAt);
  if (time === null) return <>{texts.shares.neverExpires}</>;
  const timeMs = Date.parse(time);
  const relative = formatRelative(timeMs, nowMs, language);
  return <span title={formatDate(timeMs, page)}>{share.state === "active" ? texts.shares.expires(relative) : relative}</span>;
}
