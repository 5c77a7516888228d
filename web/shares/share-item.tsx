/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import type { LinkedRecipients } from "../../src/service/shares/contract.ts";
import { formatShortDate } from "../files/short-date.ts";
import { CopyLink } from "../site/copy-link.tsx";
import { FileName, FileTile, FolderTile, LockTile } from "../site/file-name.tsx";
import { counted, formatDate, formatRelative, fullName } from "../site/format.ts";
import {
  BlockedIcon,
  ClockIcon,
  CrossIcon,
  DeleteIcon,
  DownloadIcon,
  EditIcon,
  LinkIcon,
  MoreIcon,
  RemovedIcon,
  ShareIcon,
  UploadIcon,
  WaitIcon,
} from "../site/icons.tsx";
import type { PageContext } from "../site/page-context.ts";
import { ShareAgainForm, shareAgainText } from "./ended-actions.tsx";
import { closePath, downloadsPath, EXTEND_PATH, removeFromListPath } from "./paths.ts";
import { isUnfinished, type OwnShare, type RowState, type RowThumbnail, toneOfState, toRowState, toShareName } from "./share-row.ts";

export interface ShareItemProps {
  readonly page: PageContext;
  readonly share: OwnShare;
  readonly nowMs: number;
  readonly thumbnail: RowThumbnail | undefined;
  /** Who has private links of the share. */
  readonly recipients: LinkedRecipients | undefined;
  /** The numbers of days to which the share can be extended. */
  readonly extensions: readonly number[];
  /** The path of the list to which the forms return. */
  readonly list: string;
}

/** Renders one share in its owner's list: its contents, its state, its link and the menu of its actions. On phones, these are two lines. */
export function ShareCard({ page, share, nowMs, thumbnail, recipients, extensions, list }: ShareItemProps) {
  const { shares } = page.texts;
  const name = toShareName(share, page.texts);
  const isOpen = share.state === "active";
  const contents = [
    share.files > 0 ? formatSize(share.size, page.language) : "",
    share.files > 1 ? counted(share.files, page.language, shares.file, shares.fileMany) : "",
  ].filter(Boolean);
  const createdAtMs = Date.parse(share.createdAt);
  const facts = [
    share.unlockRequired ? (share.unlockKind === "password" ? shares.withPassword : shares.withCode) : "",
    share.visibility === "public" ? shares.public : "",
    share.otherLinks > 0 ? shares.alsoIn(share.otherLinks) : "",
    recipients === undefined ? "" : shares.sentTo(shares.recipients(recipients.address, recipients.others)),
  ].filter(Boolean);
  return (
    <li
      id={`share-${share.shortId}`}
      data-share={share.shortId}
      data-other-links={share.otherLinks}
      data-recipient={recipients?.address}
      data-other-recipients={recipients?.others}
      data-sealed={share.encrypted ? "" : undefined}
    >
      {share.encrypted ? <LockTile /> : <RowImage name={share.name ?? ""} title={name} files={share.files} thumbnail={thumbnail} />}
      <p class="name">
        {isOpen ? (
          <a href={share.sharePath}>
            <FileName name={name} />
          </a>
        ) : (
          <FileName name={name} />
        )}
      </p>
      <div class="share-facts">
        <p class={share.expiresAt === null && toRowState(share) === "active" ? "share-state none" : "share-state"}>
          <State page={page} share={share} nowMs={nowMs} />
        </p>
        <p class={share.downloads === 0 ? "share-downloads none" : "share-downloads"}>
          <Downloads page={page} share={share} name={name} />
        </p>
        <p class="quiet share-more">
          <span class="share-contents">{[...contents, ""].join(" · ")}</span>
          <span title={formatDate(createdAtMs, page)}>{formatShortDate(createdAtMs, nowMs, page.language, page.timeZone)}</span>
          {facts.map((fact) => ` · ${fact}`).join("")}
        </p>
      </div>
      <div class="share-actions">
        {isOpen ? <CopyLink id={`link-${share.shortId}`} url={share.shareUrl} label={shares.copy} about={name} /> : null}
        <details class="menu-opener" id={`more-${share.shortId}`}>
          <summary class="button small" title={shares.more}>
            <MoreIcon />
            <span class="unseen">
              {shares.more}: {name}
            </span>
          </summary>
          <div class="menu">
            {/* On phones, the menu covers its row. */}
            <p class="menu-title share-menu-title" aria-hidden="true">
              <FileName name={name} />
            </p>
            {isOpen ? (
              <OpenMenu page={page} share={share} name={name} extensions={extensions} list={list} />
            ) : (
              <EndedMenu page={page} share={share} name={name} />
            )}
          </div>
        </details>
      </div>
    </li>
  );
}

interface MenuProps extends Pick<ShareItemProps, "page" | "share"> {
  readonly name: string;
}

function OpenMenu({ page, share, name, extensions, list }: MenuProps & Pick<ShareItemProps, "extensions" | "list">) {
  const { shares } = page.texts;
  return (
    <>
      <a class="menu-item" href={share.sharePath} data-give="">
        <ShareIcon />
        {shares.share}
        <span class="unseen"> {name}</span>
      </a>
      <a class="menu-item" href={share.sharePath}>
        <LinkIcon />
        {shares.open}
        <span class="unseen"> {name}</span>
      </a>
      <a class="menu-item" href={`${share.sharePath}#edit`} data-edit="">
        <EditIcon />
        {shares.edit}
        <span class="unseen"> {name}</span>
      </a>
      <DownloadsItem page={page} share={share} name={name} />
      {extensions.length === 0 ? null : (
        <form method="post" action={EXTEND_PATH} data-extend={share.expiresAt ?? ""}>
          <input type="hidden" name="shortId" value={share.shortId} />
          <input type="hidden" name="list" value={list} />
          {extensions.map((days) => (
            <button key={days} class="menu-item" type="submit" name="days" value={days}>
              <ClockIcon />
              {shares.extendTo(counted(days, page.language, shares.day, shares.dayMany))}
            </button>
          ))}
        </form>
      )}
      {share.immutable || isUnfinished(share) ? null : (
        <a class="menu-item separated" href={closePath(share.shortId)} data-close="">
          <DeleteIcon />
          {shares.close}
          <span class="unseen"> {name}</span>
        </a>
      )}
    </>
  );
}

/** Renders what can be done with an ended share. One that is taken down stays in the list, and cannot be shared again. */
function EndedMenu({ page, share, name }: MenuProps) {
  const { shares } = page.texts;
  const { shortId, filesLeft } = share;
  return (
    <>
      {filesLeft === null ? null : filesLeft === 0 ? (
        <>
          <p class="menu-note">{shares.filesGone}</p>
          <a class="menu-item" href="/">
            <UploadIcon />
            {shares.sendAgain}
          </a>
        </>
      ) : (
        <ShareAgainForm page={page} shortId={shortId}>
          <button class="menu-item" type="submit">
            <ShareIcon />
            {shareAgainText(page, share)}
            <span class="unseen"> {name}</span>
          </button>
        </ShareAgainForm>
      )}
      <DownloadsItem page={page} share={share} name={name} />
      {filesLeft === null ? null : (
        <form method="post" action={removeFromListPath(shortId)} data-remove="">
          <button class="menu-item separated" type="submit">
            <CrossIcon />
            {shares.removeFromList}
            <span class="unseen"> {name}</span>
          </button>
        </form>
      )}
    </>
  );
}

const DownloadsItem = ({ page, share, name }: MenuProps) => (
  <a class="menu-item" href={downloadsPath(share.shortId)}>
    <DownloadIcon />
    {page.texts.shares.downloadsTitle}
    <span class="unseen"> {name}</span>
  </a>
);

interface RowImageProps {
  readonly name: string;
  /** What the list calls the share, beside the image. */
  readonly title: string;
  readonly files: number;
  readonly thumbnail: RowThumbnail | undefined;
}

/** Renders the thumbnail of a share in a list, otherwise the tile of its file, or of several files. */
export function RowImage({ name, title, files, thumbnail }: RowImageProps) {
  if (thumbnail === undefined) return files > 1 ? <FolderTile /> : <FileTile name={name} isRead={title !== fullName(name)} />;
  return <img class="thumbnail" src={thumbnail.url} width={thumbnail.width} height={thumbnail.height} alt="" loading="lazy" />;
}

const ICONS: Readonly<Partial<Record<RowState, typeof BlockedIcon>>> = {
  uploading: WaitIcon,
  scanning: WaitIcon,
  blocked: BlockedIcon,
  taken_down: RemovedIcon,
};

/** Renders when an open share expires, or its state and when that began, with the exact time on hover. */
function State({ page, share, nowMs }: Pick<ShareItemProps, "page" | "share" | "nowMs">) {
  const { shares } = page.texts;
  const state = toRowState(share);
  if (state === "active")
    return <Time page={page} time={share.expiresAt} nowMs={nowMs} toText={shares.expires} never={shares.neverExpires} />;
  const StateIcon = ICONS[state];
  const word = shares.states[state];
  return (
    <span class={`share-tone ${toneOfState(state)}`}>
      {StateIcon === undefined ? null : <StateIcon />}
      {share.state === "active" ? (
        word
      ) : (
        <Time page={page} time={share.endedAt ?? share.expiresAt} nowMs={nowMs} toText={(time) => `${word} ${time}`} never={word} />
      )}
    </span>
  );
}

interface TimeProps extends Pick<ShareItemProps, "page" | "nowMs"> {
  readonly time: string | null;
  toText(relative: string): string;
  /** The text without a time. */
  readonly never: string;
}

function Time({ page, time, nowMs, toText, never }: TimeProps) {
  if (time === null) return <>{never}</>;
  const timeMs = Date.parse(time);
  return <span title={formatDate(timeMs, page)}>{toText(formatRelative(timeMs, nowMs, page.language))}</span>;
}

/** Renders the number of downloads, with a link to them if there are any. */
function Downloads({ page, share, name }: Pick<ShareItemProps, "page" | "share"> & { readonly name: string }) {
  const { shares } = page.texts;
  const text =
    share.maxDownloads === null
      ? counted(share.downloads, page.language, shares.download, shares.downloadMany)
      : shares.downloadsOf(share.downloads, share.maxDownloads);
  if (share.downloads === 0) return <>{text}</>;
  const count = [share.downloads, ...(share.maxDownloads === null ? [] : [share.maxDownloads])];
  return (
    <a href={downloadsPath(share.shortId)}>
      <span class="share-count" aria-hidden="true">
        <DownloadIcon />
        {count.map((number) => number.toLocaleString(page.language)).join(" / ")}
      </span>
      <span class="share-word">{text}</span>
      <span class="unseen"> {name}</span>
    </a>
  );
}
