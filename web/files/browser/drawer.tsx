/** @jsxImportSource preact */
/** One file: its preview and link, the settings of its share, its downloads and facts. */
import { useEffect, useRef, useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { status as statusTexts, types } from "#texts/site";
import { requestPath } from "../../requests/paths.ts";
import { OwnSettings } from "../../share/browser/sender-bar/own-settings.tsx";
import { ApiRefusal } from "../../site/browser/api.ts";
import { CopyButton } from "../../site/browser/components/copy-button.tsx";
import { language, size } from "../../site/browser/components/format.ts";
import { returnFocus } from "../../site/browser/components/return-focus.ts";
import { describeType } from "../../site/file-types.ts";
import { fullName } from "../../site/format.ts";
import { CrossIcon, DeleteIcon, DownloadIcon, EditIcon, MoveIcon } from "../../site/icons.tsx";
import type { FileDetails } from "../file-details.ts";
import { isFileDownloadable, toScanText } from "../file-state.ts";
import { downloadPath, RUNS_PATH } from "../file-views.ts";
import { formatExactDate } from "../short-date.ts";
import { findOwnName, toShownName } from "../shown-name.ts";
import type { SharedLink } from "./calls.ts";
import { loadDetails } from "./details.ts";
import { DownloadList } from "./download-list.tsx";
import { DrawerPreview } from "./drawer-preview.tsx";
import { LinkList } from "./link-list.tsx";
import { findLinkWithKey } from "./link-with-key.ts";
import { Sources } from "./sources.tsx";

export interface DrawerProps {
  readonly fileId: string;
  /** Receives the file each time it was loaded, for the list. */
  onChanged(file: FileDetails): void;
  onShow(fileId: string): void;
  onRename(): void;
  onMove(): void;
  onDelete(file: FileDetails): void;
  /** Receives the ID of a remaining link after one was deleted. */
  onLinkDeleted(next: string | undefined): void;
  /** Gives the file a link. */
  onShare(): void;
  /** Shows the ways to give a link of the file to others. */
  onGive(link: SharedLink): void;
  /** Runs if the file does not exist any more. */
  onGone(error: unknown): void;
  onClose(): void;
}

const isNarrow = matchMedia("(max-width: 64rem)");

/** Renders the details beside the list on wide windows, so that the list can still be used; on narrow windows in front of it. */
export function Drawer({
  fileId,
  onChanged,
  onShow,
  onRename,
  onMove,
  onDelete,
  onLinkDeleted,
  onShare,
  onGive,
  onGone,
  onClose,
}: DrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [details, setDetails] = useState<FileDetails>();
  const [problem, setProblem] = useState("");

  const reload = async (): Promise<void> => {
    try {
      const loaded = await loadDetails(fileId);
      setDetails(loaded);
      setProblem("");
      onChanged(loaded);
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 404) return onGone(error);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  useEffect(() => {
    setDetails((details) => (details?.id === fileId ? details : undefined));
    void reload();
  }, [fileId]);
  useEffect(() => {
    const before = document.activeElement;
    if (isNarrow.matches) dialog.current?.showModal();
    else dialog.current?.show();
    dialog.current?.focus();
    return () => {
      dialog.current?.close();
      returnFocus(before);
    };
  }, []);

  const leave = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
    // Removing the focus saves the typed text.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    onClose();
  };

  const file = details?.id === fileId ? details : undefined;
  const isPrivate = file?.visibility === "private";
  return (
    <dialog
      ref={dialog}
      class="files-drawer"
      tabIndex={-1}
      aria-label={file ? texts.details(toShownName(file, texts)) : texts.loading}
      aria-busy={file === undefined && problem === ""}
      onCancel={leave}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !(event.target instanceof HTMLSelectElement)) leave(event);
      }}
    >
      <div class="files-drawer-head">
        <h2>{file ? <bdi>{toShownName(file, texts)}</bdi> : texts.loading}</h2>
        <button class="files-tool" type="button" aria-label={texts.close} title={texts.close} onClick={onClose}>
          <CrossIcon />
        </button>
      </div>
      {problem === "" ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {file ? (
        <div class="files-drawer-body">
          {isPrivate ? <NotShared file={file} onShare={onShare} /> : <Link key={`${file.id} link`} file={file} onGive={onGive} />}
          <div class="files-tasks">
            {isFileDownloadable(file) ? (
              <a class="files-task" href={downloadPath(file.id)} download="">
                <DownloadIcon />
                {texts.download}
              </a>
            ) : null}
            <button class="files-task" type="button" onClick={onRename} disabled={file.immutable}>
              <EditIcon />
              {texts.rename}
            </button>
            <button class="files-task" type="button" onClick={onMove}>
              <MoveIcon />
              {texts.move}
            </button>
            <button class="files-task" type="button" onClick={() => onDelete(file)} disabled={file.immutable}>
              <DeleteIcon />
              {texts.delete}
            </button>
          </div>
          <DrawerPreview file={file} />
          {isPrivate ? null : <LinkSettings key={file.shortId} file={file} onChanged={reload} />}
          <DownloadList key={`${file.id} ${file.downloads}`} file={file} />
          <Sources key={`${file.id} sources`} file={file} onShow={onShow} onChanged={reload} />
          <Facts file={file} />
          {isPrivate ? null : <LinkList key={`${file.id} links`} file={file} onShow={onShow} onShare={onShare} onDeleted={onLinkDeleted} />}
        </div>
      ) : null}
    </dialog>
  );
}

/** Renders the offer to share a received file that has no link yet. An encrypted one is opened on the page of its request, which has the key. */
function NotShared({ file: { encrypted, requestId }, onShare }: { readonly file: FileDetails; onShare(): void }) {
  const isSealed = encrypted && requestId !== null;
  return (
    <section class="files-section first">
      <p class="quiet">{isSealed ? texts.encryptedForYou : texts.notSharedText}</p>
      <div class="files-actions">
        {requestId === null ? null : (
          <a class={isSealed ? "button" : "button small"} href={requestPath(requestId)}>
            {texts.openRequest}
          </a>
        )}
        {isSealed ? null : (
          <button class="button" type="button" onClick={onShare}>
            {texts.share}
          </button>
        )}
      </div>
    </section>
  );
}

/** Renders the link that the settings below belong to. */
function Link({ file, onGive }: { readonly file: FileDetails } & Pick<DrawerProps, "onGive">) {
  const { shareUrl, sharePath, share } = file;
  const [url, setUrl] = useState(shareUrl);
  useEffect(() => void findLinkWithKey(file).then(setUrl), [shareUrl]);
  return (
    <section class="files-section first">
      <h3>
        <bdi>{share.files > 1 ? texts.linkTo(share.title, share.files) : texts.link}</bdi>
      </h3>
      <p class="files-url">
        <a id="drawer-link" href={url}>
          {shareUrl.replace(/^https?:\/\//, "")}
        </a>
      </p>
      <div class="files-actions">
        <CopyButton source="drawer-link" isPrimary label={texts.copyLink} copiedLabel={texts.linkCopied} />
        <button class="button small" type="button" onClick={() => onGive({ shortId: file.shortId, shareUrl: url, sharePath })}>
          {texts.share}
        </button>
        <a class="button small" href={sharePath + new URL(url, location.href).hash} aria-label={texts.openShare} title={texts.openShare}>
          {texts.open}
        </a>
      </div>
    </section>
  );
}

function LinkSettings({ file, onChanged }: { readonly file: FileDetails; onChanged(): Promise<void> }) {
  const { share } = file;
  return (
    <section class="files-section">
      <h3>{texts.settings}</h3>
      {share.files > 1 ? <p class="quiet">{texts.sharedWith(share.files)}</p> : null}
      <OwnSettings share={file} onChanged={onChanged} />
    </section>
  );
}

function Facts({ file }: { readonly file: FileDetails }) {
  return (
    <section class="files-section">
      <h3>{texts.facts}</h3>
      <dl class="files-facts">
        <dt>{texts.type}</dt>
        <dd>{describeType(types, { contentType: file.mimeType, name: findOwnName(file) ?? file.name })}</dd>
        <dt>{texts.size}</dt>
        <dd>{size(file.size)}</dd>
        <dt>{texts.added}</dt>
        <dd>{formatExactDate(Date.parse(file.createdAt), language)}</dd>
        <dt>{texts.scan}</dt>
        <dd>
          {statusTexts[toScanText(file)].headline}
          {file.isBlocklisted ? <p class="quiet">{statusTexts.blocklisted.detail}</p> : null}
        </dd>
        {file.sha256 === null ? null : (
          <>
            <dt>{texts.digest}</dt>
            <dd>
              <code>{file.sha256}</code>
            </dd>
          </>
        )}
        {file.runId === null ? null : (
          <>
            <dt>{texts.runLabel}</dt>
            <dd>
              <a href={`${RUNS_PATH}/${encodeURIComponent(file.runId)}`}>
                <bdi>{fullName(file.runId)}</bdi>
              </a>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
