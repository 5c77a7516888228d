/** @jsxImportSource preact */

import { formatSize } from "../../src/lib/text/format-size.ts";
import { folderPath } from "../files/file-views.ts";
import { FileName, FileTile } from "../site/file-name.tsx";
import { formatDate } from "../site/format.ts";
import { LabelledSecret } from "../site/labelled-secret.tsx";
import { renderDocument } from "../site/layout.tsx";
import { Done } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { Ask } from "../site/panel.tsx";
import { QrCode } from "../site/qr-code.tsx";
import type { FolderChoice } from "./folder-choice.ts";
import { REQUESTS_PATH, type RequestAction, requestPath } from "./paths.ts";
import { RequestForm } from "./request-form.tsx";
import type { OwnRequest, ReceivedFile, ReceivedSubmission } from "./request-view.ts";
import { describeRequest } from "./requests-page.tsx";

export interface RequestPageProps {
  readonly request: OwnRequest;
  readonly submissions: readonly ReceivedSubmission[];
  readonly folders: readonly FolderChoice[];
  readonly done?: "created" | "saved" | "closed" | "reopened" | "rotated" | undefined;
  /** The new unlock code; shown only once. */
  readonly unlockCode?: string | undefined;
  /** The link of files that were just shared. */
  readonly sharedUrl?: string | undefined;
  readonly problem?: string | undefined;
}

/** Renders one request: its link, the received files by sender, and its settings. */
export function renderRequestPage(page: PageContext, props: RequestPageProps): string {
  const { request, submissions, folders, done, unlockCode, sharedUrl, problem } = props;
  const texts = page.texts.requests;
  const { requestUrl, title } = request;
  const mail = `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(texts.mailBody(requestUrl))}`;
  return renderDocument(page, {
    title,
    width: "medium",
    styles: ["dashboard", "requests"],
    scripts: request.encryptTo === null ? ["page"] : ["page", "ownRequests"],
    main: { "data-state": "own-request" },
    children: (
      <>
        <div class="hero">
          <p>
            <a href={REQUESTS_PATH}>{texts.all}</a>
          </p>
          <h1 dir="auto">{title}</h1>
          <p class="quiet">{describeRequest(page, request)}</p>
        </div>
        {done === undefined ? null : <Done>{texts.done[done]}</Done>}
        {sharedUrl === undefined ? null : (
          <section class="card" aria-label={texts.shared}>
            <Done>{texts.sharedDone}</Done>
            <CopyableLink id="shared-link" href={sharedUrl} label={texts.copyLink} />
          </section>
        )}
        <section class="card link-card" aria-label={texts.link}>
          <h2>{texts.link}</h2>
          <CopyableLink id="request-link" href={requestUrl} label={texts.copyLink} />
          {unlockCode === undefined ? null : (
            <LabelledSecret id="unlock-code" label={texts.code} note={texts.codeNote} value={unlockCode}>
              <button class="button small" type="button" data-copy="unlock-code" hidden>
                {texts.copy}
                <span class="unseen"> {texts.code}</span>
              </button>
            </LabelledSecret>
          )}
          <div class="link-ways">
            <a class="button small" href={mail}>
              {texts.mail}
            </a>
            <details>
              <summary>{texts.showQr}</summary>
              <QrCode text={requestUrl} label={texts.qrLabel} />
            </details>
          </div>
        </section>
        <section class="card" aria-labelledby="received">
          <h2 id="received">{texts.whoSent}</h2>
          <FolderLine page={page} folder={folders.find(({ id }) => id === request.folderId)} />
          {submissions.length === 0 ? <p class="quiet">{texts.nothing}</p> : null}
          {request.encryptTo === null ? null : (
            <div id="received-key" data-encrypt-to={request.encryptTo}>
              <p class="quiet">{page.texts.ownKey.withoutScripts}</p>
            </div>
          )}
          {submissions.map((submission) => (
            <Submission key={submission.createdAt} page={page} request={request} submission={submission} />
          ))}
        </section>
        <details class="card" open={problem !== undefined}>
          <summary>
            <h2>{texts.change}</h2>
          </summary>
          <RequestForm page={page} action={requestPath(request.id)} folders={folders} request={request} problem={problem} />
          <div class="request-actions">
            <form method="post" action={actionPath(request, request.state === "closed" ? "reopen" : "close")}>
              <button class="button plain" type="submit">
                {request.state === "closed" ? texts.reopen : texts.close}
              </button>
            </form>
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
        </details>
      </>
    ),
  });
}

const CopyableLink = ({ id, href, label }: { readonly id: string; readonly href: string; readonly label: string }) => (
  <div class="copyable big">
    <a id={id} href={href} data-link="">
      {href.replace(/^https?:\/\/|#.*$/g, "")}
      {href.includes("#") ? <span class="link-key">{href.slice(href.indexOf("#"))}</span> : null}
    </a>
    <button class="button" type="button" data-copy={id} hidden>
      {label}
    </button>
  </div>
);

const actionPath = ({ id }: OwnRequest, action: RequestAction): string => `${requestPath(id)}/${action}`;

/** Renders where the received files are. */
function FolderLine({ page: { texts }, folder }: { readonly page: PageContext; readonly folder: FolderChoice | undefined }) {
  if (folder === undefined) return null;
  return (
    <p class="quiet">
      {texts.requests.folder}:{" "}
      <a href={folderPath(folder.id)}>
        <bdi>{folder.path}</bdi>
      </a>
    </p>
  );
}

interface SubmissionProps {
  readonly page: PageContext;
  readonly request: OwnRequest;
  readonly submission: ReceivedSubmission;
}

function Submission({ page, request, submission: { senderName, senderNote, createdAt, files } }: SubmissionProps) {
  const texts = page.texts.requests;
  // Others could not decrypt what is encrypted for the owner.
  const unshared = files.filter(({ visibility, encrypted }) => visibility === "private" && !encrypted);
  const action = `${requestPath(request.id)}/share`;
  return (
    <div class="submission">
      <h3 dir="auto">{senderName ?? texts.anonymous}</h3>
      <p class="quiet">{texts.sentOn(formatDate(Date.parse(createdAt), page))}</p>
      {senderNote === null ? null : (
        <p class="request-message" dir="auto">
          {senderNote}
        </p>
      )}
      <ul class="files">
        {files.map((file) => (
          <li key={file.id} {...sealedData(file)}>
            <FileTile name={file.name} />
            <div class="what">
              <p class="name">
                {file.scanStatus === "clean" ? (
                  <a href={file.url}>
                    <FileName name={file.name} />
                  </a>
                ) : (
                  <FileName name={file.name} />
                )}
              </p>
              <p class="quiet">
                {formatSize(file.size, page.language)} · <Status page={page} file={file} />
              </p>
            </div>
            {file.visibility === "private" && file.scanStatus !== "unavailable" && !file.encrypted ? (
              <form method="post" action={action}>
                <button class="button small" type="submit" name="fileIds" value={file.id}>
                  {texts.share}
                  <span class="unseen"> {file.name}</span>
                </button>
              </form>
            ) : null}
          </li>
        ))}
      </ul>
      {unshared.length > 1 ? (
        <form method="post" action={action}>
          <input type="hidden" name="fileIds" value={unshared.map(({ id }) => id).join(",")} />
          <button class="button plain small" type="submit">
            {texts.shareAll}
          </button>
        </form>
      ) : null}
    </div>
  );
}

/** Returns the attributes by which the script decrypts a received file. */
function sealedData({ id, shortId, name, size, encrypted, scanStatus, bytesPath }: ReceivedFile): SealedData {
  if (!encrypted || scanStatus !== "clean") return {};
  return { "data-sealed": id, "data-short-id": shortId, "data-name": name, "data-size": String(size), "data-bytes": bytesPath };
}

type SealedData = Readonly<Record<`data-${string}`, string | undefined>>;

function Status({ page: { texts }, file }: { readonly page: PageContext; readonly file: ReceivedFile }) {
  if (file.scanStatus === "unavailable") return <>{texts.requests.blocked}</>;
  if (file.scanStatus !== "clean") return <>{texts.requests.scanning}</>;
  return file.visibility === "private" ? texts.requests.private : <a href={file.shareUrl}>{texts.requests.shared}</a>;
}
