/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { formatDate, formatDuration } from "../site/format.ts";
import { LockIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { linkPath } from "./paths.ts";
import { SendForm } from "./send-form.tsx";
import { SenderFields } from "./sender-fields.tsx";

export interface LinkPageProps {
  readonly token: string;
  /** The token that proves that the code of the request was entered. */
  readonly unlockToken?: string | undefined;
  readonly from: string;
  readonly title: string;
  readonly message: string | null;
  readonly leftFiles: number;
  readonly leftBytes: number;
  readonly maxFileBytes: number;
  readonly expiresAtMs: number;
  readonly nowMs: number;
  readonly siteUrl: string;
  readonly isScanned: boolean;
  /** The public key to which files are encrypted; null if they are sent as they are. */
  readonly encryptTo: string | null;
  /** The URL of a file that was refused, with the reason. */
  readonly refused?: { readonly url: string; readonly problem: string } | undefined;
}

/** Renders the page of a request: the account, its message, the remaining limits, and an uploader, which a script replaces by a better one. */
export function renderLinkPage(page: PageContext, props: LinkPageProps): string {
  const {
    token,
    unlockToken,
    from,
    title,
    message,
    leftFiles,
    leftBytes,
    maxFileBytes,
    expiresAtMs,
    nowMs,
    siteUrl,
    isScanned,
    encryptTo,
  } = props;
  const { language } = page;
  const texts = page.texts.receive;
  const action = linkPath(token) + (unlockToken === undefined ? "" : `?${new URLSearchParams({ unlockToken })}`);
  return renderDocument(page, {
    title: texts.title(from),
    description: title,
    styles: ["requests"],
    scripts: ["page", "request"],
    main: { "data-state": "request" },
    children: (
      <>
        <div class="hero request-head">
          <p>{texts.title(from)}</p>
          <h1 dir="auto">{title}</h1>
          {message === null ? null : (
            <p class="request-message" dir="auto">
              {message}
            </p>
          )}
          <p class="quiet request-left">
            {texts.left(page.texts.send.files(leftFiles), formatSize(leftBytes, language))}
            {" · "}
            <span title={formatDate(expiresAtMs, page)}>{page.texts.requests.timeLeft(formatDuration(expiresAtMs - nowMs, language))}</span>
          </p>
          {encryptTo === null ? null : (
            <p class="request-lock">
              <LockIcon />
              {texts.encryptedFor(from)}
            </p>
          )}
        </div>
        <div
          class="sender"
          id="request"
          data-site={siteUrl}
          data-token={token}
          data-unlock-token={unlockToken}
          data-from={from}
          data-max-bytes={String(maxFileBytes)}
          data-max-files={String(leftFiles)}
          data-scanned={String(isScanned)}
          data-is-file-limited={maxFileBytes < leftBytes ? "" : undefined}
          data-encrypt-to={encryptTo ?? undefined}
        >
          <SendForm page={page} action={action} submitLabel={texts.sendFiles} {...props}>
            <SenderFields texts={texts} optional={page.texts.send.optional} />
          </SendForm>
        </div>
        {encryptTo === null ? (
          <>
            <UrlForm page={page} action={action} refused={props.refused} />
            <p class="quiet request-note">{texts.lead(from)}</p>
          </>
        ) : null}
      </>
    ),
  });
}

interface UrlFormProps extends Pick<LinkPageProps, "refused"> {
  readonly page: PageContext;
  readonly action: string;
}

/** Renders the form that has the server fetch a file. An encrypted request has none, because the server would read the file. */
function UrlForm({ page, action, refused }: UrlFormProps) {
  const texts = page.texts.receive;
  return (
    <details class="card request-url" open={refused !== undefined}>
      <summary>{texts.fromUrl}</summary>
      <form class="form" method="post" action={action} data-once="">
        <label class="field" for="url">
          {texts.url}
          <input
            id="url"
            name="url"
            type="url"
            required
            maxLength={4096}
            value={refused?.url}
            autocomplete="off"
            autofocus={refused !== undefined}
            aria-invalid={refused === undefined ? undefined : "true"}
            aria-describedby={refused === undefined ? undefined : "url-problem"}
          />
        </label>
        {refused === undefined ? null : (
          <p class="quiet field-error" id="url-problem">
            {refused.problem}
          </p>
        )}
        <label class="field" for="url-sender-name">
          <span>
            {texts.name} <span class="quiet">{page.texts.send.optional}</span>
          </span>
          <input id="url-sender-name" name="senderName" type="text" maxLength={100} autoComplete="name" dir="auto" />
        </label>
        <button class="button" type="submit">
          {texts.fetch}
        </button>
      </form>
    </details>
  );
}

export interface RequestCodePageProps {
  readonly token: string;
  /** The name of the account that asks; null if it is not shown before the code. */
  readonly from: string | null;
  readonly problem?: string | undefined;
}

/** Renders the form for the code of a request. */
export function renderRequestCodePage(page: PageContext, { token, from, problem }: RequestCodePageProps): string {
  const texts = page.texts.receive;
  const title = from === null ? texts.unnamedTitle : texts.title(from);
  return renderDocument(page, {
    title,
    scripts: ["page", "request"],
    main: { "data-state": "request-locked" },
    children: (
      <section class="card message">
        <span class="badge note">
          <LockIcon />
        </span>
        <h1>{title}</h1>
        <p>{texts.codeLead}</p>
        <form class="unlock" method="post" action={linkPath(token)}>
          <label class="field" for="unlock-code">
            {texts.codeLabel}
          </label>
          <div class="code-row">
            <input
              class="code"
              id="unlock-code"
              name="unlockCode"
              type="text"
              required
              maxLength={32}
              autocomplete="one-time-code"
              autocapitalize="characters"
              spellcheck={false}
              autofocus={problem !== undefined}
              aria-invalid={problem === undefined ? undefined : "true"}
              aria-describedby={problem === undefined ? undefined : "unlock-problem"}
            />
            <button class="button" type="submit">
              {texts.unlock}
            </button>
          </div>
          {problem === undefined ? null : (
            <p class="quiet field-error" id="unlock-problem">
              {problem}
            </p>
          )}
        </form>
      </section>
    ),
  });
}
