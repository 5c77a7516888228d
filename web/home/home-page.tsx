/** @jsxImportSource preact */
import { MCP_PATH } from "../../src/contract/endpoints.ts";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { type Retention, SendOptions } from "../sending/send-options.tsx";
import type { SendTexts } from "../sending/texts/en.ts";
import type { ShareFieldTexts } from "../share/texts/en.ts";
import { formatDuration } from "../site/format.ts";
import { UploadIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import { NO_NOTICES, type NoticeChoices } from "../site/notify-select.tsx";
import type { PageContext } from "../site/page-context.ts";
import type { AliasTexts, NotifyTexts } from "../site/texts/en.ts";
import type { Language } from "../texts/languages.ts";

export interface HomePageProps {
  /** The URL of the site without a trailing slash. */
  readonly siteUrl: string;
  /** Limits of the caller's tier. */
  readonly limits: {
    readonly fileBytes: number;
    /** The size of the largest file with an account; undefined if one does not help. */
    readonly accountBytes?: number | undefined;
    readonly retention: Retention;
    /** The storage that the caller has left; undefined if nothing of it is used. */
    readonly leftBytes?: number | undefined;
  };
  /** Whether the server accepts files that their senders encrypted. */
  readonly acceptsEncrypted: boolean;
  /** Whether uploads are open to everybody. If they require an account, a sentence replaces the form. */
  readonly acceptsUploads?: boolean;
  readonly version: string;
}

/** Renders the start page with an uploader, which a script replaces by a better one. */
export function renderHomePage(page: PageContext, props: HomePageProps): string {
  const isClosed = props.acceptsUploads === false;
  const texts = page.texts.send;
  return renderDocument(page, {
    title: texts.title,
    description: isClosed ? `${texts.title}.` : texts.description,
    scripts: isClosed ? ["page"] : ["page", "send", "install"],
    version: props.version,
    children: (
      <>
        {isClosed ? (
          <Closed texts={texts} />
        ) : (
          <Uploader
            {...props}
            texts={texts}
            fields={page.texts.shareFields}
            language={page.language}
            notifyTexts={page.person && page.texts.notify}
            notices={page.person?.notices ?? NO_NOTICES}
            aliasTexts={page.person && page.texts.alias}
          />
        )}
        <section class="card terminal">
          <h2>{texts.terminal}</h2>
          <div class="copyable">
            <code id="curl">
              curl -T file {isClosed ? '-H "Authorization: Bearer KEY" ' : ""}
              {props.siteUrl}/
            </code>
            <button class="button small" type="button" data-copy="curl" hidden>
              {texts.copy}
            </button>
          </div>
          <p class="quiet">
            {texts.terminalNote}
            {isClosed ? texts.terminalKey : ""}. {texts.terminalPrograms} <a href="/docs">{texts.terminalReference}</a>,{" "}
            <a href="/llms.txt">{texts.terminalLink}</a>, <a href={MCP_PATH}>{texts.terminalMcp}</a>.
          </p>
        </section>
      </>
    ),
  });
}

function Closed({ texts }: { readonly texts: SendTexts }) {
  return (
    <>
      <div class="hero">
        <h1>{texts.title}</h1>
        <p>{texts.closedLead}</p>
      </div>
      <section class="card">
        <h2>{texts.closedTitle}</h2>
        <p>{texts.closedAsk}</p>
        <p>{texts.closedPrograms}</p>
      </section>
    </>
  );
}

interface UploaderProps extends HomePageProps {
  readonly texts: SendTexts;
  readonly fields: ShareFieldTexts;
  readonly language: Language;
  readonly notifyTexts: NotifyTexts | undefined;
  readonly notices: NoticeChoices;
  readonly aliasTexts: AliasTexts | undefined;
}

/** Renders the uploader without JavaScript: one form, whose files get one link. */
function Uploader({
  siteUrl,
  limits: { fileBytes, accountBytes, retention, leftBytes },
  acceptsEncrypted,
  texts,
  fields,
  language,
  notifyTexts,
  notices,
  aliasTexts,
}: UploaderProps) {
  const limits = [
    texts.limits(formatSize(fileBytes, language), retention.isKept ? undefined : formatDuration(retention.longestMs, language)),
    leftBytes === undefined ? "" : texts.storageLeft(leftBytes === 0 ? undefined : formatSize(leftBytes, language)),
  ];
  return (
    <div
      class="sender"
      id="send"
      data-site={siteUrl}
      data-max-bytes={String(fileBytes)}
      data-account-bytes={accountBytes}
      data-left-bytes={leftBytes}
      data-longest-ms={retention.longestMs}
      data-kept={retention.isKept ? "" : undefined}
      data-encrypts={String(acceptsEncrypted)}
    >
      <div class="hero">
        <h1>{texts.title}</h1>
        <p>{notifyTexts ? texts.leadSignedIn : texts.lead}</p>
      </div>
      <form class="card send" id="upload" method="post" action="/" enctype="multipart/form-data">
        <div class="send-drop">
          <UploadIcon />
          <label class="send-drop-text" for="file">
            {texts.chooseFiles}
          </label>
          <input id="file" type="file" name="file" multiple required aria-describedby="limits" />
        </div>
        <SendOptions
          texts={texts}
          fields={fields}
          language={language}
          retention={retention}
          notifyTexts={notifyTexts}
          notices={notices}
          aliasTexts={aliasTexts}
        />
        <div class="send-go">
          <button class="button" type="submit" id="submit">
            {texts.getLink}
          </button>
          <p class="quiet" id="limits">
            {limits.filter(Boolean).join(" ")}
          </p>
        </div>
      </form>
    </div>
  );
}
