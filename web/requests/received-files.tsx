/** @jsxImportSource preact */
import type { ComponentChild } from "preact";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { folderPath } from "../files/file-views.ts";
import { formatExactDate, formatShortDate } from "../files/short-date.ts";
import { toShareName } from "../shares/share-row.ts";
import { FileName, FileTile, LockTile } from "../site/file-name.tsx";
import { DownloadIcon, DownloadSymbol, ShareIcon, SymbolIcon } from "../site/icons.tsx";
import type { PageContext } from "../site/page-context.ts";
import type { FolderChoice } from "./folder-choice.ts";
import { actionPath, decryptCommand } from "./paths.ts";
import type { OwnRequest, ReceivedFile, ReceivedSubmission } from "./request-view.ts";

interface ReceivedProps {
  readonly page: PageContext;
  readonly request: OwnRequest;
  readonly submissions: readonly ReceivedSubmission[];
  readonly folders: readonly FolderChoice[];
  readonly nowMs: number;
  readonly sharedUrl?: string | undefined;
}

/** Renders the files that a request received, by sender, with the buttons that download and share them. */
export function Received({ page, request, submissions, folders, nowMs, sharedUrl }: ReceivedProps) {
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
        <FileActions page={page} request={request} files={files} isAll isMain={sharedUrl === undefined} />
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
  /** Whether the files are all that the request received. */
  readonly isAll?: boolean;
  /** Whether downloading them is the main action of the page. */
  readonly isMain?: boolean;
  /** The sender of the files, for screen readers. */
  readonly about?: string;
}

/** Renders the buttons that download several files as one ZIP, and share them. Others could not decrypt what is encrypted for the owner. */
function FileActions({ page, request, files, isAll = false, isMain = false, about }: FileActionsProps) {
  const { requests: texts, share } = page.texts;
  const buttonClass = isMain ? "button" : isAll ? "button plain" : "button small";
  const ready = files.filter(({ scanStatus, encrypted }) => scanStatus === "clean" && !encrypted);
  const unshared = files.filter(({ visibility, encrypted }) => visibility === "private" && !encrypted);
  const of = about === undefined ? null : <span class="unseen">: {about}</span>;
  if (ready.length === 0)
    return request.encryptTo === null ? null : (
      <SaveAll page={page} request={request} files={files} isAll={isAll} buttonClass={buttonClass} of={of} />
    );
  const size = formatSize(sumOf(ready), page.language);
  const [only] = ready;
  return (
    <div class="received-actions">
      {ready.length === 1 && only ? (
        <a class={buttonClass} href={only.url}>
          <DownloadIcon />
          {texts.download}
          {of}
        </a>
      ) : (
        <form method="post" action={actionPath(request, "download")} data-download="free">
          {isAll ? null : <FileIds files={ready} />}
          <button class={buttonClass} type="submit">
            <DownloadIcon />
            <span>
              {isAll ? share.downloadAll : texts.download} <span class="aside">{share.zip(size)}</span>
            </span>
            {of}
          </button>
        </form>
      )}
      {unshared.length > 1 ? (
        <form method="post" action={actionPath(request, "share")} data-once="">
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

type SaveAllProps = Pick<FileActionsProps, "page" | "request" | "files" | "isAll"> & {
  readonly buttonClass: string;
  readonly of: ComponentChild;
};

/** Renders the button with which the script saves several encrypted files as one ZIP, once it has the key. */
function SaveAll({ page: { texts, language }, request, files, isAll, buttonClass, of }: SaveAllProps) {
  const ready = files.filter(({ scanStatus }) => scanStatus === "clean");
  if (ready.length < 2) return null;
  // The page has rows for the newest files only.
  const sizeBytes = isAll && request.receivedFiles > files.length ? request.receivedBytes : sumOf(ready);
  return (
    <div class="received-actions">
      <button class={buttonClass} type="button" data-save-all={isAll ? "all" : "sender"} data-size={sizeBytes} hidden>
        <DownloadIcon />
        <span data-action="">
          {texts.ownKey.downloadAll} <span class="aside">{texts.share.zip(formatSize(sizeBytes, language))}</span>
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
        <form method="post" action={actionPath(request, "share")} data-once="">
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
