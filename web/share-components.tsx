/** @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { formatSize } from "../src/lib/format-size.ts";
import { toIso } from "../src/lib/iso-time.ts";
import type { FileStatus } from "./file-status.ts";
import { describeType } from "./file-types.ts";
import { counted, formatDate, formatDuration, formatRelative } from "./format.ts";
import { BlockedIcon, CheckIcon, InfoIcon, WaitIcon } from "./icons.tsx";
import { mustWait, type ShareFile, type SharePageProps, sharePath } from "./share-view.ts";

/** A list of a file's type, size and, if given, expiry. */
export function FileFacts({ file, expiry }: { readonly file: ShareFile; readonly expiry?: ComponentChildren }) {
  return (
    <dl class="facts">
      <div>
        <dt>Type</dt>
        <dd>{describeType(file.contentType, file.name)}</dd>
      </div>
      <div>
        <dt>Size</dt>
        <dd>{file.sizeBytes === null ? "Not known yet" : formatSize(file.sizeBytes)}</dd>
      </div>
      {expiry === undefined ? null : (
        <div>
          <dt>Expires</dt>
          <dd>{expiry}</dd>
        </div>
      )}
    </dl>
  );
}

/** When a share expires: relative to now, and as a date. */
export function Expiry({ share }: { readonly share: SharePageProps }) {
  if (share.expiresAfterMs !== undefined) return <>{formatDuration(share.expiresAfterMs, "en")} after the upload</>;
  if (share.expiresAtMs === null) return <>Never</>;
  return (
    <>
      <span class="relative">{formatRelative(share.expiresAtMs, share.nowMs, "en")}</span> <LocalTime timeMs={share.expiresAtMs} />
    </>
  );
}

/** A time in UTC; a script converts it to the reader's time zone. */
export function LocalTime({ timeMs }: { readonly timeMs: number }) {
  return <time dateTime={toIso(timeMs)}>{formatDate(timeMs, "en")}</time>;
}

const STATE_ICONS = { wait: WaitIcon, good: CheckIcon, note: InfoIcon, bad: BlockedIcon } as const;

/** A file's state in a coloured box, which buttons refer to as their description. */
export function StateBox({ state, id }: { readonly state: Omit<FileStatus, "name">; readonly id: string }) {
  const StateIcon = STATE_ICONS[state.tone];
  return (
    <div class={`state ${state.tone}`} id={id}>
      <StateIcon />
      <p>
        <strong>{state.headline}</strong>
        {state.detail === "" ? null : <span>{state.detail}</span>}
      </p>
    </div>
  );
}

/** A file's remaining downloads; nothing without a limit. */
export function DownloadsNote({ share, downloadsLeft }: { readonly share: SharePageProps; readonly downloadsLeft: number | null }) {
  return downloadsLeft === null ? null : (
    <p class="quiet centre" data-left="">
      {downloadsNote(share, downloadsLeft)}
    </p>
  );
}

function downloadsNote({ once }: SharePageProps, downloadsLeft: number): string {
  if (downloadsLeft === 0) return "No downloads left.";
  return once ? "One download only: the link stops working afterwards." : `${counted(downloadsLeft, "en", "download", "downloads")} left.`;
}

/** The hidden fields of every form: the token of an unlocked share, and the token of the wait. */
export function HiddenFields({ share: { access, wait } }: { readonly share: SharePageProps }) {
  return (
    <>
      {access.kind === "unlocked" ? <input type="hidden" name={access.field} value={access.token} /> : null}
      {wait === undefined ? null : <input type="hidden" name="ready" value={wait.token} />}
    </>
  );
}

/** The remaining wait. A script counts it down; screen readers announce only its end. */
export function WaitNote({ share }: { readonly share: SharePageProps }) {
  if (!mustWait(share)) return null;
  return (
    <p class="centre wait-note" id="wait">
      You can download in <span data-seconds="">{waitText(share)}</span>.
    </p>
  );
}

/** `12 seconds`. */
export const waitText = ({ wait }: SharePageProps): string => counted(wait?.seconds ?? 0, "en", "second", "seconds");

/** The sender's message as plain text, with its line breaks. */
export function Message({ text }: { readonly text: string | null | undefined }) {
  if (!text?.trim()) return null;
  return (
    <figure class="letter">
      <figcaption>Message from the sender</figcaption>
      <blockquote dir="auto">{text.trim()}</blockquote>
    </figure>
  );
}

/** A button that refreshes an unlocked page with its token. Scripts submit it automatically and hide it. */
export function RefreshForm({ share }: { readonly share: SharePageProps }) {
  const isUnlocked = share.access.kind === "unlocked";
  return (
    <form
      class="again"
      method={isUnlocked ? "post" : "get"}
      action={sharePath(share, isUnlocked ? "/unlock" : "")}
      {...(isUnlocked ? { "data-again": "" } : {})}
    >
      <HiddenFields share={share} />
      <button class="button plain" type="submit">
        Refresh
      </button>
    </form>
  );
}

/** A file's SHA-256 in a closed section. */
export function Checksum({ file }: { readonly file: ShareFile }) {
  if (file.sha256 === null) return null;
  const id = `sha256-${file.id}`;
  return (
    <details id="checksum">
      <summary>Checksum (SHA-256)</summary>
      <p class="quiet">If it matches the sender’s checksum, the file is identical.</p>
      <div class="copyable">
        <code id={id}>{file.sha256}</code>
        <button class="button small" type="button" data-copy={id} hidden>
          Copy
        </button>
      </div>
    </details>
  );
}
