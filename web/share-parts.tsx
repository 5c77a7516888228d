/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { describeType } from "./file-types.ts";
import { counted, formatDate, formatDuration, formatRelative, formatSize } from "./format.ts";
import { BlockedIcon, CheckIcon, InfoIcon, WaitIcon } from "./icons.tsx";
import type { ShareState } from "./share-state.ts";
import { mustWait, type ShareFile, type SharePageProps, sharePath } from "./share-view.ts";

/** Type, size and, where it is given, expiry. */
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

/** When a share expires: from now, and the moment. */
export function Expiry({ share }: { readonly share: SharePageProps }) {
  if (share.expiresAfterMs !== undefined) return <>{formatDuration(share.expiresAfterMs)} after the upload</>;
  if (share.expiresAtMs === null) return <>Never</>;
  return (
    <>
      <span class="relative">{formatRelative(share.expiresAtMs, share.nowMs)}</span> <Moment timeMs={share.expiresAtMs} />
    </>
  );
}

/** In UTC; a script turns it into the reader's own zone. */
export function Moment({ timeMs }: { readonly timeMs: number }) {
  return <time dateTime={new Date(timeMs).toISOString()}>{formatDate(timeMs)}</time>;
}

const STATE_ICONS = { wait: WaitIcon, good: CheckIcon, note: InfoIcon, bad: BlockedIcon } as const;

/** How a check stands, in a coloured box that a button can name as its description. */
export function StateBox({ state, id }: { readonly state: Omit<ShareState, "name">; readonly id: string }) {
  const StateIcon = STATE_ICONS[state.look];
  return (
    <div class={`state ${state.look}`} id={id}>
      <StateIcon />
      <p>
        <strong>{state.headline}</strong>
        {state.detail === "" ? null : <span>{state.detail}</span>}
      </p>
    </div>
  );
}

/** How often a file can still be downloaded; nothing where that has no limit. */
export function DownloadsNote({ share, downloadsLeft }: { readonly share: SharePageProps; readonly downloadsLeft: number | null }) {
  return downloadsLeft === null ? null : (
    <p class="quiet centre" data-left="">
      {downloadsNote(share, downloadsLeft)}
    </p>
  );
}

function downloadsNote({ once }: SharePageProps, downloadsLeft: number): string {
  if (downloadsLeft === 0) return "No downloads left.";
  return once ? "Single use: it can be downloaded only once." : `${counted(downloadsLeft, "download")} left.`;
}

/** The hidden fields that carry on what this page goes by: an unlocked one's token, and the wait that has begun. */
export function Carried({ share: { access, wait } }: { readonly share: SharePageProps }) {
  return (
    <>
      {access.kind === "unlocked" ? <input type="hidden" name={access.field} value={access.token} /> : null}
      {wait === undefined ? null : <input type="hidden" name="ready" value={wait.token} />}
    </>
  );
}

/** What is left of the wait; a script counts it down, which screen readers do not read out: they are told when it is over. */
export function WaitNote({ share }: { readonly share: SharePageProps }) {
  if (!mustWait(share)) return null;
  return (
    <p class="centre wait-note" id="wait">
      You can download in <span data-seconds="">{waitText(share)}</span>.
    </p>
  );
}

/** `12 seconds`. */
export const waitText = ({ wait }: SharePageProps): string => counted(wait?.seconds ?? 0, "second");

/** What the sender wrote, as it was written: its lines, nothing of it markup or a link. */
export function Message({ text }: { readonly text: string | null | undefined }) {
  if (!text?.trim()) return null;
  return (
    <figure class="letter">
      <figcaption>Message from the sender</figcaption>
      <blockquote dir="auto">{text.trim()}</blockquote>
    </figure>
  );
}

/** Asks for the page once more with what unlocks it; a script does so by itself and hides the button. */
export function LookAgain({ share }: { readonly share: SharePageProps }) {
  const isUnlocked = share.access.kind === "unlocked";
  return (
    <form
      class="again"
      method={isUnlocked ? "post" : "get"}
      action={sharePath(share, isUnlocked ? "/unlock" : "")}
      {...(isUnlocked ? { "data-again": "" } : {})}
    >
      <Carried share={share} />
      <button class="button plain" type="submit">
        Look again
      </button>
    </form>
  );
}

/** A file's digest, folded away. */
export function Fingerprint({ file }: { readonly file: ShareFile }) {
  if (file.sha256 === null) return null;
  const id = `sha256-${file.id}`;
  return (
    <details id="fingerprint">
      <summary>Fingerprint (SHA-256)</summary>
      <p class="quiet">If it matches the one that the sender names, the file is the same to the last byte.</p>
      <div class="copyable">
        <code id={id}>{file.sha256}</code>
        <button class="button small" type="button" data-copy={id} hidden>
          Copy
        </button>
      </div>
    </details>
  );
}
