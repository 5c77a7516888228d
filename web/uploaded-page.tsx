/** @jsxImportSource preact */
import { formatSize } from "../src/lib/format-size.ts";
import { toIso } from "../src/lib/iso-time.ts";
import { FileName, FileTile } from "./file-name.tsx";
import { formatDate } from "./format.ts";
import { renderDocument } from "./layout.tsx";
import type { PageContext } from "./page-context.ts";
import { QrCode } from "./qr-code.tsx";

export interface UploadedPageProps {
  readonly shareUrl: string;
  readonly fileId: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** Milliseconds since 1970; null where the file never expires. */
  readonly expiresAtMs: number | null;
  readonly once: boolean;
  /** Of anonymous uploads; shown once. */
  readonly claimToken?: string;
  readonly deletionToken?: string;
  /** Deletion link of an anonymous upload. */
  readonly deletionUrl?: string;
  /** Of protected uploads; shown once. */
  readonly unlockCode?: string;
  readonly handoffUrl?: string;
}

/**
 * Renders the result of a browser's upload: the link and, only this once, the secrets of an anonymous or protected upload. Element IDs contain
 * the file's ID, so that a script can show several results on one page.
 */
export function renderUploadedPage(page: PageContext, props: UploadedPageProps): string {
  const { shareUrl, fileId, name, sizeBytes, expiresAtMs } = props;
  return renderDocument(page, {
    title: "Your link is ready",
    main: { "data-state": "uploaded", "data-say": "Uploaded. Your link is ready." },
    children: (
      <>
        <section class="card">
          <h1>Your link is ready</h1>
          <div class="copyable big">
            <a id={`link-${fileId}`} href={shareUrl} data-link="">
              <LinkText url={shareUrl} />
            </a>
            <button class="button" type="button" data-copy={`link-${fileId}`} hidden>
              Copy link
            </button>
          </div>
          <div class="file small">
            <FileTile name={name} />
            <p class="name">
              <FileName name={name} />
              <span class="quiet block">
                {formatSize(sizeBytes, page.language)}
                {expiresAtMs === null ? ", never expires" : ", expires "}
                {expiresAtMs === null ? null : <time dateTime={toIso(expiresAtMs)}>{formatDate(expiresAtMs, page.language)}</time>}
                {props.once ? ", one download only" : null}
              </span>
            </p>
          </div>
          <details id={`qr-${fileId}`}>
            <summary>Show QR code</summary>
            <QrCode text={shareUrl} label="QR code of the link" />
          </details>
          <p class="actions">
            <a class="button plain" href="/">
              Share another file
            </a>
          </p>
        </section>
        <Protection {...props} />
        <Tokens {...props} />
      </>
    ),
  });
}

function Protection({ fileId, unlockCode, handoffUrl }: UploadedPageProps) {
  if (unlockCode === undefined && handoffUrl === undefined) return null;
  return (
    <section class="card">
      <h2>For the recipient; save it now</h2>
      <p class="quiet">The link needs the code. Send the code separately, or send only the private link.</p>
      {unlockCode === undefined ? null : <Secret id={`unlock-code-${fileId}`} label="Code" value={unlockCode} />}
      {handoffUrl === undefined ? null : (
        <Secret id={`handoff-url-${fileId}`} label="Private link: opens without the code" value={handoffUrl} />
      )}
    </section>
  );
}

function Tokens({ fileId, claimToken, deletionToken, deletionUrl }: UploadedPageProps) {
  if (claimToken === undefined && deletionToken === undefined) return null;
  return (
    <section class="card" data-fold="">
      <h2>For you only; save it now</h2>
      <p class="quiet">Keep this private. Anyone who has it can delete your file.</p>
      {deletionUrl === undefined ? null : (
        <Secret id={`deletion-url-${fileId}`} label="Deletion link: opens a page that deletes the file" value={deletionUrl} />
      )}
      <details id={`tokens-${fileId}`}>
        <summary>For programs and accounts</summary>
        <Secret id={`file-id-${fileId}`} label="File ID" value={fileId} />
        {deletionToken === undefined ? null : (
          <Secret id={`deletion-token-${fileId}`} label="Deletion token: deletes the file" value={deletionToken} />
        )}
        {claimToken === undefined ? null : (
          <Secret id={`claim-token-${fileId}`} label="Claim token: moves the file to an account" value={claimToken} />
        )}
      </details>
    </section>
  );
}

function Secret({ id, label, value }: { readonly id: string; readonly label: string; readonly value: string }) {
  return (
    <div class="secret">
      <p>{label}</p>
      <div class="copyable">
        <code id={id}>{value}</code>
        <button class="button small" type="button" data-copy={id} hidden>
          Copy<span class="unseen"> {label}</span>
        </button>
      </div>
    </div>
  );
}

/** A URL that wraps only before its path. */
function LinkText({ url }: { readonly url: string }) {
  const path = url.lastIndexOf("/d/");
  return (
    <>
      {url.slice(0, Math.max(0, path))}
      <wbr />
      {url.slice(Math.max(0, path))}
    </>
  );
}
