/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { PreviewFrame } from "../preview/preview.tsx";
import { Receipt } from "../selling/receipt.tsx";
import { DownloadIcon } from "../site/icons.tsx";
import type { PageContext } from "../site/page-context.ts";
import { FileList } from "./file-list.tsx";
import { KeyForm } from "./key-form.tsx";
import { ListForms } from "./list-tools.tsx";
import {
  AskAdministrator,
  DecryptionWithoutScripts,
  DOWNLOAD_FORM,
  EncryptedDownload,
  Facts,
  HiddenFields,
  isSettled,
  Message,
  needsScript,
  type ShareProps,
  type ShipmentProps,
  State,
  type StateMessage,
  severalEncryptedData,
  UploadProgress,
  WaitNote,
} from "./share-components.tsx";
import { mustWaitForSponsor } from "./share-page-props.ts";
import { titleOf } from "./share-title.ts";
import { commonStatus, type FileTotals } from "./share-totals.ts";
import { sharePath } from "./share-urls.ts";
import { UnlockForm } from "./unlock-form.tsx";

/** Renders a shipment: its title, one download of all files as a ZIP, and the list of its files. A protected one shows only its title and size. */
export function ShipmentCard({ page, share, totals }: ShipmentProps) {
  const { access } = share;
  const { texts, language } = page;
  const size = totals.sizeBytes === null || totals.count === 0 ? [] : [formatSize(totals.sizeBytes, language)];
  const count = texts.share.files(totals.count);
  const title = titleOf(page, share);
  const state = describeTotals(page, totals);
  const hasDownloads = access.kind !== "locked" && totals.count > 0;
  // What is below the state stays in place while the files are being scanned.
  const isLine = isSettled(state) || (hasDownloads && state.tone === "wait");
  return (
    <>
      <div class="heading">
        <h1 class="name" {...(title === count ? { "data-untitled": "" } : {})}>
          <bdi>{title}</bdi>
        </h1>
        <Facts page={page} share={share} facts={title === count ? size : [count, ...size]} />
      </div>
      {access.kind === "locked" ? null : <Message page={page} text={share.message} />}
      {share.preview === undefined ? null : <PreviewFrame {...share.preview} texts={texts.preview} />}
      {isLine ? null : <State {...state} />}
      {totals.blocked > 0 ? <AskAdministrator page={page} /> : null}
      {totals.uploading > 0 ? <Progress page={page} totals={totals} /> : null}
      {access.kind === "locked" ? <UnlockForm page={page} share={share} access={access} /> : null}
      {access.kind === "locked" ? null : <KeyForm page={page} share={share} />}
      {hasDownloads ? (
        <form
          class="shipment"
          id={DOWNLOAD_FORM}
          method="post"
          action={sharePath(share, "/download")}
          data-download={totals.isLimited ? "limited" : "free"}
          autocomplete="off"
        >
          <HiddenFields share={share} />
          <DefaultButton page={page} share={share} />
          <DownloadAll page={page} share={share} totals={totals} />
          <WaitNote page={page} share={share} />
          {totals.isLimited ? (
            <p class="quiet" data-left="">
              {share.once ? texts.share.onceEach : texts.share.limitedEach}
            </p>
          ) : null}
          {isLine ? <State {...state} isLine /> : null}
          <DecryptionWithoutScripts page={page} share={share} />
          <FileList page={page} share={share} totals={totals} />
        </form>
      ) : null}
      {access.kind === "locked" ? null : <Receipt page={page} share={share} />}
      {access.kind === "locked" ? null : <ListForms share={share} />}
    </>
  );
}

function Progress({ page, totals: { receivedBytes, sizeBytes } }: { readonly page: PageContext; readonly totals: FileTotals }) {
  if (sizeBytes === null) return null;
  return (
    <div>
      <UploadProgress page={page} doneBytes={receivedBytes} totalBytes={sizeBytes} />
      <p class="quiet">{page.texts.share.received(formatSize(receivedBytes, page.language), formatSize(sizeBytes, page.language))}</p>
    </div>
  );
}

/**
 * Renders the first button of the form, which the browser presses for Enter on a check box without scripts: it downloads the selected files, while
 * the next button would download all.
 */
function DefaultButton({ page, share }: ShareProps) {
  return (
    <button type="submit" formAction={sharePath(share, "/archive")} name="selected" value="true" hidden>
      {page.texts.list.downloadSelected}
    </button>
  );
}

function DownloadAll({ page, share, totals: { count, ready, readyBytes } }: ShipmentProps) {
  const { texts, language } = page;
  const isDisabled = ready === 0 || mustWaitForSponsor(share);
  const isEncrypted = share.files.some((file) => file.isEncrypted);
  return (
    <>
      <button
        class="button"
        type="submit"
        formAction={sharePath(share, "/archive")}
        name="all"
        value="true"
        {...needsScript(isEncrypted, isDisabled)}
        aria-describedby={mustWaitForSponsor(share) ? "state wait" : "state"}
        data-all=""
        {...severalEncryptedData(share, readyBytes)}
      >
        <DownloadIcon />
        <span>
          {ready < count && ready > 0 ? texts.share.downloadReady(ready, count) : texts.share.downloadAll}{" "}
          <span class="aside">{texts.share.zip(ready === 0 ? "…" : formatSize(readyBytes, language))}</span>
        </span>
      </button>
      {isEncrypted ? <EncryptedDownload class="button plain" page={page} share={share} ready={ready} /> : null}
    </>
  );
}

/** Describes one state for all files: waiting files take precedence, then blocked files, then files that were not scanned. */
export function describeTotals({ texts: { share: texts, status } }: PageContext, totals: FileTotals): StateMessage {
  const { count, ready, waiting, blocked, statuses } = totals;
  if (count === 0) return { tone: "wait", headline: texts.waitingForFiles, detail: texts.waitingForFilesDetail };
  if (waiting > 0) return { tone: "wait", headline: texts.readyOf(ready, count), detail: texts.waiting(waiting, blocked) };
  if (blocked > 0) return { tone: "bad", headline: texts.blockedOf(blocked, count), detail: texts.blockedDetail };
  const unscanned = statuses.get("unscanned") ?? 0;
  if (unscanned > 0) {
    const headline = commonStatus(totals) === "unscanned" ? texts.noneScanned : texts.someUnscanned(unscanned);
    return { tone: "note", headline, detail: texts.trustThem };
  }
  const encrypted = statuses.get("encrypted") ?? 0;
  if (encrypted > 0) {
    const headline = commonStatus(totals) === "encrypted" ? texts.allEncrypted : texts.someEncrypted(encrypted);
    return { tone: "note", headline, detail: texts.encryptedDetail, isEncrypted: true };
  }
  const inParts = statuses.get("scannedInParts") ?? 0;
  const [only] = statuses.keys();
  if (count === 1 && only !== undefined) return { tone: "good", ...status[only] };
  return { tone: "good", headline: texts.allScanned(count), detail: inParts === 0 ? "" : texts.someInParts(inParts) };
}
