/** @jsxImportSource preact */
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { toIso } from "../../src/lib/text/iso-time.ts";
import type { Tone } from "../site/file-status.ts";
import { formatDate, formatDollars, formatDuration, formatRelative, visibleText } from "../site/format.ts";
import { BlockedIcon, CheckIcon, InfoIcon, LockIcon, WaitIcon } from "../site/icons.tsx";
import type { PageContext } from "../site/page-context.ts";
import { type ListRequest, toListQuery } from "./file-listing.ts";
import { isOneFile, mustWaitForSponsor, type ShareFile, type SharePageProps } from "./share-page-props.ts";
import { hasHiddenName, shownName } from "./share-title.ts";
import type { FileTotals } from "./share-totals.ts";
import { listUrl, sharePath, withKeyCommand } from "./share-urls.ts";

/** The data with which the parts of a share's page are rendered. */
export interface ShareProps {
  readonly page: PageContext;
  readonly share: SharePageProps;
}

/** The data with which the parts of a shipment's page are rendered. */
export interface ShipmentProps extends ShareProps {
  readonly totals: FileTotals;
}

/** Renders the name of the sender above the heading: `From Ada Lovelace`. */
export function Sender({ page, share }: ShareProps) {
  const name = visibleText(share.senderName ?? "").trim();
  if (name === "") return null;
  return (
    <p class="quiet from">
      {page.texts.share.from} <bdi>{name}</bdi>
    </p>
  );
}

/** Renders the facts below the heading: `JPEG image · 3.3 MB · expires in 3 days`. */
export function Facts({ page, share, facts }: ShareProps & { readonly facts: readonly string[] }) {
  const { sale } = share;
  const price = sale?.kind === "offer" && share.access.kind === "locked" ? [toCosts(page, sale.priceCents)] : [];
  return (
    <p class="quiet facts-line">
      {facts.map((fact) => `${fact} · `)}
      {[describeExpiry(page, share), ...price].map((fact, index) => (
        <>
          {index === 0 ? "" : " · "}
          <span class="unbroken">{fact}</span>
        </>
      ))}
    </p>
  );
}

const toCosts = ({ texts, language }: PageContext, priceCents: number): string => texts.sale.costs(formatDollars(priceCents, language));

function describeExpiry({ texts, language }: PageContext, { expiresAtMs, expiresAfterMs, nowMs }: SharePageProps): string {
  if (expiresAfterMs !== undefined) return texts.share.expires(texts.share.expiresAfterUpload(formatDuration(expiresAfterMs, language)));
  return expiresAtMs === null ? texts.share.neverExpires : texts.share.expires(formatRelative(expiresAtMs, nowMs, language));
}

/** Renders the expiry of a share: relative to the current time, and as a date. */
export function Expiry({ page, share }: ShareProps) {
  const { texts, language } = page;
  if (share.expiresAfterMs !== undefined) return <>{texts.share.expiresAfterUpload(formatDuration(share.expiresAfterMs, language))}</>;
  if (share.expiresAtMs === null) return <>{texts.share.never}</>;
  return (
    <>
      <span class="relative">{formatRelative(share.expiresAtMs, share.nowMs, language)}</span>{" "}
      <LocalTime timeMs={share.expiresAtMs} page={page} />
    </>
  );
}

/** Renders a time, which a script converts to the reader's time zone. */
export function LocalTime({ timeMs, page }: { readonly timeMs: number; readonly page: PageContext }) {
  return <time dateTime={toIso(timeMs)}>{formatDate(timeMs, page)}</time>;
}

const STATE_ICONS = { wait: WaitIcon, good: CheckIcon, note: InfoIcon, bad: BlockedIcon } as const;

/** A message about the state of a file, or of several. */
export interface StateMessage {
  readonly tone: Tone;
  readonly headline: string;
  readonly detail: string;
  /** Whether it says that files are encrypted, which a lock shows. */
  readonly isEncrypted?: boolean;
}

/** Whether a state does not prevent a download. */
export const isSettled = ({ tone }: Pick<StateMessage, "tone">): boolean => tone === "good" || tone === "note";

/** Renders a state, to which buttons refer as their description: a box if it prevents a download, otherwise a plain line. */
export function State({ isLine, ...state }: StateMessage & { readonly isLine?: boolean }) {
  const { tone, headline, detail, isEncrypted = false } = state;
  const StateIcon = isEncrypted ? LockIcon : STATE_ICONS[tone];
  if (isLine ?? isSettled({ tone })) {
    return (
      <p class={`state-line ${tone}`} id="state">
        <StateIcon />
        <span>
          <span>{headline}</span>
          {detail === "" ? null : <span class="block">{detail}</span>}
        </span>
      </p>
    );
  }
  return (
    <div class={`state ${tone}`} id="state">
      <StateIcon />
      <p>
        <strong>{headline}</strong>
        {detail === "" ? null : <span>{detail}</span>}
      </p>
    </div>
  );
}

/** Renders what decrypts the files where no script does: the program, with the link to which the recipient adds its key. */
export function DecryptionWithoutScripts({ page, share }: ShareProps) {
  if (!share.files.some(({ isEncrypted }) => isEncrypted)) return null;
  return (
    <p class="quiet without-scripts">
      {page.texts.share.decryptionNeedsScript} <code>{withKeyCommand(share.shareUrl)}</code>
    </p>
  );
}

/** Renders a link to the administrator, if the site has one, below the state of blocked files. */
export function AskAdministrator({ page: { site, texts } }: { readonly page: PageContext }) {
  if (site.abuseUrl === undefined) return null;
  return (
    <p>
      <a class="go" href={site.abuseUrl} rel="noopener">
        {texts.messages.contact}
      </a>
    </p>
  );
}

/** Renders the progress of uploads, in whole percent. */
export function UploadProgress({
  page: { texts },
  doneBytes,
  totalBytes,
}: {
  readonly page: PageContext;
  readonly doneBytes: number;
  readonly totalBytes: number;
}) {
  const percent = totalBytes === 0 ? 0 : Math.floor((100 * doneBytes) / totalBytes);
  return <progress value={percent} max={100} aria-label={texts.share.uploadingPercent(percent)} />;
}

/**
 * Returns the attributes of a main button that downloads encrypted files. Only a script decrypts them, so the button is disabled until the script has
 * loaded, and hidden without scripts; `EncryptedDownload` is beside it.
 */
export const needsScript = (isEncrypted: boolean, isDisabled: boolean) => ({
  disabled: isDisabled || isEncrypted,
  ...(isEncrypted && { "data-needs-script": isDisabled ? "waiting" : "" }),
});

/** The ID of the form of the downloads. */
export const DOWNLOAD_FORM = "download";

interface EncryptedDownloadProps extends ShareProps {
  /** The number of files that can be downloaded. */
  readonly ready: number;
  readonly class: "button plain" | "link";
}

/**
 * Renders the button that downloads files as they are stored. It is beside the one that decrypts them while that one cannot be used, without scripts or
 * a key, and in the details.
 */
export function EncryptedDownload({ page, share, ready, ...attributes }: EncryptedDownloadProps & ButtonHTMLAttributes) {
  const ofAll = isOneFile(share) ? {} : { formAction: sharePath(share, "/archive"), name: "all", value: "true" };
  const isDisabled = ready === 0 || mustWaitForSponsor(share);
  return (
    <button type="submit" form={DOWNLOAD_FORM} data-as-stored="" {...ofAll} disabled={isDisabled} {...attributes}>
      {page.texts.encryption.downloadEncrypted}
    </button>
  );
}

/** Returns the attributes with which the script decrypts a file that its sender encrypted. */
export const encryptedData = (page: PageContext, file: ShareFile): Readonly<Record<`data-${string}`, string>> =>
  file.isEncrypted
    ? {
        "data-encrypted": String(file.sizeBytes ?? 0),
        "data-name": file.name,
        ...(hasHiddenName(file) && { "data-shown": shownName(page, file) }),
        ...(file.encryptedUrl !== undefined && { "data-bytes": file.encryptedUrl }),
      }
    : {};

/** Returns the attributes with which the script decrypts several files into one ZIP, if some of them are encrypted. */
export const severalEncryptedData = (
  { files, title }: Pick<SharePageProps, "files" | "title">,
  sizeBytes: number,
): Readonly<Record<`data-${string}`, string>> =>
  files.some(({ isEncrypted }) => isEncrypted) ? { "data-encrypted": String(sizeBytes), ...(title && { "data-title": title }) } : {};

/** Renders a file's remaining downloads; nothing without a limit. */
export function DownloadsNote({ page, share, downloadsLeft }: ShareProps & { readonly downloadsLeft: number | null }) {
  if (downloadsLeft === null) return null;
  const { share: texts } = page.texts;
  return (
    <>
      <p class="started" data-started="" hidden>
        {texts.started}
      </p>
      <p class="quiet left" data-left="">
        {share.once && downloadsLeft > 0 ? texts.onceOnly : texts.downloadsLeft(downloadsLeft)}
      </p>
    </>
  );
}

/** Renders the hidden fields of every form: the token of an unlocked share, and the token of the wait. */
export function HiddenFields({ share: { access, wait } }: Pick<ShareProps, "share">) {
  return (
    <>
      {access.kind === "unlocked" ? <input type="hidden" name={access.field} value={access.token} /> : null}
      {wait === undefined ? null : <input type="hidden" name="ready" value={wait.token} />}
    </>
  );
}

/** Renders the remaining wait. A script counts it down; screen readers announce only its end. */
export function WaitNote({ page, share }: ShareProps) {
  if (!mustWaitForSponsor(share)) return null;
  return (
    <p class="wait-note" id="wait">
      {page.texts.share.canDownloadIn} <span data-seconds="">{formatDuration((share.wait?.seconds ?? 0) * 1000, page.language)}</span>.
    </p>
  );
}

/** Renders the sender's message as plain text, with its line breaks. */
export function Message({ page, text }: { readonly page: PageContext; readonly text: string | null | undefined }) {
  if (!text?.trim()) return null;
  return (
    <figure class="letter">
      <figcaption>{page.texts.share.message}</figcaption>
      <blockquote dir="auto">{text.trim()}</blockquote>
    </figure>
  );
}

/** Renders a button that refreshes an unlocked page with its token. Scripts submit it automatically and hide it. */
export function RefreshForm({ page, share }: ShareProps) {
  const isUnlocked = share.access.kind === "unlocked";
  const query = toListQuery(share.listing);
  return (
    <form
      class="again"
      method={isUnlocked ? "post" : "get"}
      action={sharePath(share, isUnlocked ? "/unlock" : "")}
      {...(isUnlocked ? { "data-again": "" } : {})}
    >
      <HiddenFields share={share} />
      {query === "" ? null : <input type="hidden" name="go" value={query} />}
      <button class="button plain" type="submit">
        {page.texts.share.refresh}
      </button>
    </form>
  );
}

interface GoProps {
  readonly share: SharePageProps;
  readonly change: Partial<ListRequest>;
  /** Whether scripts add the loaded entries to the list instead of showing another list. */
  readonly adds?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Renders a link to another part of the list; a button of the form `go` if a code unlocked the page. */
export function Go({ share, change, adds, children, ...rest }: GoProps) {
  const request = { ...share.listing, page: 1, ...change };
  const url = listUrl(share, request);
  const attributes = { "data-go": adds ? "add" : "show" };
  const className = `go ${rest.class ?? ""}`.trim();
  if (url !== undefined) {
    return (
      <a class={className} href={url} {...attributes}>
        {children}
      </a>
    );
  }
  return (
    <button class={className} type="submit" form="go" name="go" value={toListQuery(request)} {...attributes}>
      {children}
    </button>
  );
}
