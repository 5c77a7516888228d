/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { toIso } from "../../src/lib/text/iso-time.ts";
import { FileName, FileTile } from "../site/file-name.tsx";
import { formatDate } from "../site/format.ts";
import { LabelledSecret } from "../site/labelled-secret.tsx";
import { renderDocument } from "../site/layout.tsx";
import { LinkText } from "../site/link-text.tsx";
import type { PageContext } from "../site/page-context.ts";
import { QrCode } from "../site/qr-code.tsx";
import type { UploadedTexts } from "./texts/en.ts";

export interface UploadedPageProps {
  readonly shareUrl: string;
  readonly fileId: string;
  /** The name of the first file. */
  readonly name: string;
  readonly fileCount: number;
  readonly sizeBytes: number;
  /** Milliseconds since 1970; null if the file never expires. */
  readonly expiresAtMs: number | null;
  readonly once: boolean;
  /** The claim token of an anonymous upload; shown only once. */
  readonly claimToken?: string;
  readonly deletionToken?: string;
  /** The deletion link of an anonymous upload. */
  readonly deletionUrl?: string;
  /** The code of a protected upload; shown only once. */
  readonly unlockCode?: string;
  readonly handoffUrl?: string;
}

/**
 * Renders the result of a browser's upload: the link, and the secrets of an anonymous or protected upload, which are shown only once. Element IDs
 * contain the file's ID, so that a script can show several results on one page.
 */
export function renderUploadedPage(page: PageContext, props: UploadedPageProps): string {
  const { shareUrl, fileId, name, fileCount, sizeBytes, expiresAtMs } = props;
  const texts = page.texts.uploaded;
  return renderDocument(page, {
    title: texts.title,
    main: { "data-state": "uploaded", "data-say": texts.say },
    children: (
      <>
        <section class="card">
          <h1>{texts.title}</h1>
          <div class="copyable big">
            <a id={`link-${fileId}`} href={shareUrl} data-link="">
              <LinkText url={shareUrl} />
            </a>
            <button class="button" type="button" data-copy={`link-${fileId}`} hidden>
              {texts.copyLink}
            </button>
          </div>
          <div class="file small">
            <FileTile name={name} />
            <p class="name">
              {fileCount === 1 ? <FileName name={name} /> : page.texts.send.files(fileCount)}
              <span class="quiet block">
                {formatSize(sizeBytes, page.language)}
                {`, ${expiresAtMs === null ? texts.neverExpires : texts.expires} `}
                {expiresAtMs === null ? null : <time dateTime={toIso(expiresAtMs)}>{formatDate(expiresAtMs, page)}</time>}
                {props.once ? `, ${texts.once}` : null}
              </span>
            </p>
          </div>
          <details id={`qr-${fileId}`}>
            <summary>{texts.showQr}</summary>
            <QrCode text={shareUrl} label={texts.qrLabel} />
          </details>
          <p class="actions">
            <a class="button plain" href="/">
              {texts.another}
            </a>
          </p>
        </section>
        <Protection {...props} texts={texts} />
        <Tokens {...props} texts={texts} />
      </>
    ),
  });
}

type WithTexts = UploadedPageProps & { readonly texts: UploadedTexts };

function Protection({ texts, fileId, unlockCode, handoffUrl }: WithTexts) {
  if (unlockCode === undefined && handoffUrl === undefined) return null;
  return (
    <section class="card">
      <h2>{texts.recipientTitle}</h2>
      <p class="quiet">{unlockCode === undefined ? texts.passwordNote : texts.recipientNote}</p>
      {unlockCode === undefined ? null : <Secret texts={texts} id={`unlock-code-${fileId}`} label={texts.code} value={unlockCode} />}
      {handoffUrl === undefined ? null : (
        <Secret
          texts={texts}
          id={`handoff-url-${fileId}`}
          label={unlockCode === undefined ? texts.privateLinkPassword : texts.privateLink}
          value={handoffUrl}
        />
      )}
    </section>
  );
}

function Tokens({ texts, fileId, claimToken, deletionToken, deletionUrl }: WithTexts) {
  if (claimToken === undefined && deletionToken === undefined) return null;
  return (
    <section class="card" data-fold="">
      <h2>{texts.ownTitle}</h2>
      <p class="quiet">{texts.ownNote}</p>
      {deletionUrl === undefined ? null : (
        <Secret texts={texts} id={`deletion-url-${fileId}`} label={texts.deletionLink} value={deletionUrl} />
      )}
      <details id={`tokens-${fileId}`}>
        <summary>{texts.programs}</summary>
        <Secret texts={texts} id={`file-id-${fileId}`} label={texts.fileId} value={fileId} />
        {deletionToken === undefined ? null : (
          <Secret texts={texts} id={`deletion-token-${fileId}`} label={texts.deletionToken} value={deletionToken} />
        )}
        {claimToken === undefined ? null : (
          <Secret texts={texts} id={`claim-token-${fileId}`} label={texts.claimToken} value={claimToken} />
        )}
      </details>
    </section>
  );
}

interface SecretProps {
  readonly texts: UploadedTexts;
  readonly id: string;
  readonly label: string;
  readonly value: string;
}

function Secret({ texts, id, label, value }: SecretProps) {
  return (
    <LabelledSecret id={id} label={label} value={value}>
      <button class="button small" type="button" data-copy={id} hidden>
        {texts.copy}
        <span class="unseen"> {label}</span>
      </button>
    </LabelledSecret>
  );
}
