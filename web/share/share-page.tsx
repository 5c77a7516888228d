/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { CopyText, PreviewFrame } from "../preview/preview.tsx";
import { renderOfferPage } from "../selling/offer-page.tsx";
import { Receipt } from "../selling/receipt.tsx";
import { FileName, FileTile, LockTile } from "../site/file-name.tsx";
import { isBlocked, isDownloadable, toFileStatus, toneOf } from "../site/file-status.ts";
import { describeType } from "../site/file-types.ts";
import { formatDuration, fullName } from "../site/format.ts";
import { DownloadIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { listedFiles } from "./file-listing.ts";
import { KeyForm } from "./key-form.tsx";
import {
  AskAdministrator,
  DecryptionWithoutScripts,
  DOWNLOAD_FORM,
  DownloadsNote,
  EncryptedDownload,
  encryptedData,
  Facts,
  HiddenFields,
  isSettled,
  Message,
  needsScript,
  RefreshForm,
  Sender,
  type ShareProps,
  State,
  type StateMessage,
  UploadProgress,
  WaitNote,
} from "./share-components.tsx";
import { ShareFacts } from "./share-details.tsx";
import { isOneFile, mustWaitForSponsor, type ShareFile, type SharePageProps, toOwnData } from "./share-page-props.ts";
import { hasHiddenName, shownName, titleOf } from "./share-title.ts";
import { type FileTotals, isOfferedNow, totalFiles } from "./share-totals.ts";
import { isReachableByUrl, refreshUrl, sharePath } from "./share-urls.ts";
import { describeTotals, ShipmentCard } from "./shipment.tsx";
import { Sponsor } from "./sponsor.tsx";
import { UnlockForm } from "./unlock-form.tsx";

const REFRESH_WITHOUT_SCRIPT_SECONDS = 15;
/** The largest height of a document whose page is narrow. */
const MAX_NARROW_PX = 400;

/**
 * Renders the page of an active share: its files with their states and downloads, and the form for the code of a protected share. Refreshes
 * while a file is uploading or being scanned.
 */
export function renderSharePage(page: PageContext, props: SharePageProps): string {
  const totals = totalFiles(props.files);
  const share = totals.ready > 0 ? props : hideWait(props);
  const isLocked = share.access.kind === "locked";
  if (share.sale?.kind === "offer" && !isLocked) return renderOfferPage(page, { share, offer: share.sale });
  const waits = totals.waiting > 0 || totals.count === 0;
  const refreshes = waits || awaitsThumbnail(share);
  const url = refreshUrl(share);
  const title = titleOf(page, share);
  const [file] = share.files;
  return renderDocument(page, {
    title,
    description: isLocked ? undefined : describe(page, share, totals),
    cardImage: hasCardImage(share) ? `${share.shareUrl}/card.webp` : undefined,
    width: toWidth(share),
    firstScript: "senderBarSpace",
    styles: ["gallery"],
    refresh: toRefresh(share, waits),
    main: {
      "data-state": stateKey(share, totals),
      "data-say": announcement(page, share, totals),
      ...toOwnData(share),
      ...(share.openedPath ? { "data-opened": share.openedPath } : {}),
      ...(refreshes ? { "data-refresh": "" } : {}),
      ...(mustWaitForSponsor(share) ? { "data-wait": String(share.wait?.seconds) } : {}),
      ...(url === undefined ? {} : { "data-refresh-url": url }),
    },
    aside: share.sponsored ? <Sponsor texts={page.texts.sponsor} /> : null,
    children: (
      <article class={["card share", ...toLayout(share)].join(" ")}>
        <Sender page={page} share={share} />
        {file !== undefined && isOneFile(share) ? (
          <OneFile page={page} share={share} file={file} />
        ) : (
          <ShipmentCard page={page} share={share} totals={totals} />
        )}
        {(refreshes || mustWaitForSponsor(share) || isUnlockedLimited(share, totals)) && !canRefreshByUrl(share) ? (
          <RefreshForm page={page} share={share} />
        ) : null}
        {share.openedPath ? <p class="quiet">{page.texts.share.senderSees}</p> : null}
        <ShareFacts page={page} share={share} totals={totals} />
      </article>
    ),
  });
}

/** Whether a thumbnail on the page is being made, or the preview of a file that has none before. */
const awaitsThumbnail = (share: SharePageProps): boolean =>
  isOneFile(share)
    ? share.preview === undefined && share.files.some((file) => file.awaitsThumbnail)
    : listedFiles(share.listing).some((file) => file.awaitsThumbnail);

/** Whether the page shows one photo, as large as the window permits. */
const isPhoto = (share: SharePageProps): boolean => isOneFile(share) && share.preview?.element === "image";

/** Returns the classes of the layout: a photo and a long document have their download beside the name, except a photo that is higher than wide. */
function toLayout(share: SharePageProps): readonly string[] {
  const { image, element } = share.preview ?? {};
  if (isPhoto(share)) return (image?.height ?? 0) > (image?.width ?? 0) ? ["photo", "tall"] : ["photo", "beside"];
  return toWidth(share) === "medium" && (element === "pdf" || element === "document") ? ["beside"] : [];
}

function toWidth(share: SharePageProps): "narrow" | "medium" | "wide" | "full" {
  if (share.access.kind === "locked") return "narrow";
  if (!isOneFile(share)) return "wide";
  if (isPhoto(share)) return "full";
  const { preview } = share;
  const isSmall =
    preview === undefined ||
    preview.layout === "prose" ||
    preview.element === "audio" ||
    (preview.heightPx ?? MAX_NARROW_PX + 1) <= MAX_NARROW_PX;
  return isSmall ? "narrow" : "medium";
}

const hasCardImage = ({ access, listing }: SharePageProps): boolean =>
  access.kind === "open" && listedFiles(listing).some(({ thumbnailUrl }) => thumbnailUrl !== null);

/** Hides the wait if no file can be downloaded. The wait continues. */
function hideWait(share: SharePageProps): SharePageProps {
  return share.wait === undefined ? share : { ...share, wait: { ...share.wait, seconds: 0 } };
}

function OneFile({ page, share, file }: ShareProps & { readonly file: ShareFile }) {
  const { texts, language } = page;
  const size = file.sizeBytes === null ? [] : [formatSize(file.sizeBytes, language)];
  const facts = [...(hasHiddenName(file) ? [] : [describeType(texts.types, file)]), ...size];
  const title = titleOf(page, share);
  const name = shownName(page, file);
  const hasTitle = title !== fullName(name);
  return (
    <>
      {hasTitle ? (
        <h1 class="name">
          <bdi>{title}</bdi>
        </h1>
      ) : null}
      <div class="file">
        {isPhoto(share) ? null : hasHiddenName(file) ? <LockTile /> : <FileTile name={file.name} />}
        <div class="heading">
          {hasTitle ? (
            <p class="name small-name">
              <FileName name={name} />
            </p>
          ) : (
            <h1 class="name">
              <FileName name={name} />
            </h1>
          )}
          <Facts page={page} share={share} facts={facts} />
        </div>
      </div>
      {share.access.kind === "locked" ? null : <Message page={page} text={share.message} />}
      {share.preview === undefined ? null : <PreviewFrame {...share.preview} isCopiedElsewhere texts={texts.preview} />}
      {share.access.kind === "locked" ? (
        <>
          <UnlockForm page={page} share={share} access={share.access} />
          {isSettled(describeFile(page, file)) ? null : <FileState page={page} share={share} file={file} />}
          <DownloadsNote page={page} share={share} downloadsLeft={file.downloadsLeft} />
        </>
      ) : (
        <>
          <KeyForm page={page} share={share} />
          <DownloadForm page={page} share={share} file={file} />
          <Receipt page={page} share={share} />
        </>
      )}
    </>
  );
}

function DownloadForm({ page, share, file }: ShareProps & { readonly file: ShareFile }) {
  const status = toFileStatus(file);
  const { text = null, layout = null } = share.preview ?? {};
  const state = <FileState page={page} share={share} file={file} />;
  const isDisabled = !isOfferedNow(file) || mustWaitForSponsor(share);
  return (
    <form
      class="download"
      id={DOWNLOAD_FORM}
      method="post"
      action={sharePath(share, "/download")}
      data-download={file.downloadsLeft === null ? "free" : "limited"}
      autocomplete="off"
    >
      <HiddenFields share={share} />
      <input type="hidden" name="fileId" value={file.id} />
      {isDownloadable(status) ? null : state}
      {toneOf(status) === "bad" ? null : (
        <div class="actions">
          <button
            class="button"
            type="submit"
            {...needsScript(file.isEncrypted ?? false, isDisabled)}
            {...encryptedData(page, file)}
            aria-describedby={mustWaitForSponsor(share) ? "state wait" : "state"}
          >
            <DownloadIcon />
            {file.isEncrypted ? page.texts.encryption.decrypt : page.texts.share.download}
            <span class="unseen"> {fullName(file.name)}</span>
          </button>
          {file.isEncrypted ? (
            <EncryptedDownload class="button plain" page={page} share={share} ready={isOfferedNow(file) ? 1 : 0} />
          ) : null}
          {text === null ? null : <CopyText text={text} layout={layout} texts={page.texts.preview} />}
        </div>
      )}
      <WaitNote page={page} share={share} />
      <DownloadsNote page={page} share={share} downloadsLeft={file.downloadsLeft} />
      {isDownloadable(status) ? state : null}
      <DecryptionWithoutScripts page={page} share={share} />
    </form>
  );
}

function FileState({ page, file }: ShareProps & { readonly file: ShareFile }) {
  const status = toFileStatus(file);
  const isMeasured = status === "uploading" && file.receivedBytes != null && file.sizeBytes !== null;
  return (
    <>
      <State {...describeFile(page, file)} isEncrypted={status === "encrypted"} />
      {isBlocked(status) ? <AskAdministrator page={page} /> : null}
      {isMeasured ? <UploadProgress page={page} doneBytes={file.receivedBytes ?? 0} totalBytes={file.sizeBytes ?? 0} /> : null}
    </>
  );
}

/** Whether a refresh by URL loses neither a typed code nor the access to an unlocked share. */
const canRefreshByUrl = ({ access }: SharePageProps): boolean => access.kind !== "locked" && isReachableByUrl(access);

/** Whether a script refreshes the page after a download, to show the remaining downloads. */
const isUnlockedLimited = ({ access }: SharePageProps, { isLimited }: FileTotals): boolean => access.kind === "unlocked" && isLimited;

/** Returns the refresh without JavaScript: at an interval while a state can change, and at the end of the wait. */
function toRefresh(share: SharePageProps, waits: boolean): { seconds: number; path?: string } | undefined {
  if (!canRefreshByUrl(share) || !(waits || mustWaitForSponsor(share))) return undefined;
  const seconds = [waits ? REFRESH_WITHOUT_SCRIPT_SECONDS : Number.POSITIVE_INFINITY];
  if (mustWaitForSponsor(share)) seconds.push(share.wait?.seconds ?? 0);
  return { seconds: Math.min(...seconds), path: refreshUrl(share) };
}

/** Returns a short key of the page's contents. Scripts replace the page only if the key has changed. */
function stateKey(share: SharePageProps, totals: FileTotals): string {
  const states = [...totals.statuses].map(([status, count]) => (count === 1 ? status : `${status}*${count}`));
  const left = totals.isLimited ? [`left:${share.files.reduce((sum, { downloadsLeft }) => sum + (downloadsLeft ?? 0), 0)}`] : [];
  const received = totals.uploading > 0 ? [`received:${totals.receivedBytes}`] : [];
  const { kind } = share.access;
  const sale = share.sale === undefined ? [] : [share.sale.kind];
  const preview = isOneFile(share) && awaitsThumbnail(share) ? ["preview"] : [];
  return (
    [
      ...sale,
      ...(kind === "open" ? [] : [kind]),
      ...(mustWaitForSponsor(share) ? ["wait"] : []),
      ...states,
      ...left,
      ...received,
      ...preview,
    ].join(" ") || "empty"
  );
}

function describe({ texts, language }: PageContext, share: SharePageProps, { count, sizeBytes }: FileTotals): string {
  const [file] = share.files;
  const what = file !== undefined && isOneFile(share) ? describeType(texts.types, file) : texts.share.files(count);
  return sizeBytes === null ? what : `${what}, ${formatSize(sizeBytes, language)}`;
}

function announcement(page: PageContext, share: SharePageProps, totals: FileTotals): string {
  const { access } = share;
  if (access.kind === "locked" && access.problem !== undefined) return access.problem;
  const { texts } = page;
  const [file] = share.files;
  const wait = mustWaitForSponsor(share)
    ? `${texts.share.canDownloadIn} ${formatDuration((share.wait?.seconds ?? 0) * 1000, page.language)}.`
    : "";
  const unlocked = access.kind === "unlocked" ? texts.share.unlocked : "";
  const isOne = file !== undefined && isOneFile(share);
  const { tone, headline } = isOne ? describeFile(page, file) : describeTotals(page, totals);
  if (access.kind === "locked" && isSettled({ tone })) return (access.isPassword ? texts.unlock.password : texts.unlock).hint;
  const sentence = `${headline.replace(/\s?…$/, "")}.`;
  return [unlocked, sentence, wait || (isOne ? nextStep(page, file) : "")].filter((part) => part !== "").join(" ");
}

function nextStep({ texts }: PageContext, file: ShareFile): string {
  const status = toFileStatus(file);
  return isDownloadable(status) ? texts.share.canDownload : texts.status[status].detail;
}

function describeFile({ texts }: PageContext, file: ShareFile): StateMessage {
  const status = toFileStatus(file);
  return { tone: toneOf(status), ...texts.status[status] };
}
