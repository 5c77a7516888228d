/** @jsxImportSource preact */

import type { ComponentChild } from "preact";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { folderPath } from "../files/file-views.ts";
import { formatExactDate, formatShortDate } from "../files/short-date.ts";
import { toShareName } from "../shares/share-row.ts";
import { BackLink } from "../site/back-link.tsx";
import { FileName, FileTile, LockTile } from "../site/file-name.tsx";
import { CrossIcon, DownloadIcon, DownloadSymbol, ShareIcon, SymbolIcon } from "../site/icons.tsx";
import { LabelledSecret } from "../site/labelled-secret.tsx";
import { renderDocument } from "../site/layout.tsx";
import { Done } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { Ask } from "../site/panel.tsx";
import { QrCode } from "../site/qr-code.tsx";
import type { FolderChoice } from "./folder-choice.ts";
import { decryptCommand, REQUESTS_PATH, type RequestAction, requestPath } from "./paths.ts";
import { RequestForm } from "./request-form.tsx";
import type { OwnRequest, ReceivedFile, ReceivedSubmission } from "./request-view.ts";
import { RequestFacts } from "./requests-page.tsx";

export interface RequestPageProps {
  readonly request: OwnRequest;
  readonly submissions: readonly ReceivedSubmission[];
  readonly folders: readonly FolderChoice[];
  readonly nowMs: number;
  readonly done?: "created" | "saved" | "closed" | "reopened" | "rotated" | undefined;
  /** The new unlock code; shown only once. */
  readonly unlockCode?: string | undefined;
  /** The link of files that were just shared. */
  readonly sharedUrl?: string | undefined;
  /** Whether the settings are open. */
  readonly isEdited?: boolean;
  /** The reason why changed settings were refused. */
  readonly problem?: string | undefined;
}

/** Renders one request: what it received, by sender, its link, and its settings. Before anything has arrived, the link is first. */
export function renderRequestPage(page: PageContext, props: RequestPageProps): string {
  const { request, submissions, nowMs, done, sharedUrl } = props;
  const texts = page.texts.requests;
  const hasReceived = submissions.length > 0;
  const received = <Received page={page} {...props} />;
  return renderDocument(page, {
    title: request.title,
    width: "wide",
    styles: ["dashboard", "requests"],
    scripts: request.encryptTo === null ? ["page"] : ["page", "ownRequests"],
    main: { "data-state": "own-request" },
    children: (
      <>
        <div class="hero">
          <BackLink path={REQUESTS_PATH} text={texts.title} />
          <h1 dir="auto">{request.title}</h1>
          <p class="quiet">
            <RequestFacts page={page} request={request} nowMs={nowMs} />
          </p>
        </div>
        {done === undefined ? null : <Done>{texts.done[done]}</Done>}
        {sharedUrl === undefined ? null : (
          <section class="card" aria-label={texts.shared}>
            <Done>{texts.sharedDone}</Done>
            <CopyableLink id="shared-link" href={sharedUrl} label={texts.copyLink} isMain />
          </section>
        )}
        <div class={hasReceived ? "request-columns received-first" : "request-columns"}>
          {hasReceived ? received : null}
          <div class="request-side">
            <LinkCard page={page} {...props} />
            {hasReceived ? null : received}
            <EndingActions page={page} {...props} />
          </div>
        </div>
        <Settings page={page} {...props} />
      </>
    ),
  });
}

type PartProps = RequestPageProps & { readonly page: PageContext };

function LinkCard({ page, request, submissions, unlockCode }: PartProps) {
  const texts = page.texts.requests;
  const { requestUrl, title, state } = request;
  const isOpen = state === "open";
  const mail = `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(texts.mailBody(requestUrl))}`;
  return (
    <section class="card link-card" aria-label={texts.link}>
      <h2>{isOpen ? texts.link : texts.states[state]}</h2>
      {isOpen ? (
        <CopyableLink id="request-link" href={requestUrl} label={texts.copyLink} isMain={submissions.length === 0} />
      ) : (
        <p>{texts.notOpen}</p>
      )}
      {unlockCode === undefined ? null : (
        <LabelledSecret id="unlock-code" label={texts.code} note={texts.codeNote} value={unlockCode}>
          <button class="button small" type="button" data-copy="unlock-code" hidden>
            {texts.copy}
            <span class="unseen"> {texts.code}</span>
          </button>
        </LabelledSecret>
      )}
      <div class="link-ways">
        {isOpen ? (
          <a class="button small" href={mail}>
            {texts.mail}
          </a>
        ) : null}
        <a class="button small" href={`${requestPath(request.id)}?edit`} data-opens="edit-request">
          {texts.change}
        </a>
        <form method="post" action={actionPath(request, state === "closed" ? "reopen" : "close")}>
          <button class="button small" type="submit">
            {state === "closed" ? texts.reopen : texts.close}
          </button>
        </form>
        {isOpen ? (
          <details>
            <summary>{texts.showQr}</summary>
            <QrCode text={requestUrl} label={texts.qrLabel} />
          </details>
        ) : null}
      </div>
    </section>
  );
}

/** Renders the settings, in a dialog that a script opens. Without scripts, its link shows them on the page. */
function Settings({ page, request, folders, isEdited = false, problem }: PartProps) {
  const texts = page.texts.requests;
  return (
    <dialog id="edit-request" class="card request-edit" aria-labelledby="edit-title" open={isEdited || problem !== undefined}>
      <form class="request-edit-head" method="dialog">
        <h2 id="edit-title">{texts.settings}</h2>
        <button class="button small" type="submit" title={texts.closeSettings}>
          <CrossIcon />
          <span class="unseen">{texts.closeSettings}</span>
        </button>
      </form>
      <RequestForm page={page} action={requestPath(request.id)} folders={folders} request={request} problem={problem} />
    </dialog>
  );
}

/** Renders the actions that end the link, apart from the others. */
const EndingActions = ({ page, request }: PartProps) => {
  const texts = page.texts.requests;
  return (
    <div class="request-actions">
      <Ask label={texts.rotate} path={actionPath(request, "rotate")} fields={{}} text={texts.rotateNote} confirm={texts.rotate} />
      <Ask
        label={texts.remove}
        path={actionPath(request, "delete")}
        fields={{}}
        text={texts.removeNote}
        confirm={texts.remove}
        tone="danger"
      />
    </div>
  );
};

function Received({ page, request, submissions, folders, nowMs }: PartProps) {
  const texts = page.texts.requests;
  const files = submissions.flatMap(({ files }) => files);
  const isPrivate = files.every(({ visibility }) => visibility === "private");
  return (
    <section class="card received" aria-labelledby="received">
      <DownloadSymbol />
      <div class="received-head">
        <div class="heading">
          <h2 id="received">{texts.whoSent}</h2>
          <p class="quiet">
            {files.length === 0 ? texts.nothing : isPrivate ? texts.onlyYou : texts.shareNote}
            <FolderLink page={page} folder={folders.find(({ id }) => id === request.folderId)} />
          </p>
        </div>
        <FileActions page={page} request={request} files={files} isAll />
      </div>
      {request.encryptTo === null ? null : (
        <div id="received-key" data-encrypt-to={request.encryptTo}>
          <p class="quiet">{page.texts.ownKey.withoutScripts}</p>
        </div>
      )}
      {submissions.map((submission) => (
        <Submission
          key={submission.createdAt}
          page={page}
          request={request}
          submission={submission}
          nowMs={nowMs}
          hasActions={submissions.length > 1 && submission.files.length > 1}
        />
      ))}
    </section>
  );
}

interface CopyableLinkProps {
  readonly id: string;
  readonly href: string;
  readonly label: string;
  /** Whether copying the link is the main action of the page. */
  readonly isMain?: boolean;
}

const CopyableLink = ({ id, href, label, isMain = false }: CopyableLinkProps) => (
  <div class={isMain ? "copyable big" : "copyable"}>
    <a id={id} href={href} data-link="">
      {href.replace(/^https?:\/\/|#.*$/g, "")}
      {href.includes("#") ? <span class="link-key">{href.slice(href.indexOf("#"))}</span> : null}
    </a>
    <button class={isMain ? "button" : "button plain"} type="button" data-copy={id} hidden>
      {label}
    </button>
  </div>
);

const actionPath = ({ id }: OwnRequest, action: RequestAction): string => `${requestPath(id)}/${action}`;

/** Renders where the received files are. */
function FolderLink({ page: { texts }, folder }: { readonly page: PageContext; readonly folder: FolderChoice | undefined }) {
  if (folder === undefined) return null;
  return (
    <>
      {` · ${texts.requests.folder}: `}
      <a href={folderPath(folder.id)}>
        <bdi>{folder.path}</bdi>
      </a>
    </>
  );
}

interface FileActionsProps {
  readonly page: PageContext;
  readonly request: OwnRequest;
  readonly files: readonly ReceivedFile[];
  /** Whether the files are all that the request received, so that downloading them is the main action of the page. */
  readonly isAll?: boolean;
  /** The sender of the files, for screen readers. */
  readonly about?: string;
}

/** Renders the buttons that download several files as one ZIP, and share them. Others could not decrypt what is encrypted for the owner. */
function FileActions({ page, request, files, isAll = false, about }: FileActionsProps) {
  const { requests: texts, share } = page.texts;
  const ready = files.filter(({ scanStatus, encrypted }) => scanStatus === "clean" && !encrypted);
  const unshared = files.filter(({ visibility, encrypted }) => visibility === "private" && !encrypted);
  const of = about === undefined ? null : <span class="unseen">: {about}</span>;
  if (ready.length === 0)
    return request.encryptTo === null ? null : <SaveAll page={page} request={request} files={files} isAll={isAll} of={of} />;
  const size = formatSize(sumOf(ready), page.language);
  const [only] = ready;
  return (
    <div class="received-actions">
      {ready.length === 1 && only ? (
        <a class={isAll ? "button" : "button small"} href={only.url}>
          <DownloadIcon />
          {texts.download}
          {of}
        </a>
      ) : (
        <form method="post" action={actionPath(request, "download")} data-download="free">
          {isAll ? null : <FileIds files={ready} />}
          <button class={isAll ? "button" : "button small"} type="submit">
            <DownloadIcon />
            <span>
              {isAll ? share.downloadAll : texts.download} <span class="aside">{share.zip(size)}</span>
            </span>
            {of}
          </button>
        </form>
      )}
      {unshared.length > 1 ? (
        <form method="post" action={actionPath(request, "share")}>
          <FileIds files={unshared} />
          <button class={isAll ? "button plain" : "button small"} type="submit">
            {isAll ? texts.shareAll : texts.share}
            {of}
          </button>
        </form>
      ) : null}
    </div>
  );
}

const sumOf = (files: readonly ReceivedFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

type SaveAllProps = Pick<FileActionsProps, "page" | "request" | "files" | "isAll"> & { readonly of: ComponentChild };

/** Renders the button with which the script saves several encrypted files as one ZIP, once it has the key. */
function SaveAll({ page: { texts, language }, request, files, isAll, of }: SaveAllProps) {
  const ready = files.filter(({ scanStatus }) => scanStatus === "clean");
  if (ready.length < 2) return null;
  // The page has rows for the newest files only.
  const sizeBytes = isAll && request.receivedFiles > files.length ? request.receivedBytes : sumOf(ready);
  return (
    <div class="received-actions">
      <button class={isAll ? "button" : "button small"} type="button" data-save-all={isAll ? "all" : "sender"} data-size={sizeBytes} hidden>
        <DownloadIcon />
        <span data-action="">
          {texts.ownKey.saveAll} <span class="aside">{texts.share.zip(formatSize(sizeBytes, language))}</span>
        </span>
        {of}
      </button>
    </div>
  );
}

const FileIds = ({ files }: { readonly files: readonly ReceivedFile[] }) => (
  <input type="hidden" name="fileIds" value={files.map(({ id }) => id).join(",")} />
);

interface SubmissionProps {
  readonly page: PageContext;
  readonly request: OwnRequest;
  readonly submission: ReceivedSubmission;
  readonly nowMs: number;
  /** Whether it has buttons for all its files. */
  readonly hasActions: boolean;
}

function Submission({ page, request, submission: { senderName, senderNote, createdAt, files }, nowMs, hasActions }: SubmissionProps) {
  const { language, timeZone } = page;
  const createdAtMs = Date.parse(createdAt);
  const texts = page.texts.requests;
  const sender = senderName ?? texts.anonymous;
  const [encrypted] = files.filter(({ encrypted }) => encrypted);
  return (
    <div class="submission">
      <div class="received-head">
        <div class="heading">
          <h3 dir="auto">{sender}</h3>
          <p class="quiet" title={formatExactDate(createdAtMs, language, timeZone)}>
            {texts.sentOn(formatShortDate(createdAtMs, nowMs, language, timeZone))}
          </p>
        </div>
        {hasActions ? <FileActions page={page} request={request} files={files} about={sender} /> : null}
      </div>
      {senderNote === null ? null : (
        <p class="request-message" dir="auto">
          {senderNote}
        </p>
      )}
      <ul class="files">
        {files.map((file) => (
          <Row key={file.id} page={page} request={request} file={file} />
        ))}
      </ul>
      {encrypted === undefined ? null : <DecryptCommand page={page} file={encrypted} />}
    </div>
  );
}

function Row({ page, request, file }: { readonly page: PageContext; readonly request: OwnRequest; readonly file: ReceivedFile }) {
  const texts = page.texts.requests;
  const { id, size, url, visibility, scanStatus, encrypted } = file;
  // The hidden name of an encrypted file says nothing until the key is known.
  const name = toShareName({ title: null, name: file.name, files: 1, encrypted }, page.texts);
  const isReady = scanStatus === "clean";
  return (
    <li {...sealedData(file)}>
      <ReceivedImage file={file} />
      <div class="what">
        <p class="name">
          {isReady ? (
            <a href={url}>
              <FileName name={name} />
            </a>
          ) : (
            <FileName name={name} />
          )}
        </p>
        <p class="quiet">
          {formatSize(size, page.language)}
          <Status page={page} file={file} />
        </p>
      </div>
      {isReady && !encrypted ? (
        <a class="button small get" href={url} title={texts.download}>
          <SymbolIcon />
          <span class="unseen">
            {texts.download} {name}
          </span>
        </a>
      ) : null}
      {visibility === "private" && scanStatus !== "unavailable" && !encrypted ? (
        <form method="post" action={actionPath(request, "share")}>
          <button class="button small get" type="submit" name="fileIds" value={id} title={texts.share}>
            <ShareIcon />
            <span class="unseen">
              {texts.share} {name}
            </span>
          </button>
        </form>
      ) : null}
    </li>
  );
}

function ReceivedImage({ file: { name, thumbnailUrl, encrypted } }: { readonly file: ReceivedFile }) {
  if (encrypted) return <LockTile />;
  if (thumbnailUrl === null) return <FileTile name={name} />;
  return <img class="thumbnail" src={thumbnailUrl} alt="" loading="lazy" decoding="async" />;
}

/** Renders the command that downloads and decrypts what one sender sent. */
function DecryptCommand({ page, file }: { readonly page: PageContext; readonly file: ReceivedFile }) {
  const texts = page.texts.requests;
  const id = `decrypt-${file.shortId}`;
  return (
    <details class="terminal">
      <summary>{texts.inTerminal}</summary>
      <div class="copyable">
        <code id={id}>{decryptCommand(file.shareUrl)}</code>
        <button class="button small" type="button" data-copy={id} hidden>
          {texts.copy}
          <span class="unseen"> {texts.inTerminal}</span>
        </button>
      </div>
    </details>
  );
}

/** Returns the attributes by which the script decrypts a received file. */
function sealedData({ id, shortId, name, size, encrypted, scanStatus, bytesPath }: ReceivedFile): SealedData {
  if (!encrypted || scanStatus !== "clean") return {};
  return { "data-sealed": id, "data-short-id": shortId, "data-name": name, "data-size": String(size), "data-bytes": bytesPath };
}

type SealedData = Readonly<Record<`data-${string}`, string | undefined>>;

/** Renders what differs from a file that only its owner can open. */
function Status({ page: { texts }, file }: { readonly page: PageContext; readonly file: ReceivedFile }) {
  if (file.scanStatus === "unavailable") return <> · {texts.requests.blocked}</>;
  if (file.scanStatus !== "clean") return <> · {texts.requests.scanning}</>;
  if (file.visibility === "private") return null;
  return (
    <>
      {" · "}
      <a href={file.shareUrl}>{texts.requests.shared}</a>
    </>
  );
}
