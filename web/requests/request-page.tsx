/** @jsxImportSource preact */
import { BackLink } from "../site/back-link.tsx";
import { CrossIcon } from "../site/icons.tsx";
import { LabelledSecret } from "../site/labelled-secret.tsx";
import { renderDocument } from "../site/layout.tsx";
import { Done } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { Ask } from "../site/panel.tsx";
import { QrCode } from "../site/qr-code.tsx";
import type { FolderChoice } from "./folder-choice.ts";
import { actionPath, REQUESTS_PATH, requestPath } from "./paths.ts";
import { Received } from "./received-files.tsx";
import { RequestForm } from "./request-form.tsx";
import type { OwnRequest, ReceivedSubmission } from "./request-view.ts";
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
        <>
          <CopyableLink id="request-link" href={requestUrl} label={texts.copyLink} isMain={submissions.length === 0} />
          {request.unlockRequired && unlockCode === undefined ? <p class="quiet">{texts.codeApart}</p> : null}
        </>
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
            <summary class="button small">{texts.showQr}</summary>
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
