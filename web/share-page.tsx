import type { ComponentChildren } from "preact";
import { FileName, FileTile } from "./file-name.tsx";
import { describeType } from "./file-types.ts";
import { counted, formatDate, formatRelative, formatSize, splitName } from "./format.ts";
import { BlockedIcon, CheckIcon, DownloadIcon, InfoIcon, WaitIcon } from "./icons.tsx";
import { renderDocument } from "./layout.tsx";
import { type CheckFacts, isDownloadable, isWaiting, type ShareState, toShareState } from "./share-state.ts";

const REFRESH_WITHOUT_SCRIPT_SECONDS = 15;

export interface ShareFile extends CheckFacts {
  readonly id: string;
  readonly name: string;
  /** Null while an upload of unannounced length is under way. */
  readonly sizeBytes: number | null;
  readonly contentType: string | null;
  /** Hexadecimal; null until known. */
  readonly sha256: string | null;
  /** How often it can still be downloaded; null without a limit. */
  readonly downloadsLeft: number | null;
}

export interface SharePageProps {
  readonly shortId: string;
  /** The file's own name, or that of a shipment. */
  readonly name: string;
  /** Milliseconds since 1970; null where the share never expires. */
  readonly expiresAtMs: number | null;
  readonly nowMs: number;
  /** Each file can be downloaded only once. */
  readonly once: boolean;
  /** At least one; of several, each has its own state and download. */
  readonly files: readonly ShareFile[];
}

interface FileView {
  readonly file: ShareFile;
  readonly state: ShareState;
}

/** The page of an active share. It says of each file what it is and how its check stands, and looks again by itself while one has to wait. */
export function renderSharePage(props: SharePageProps): string {
  const views = props.files.map((file): FileView => ({ file, state: toShareState(file) }));
  const waiting = views.some(({ state }) => isWaiting(state));
  const { stem, extension } = splitName(props.name);
  return renderDocument({
    title: stem + extension,
    description: summary(props.files),
    refreshSeconds: waiting ? REFRESH_WITHOUT_SCRIPT_SECONDS : undefined,
    main: {
      "data-state": views.map(({ state }) => state.name).join(" "),
      "data-say": announcement(views),
      ...(waiting ? { "data-refresh": "" } : {}),
    },
    children:
      views.length === 1 && views[0] !== undefined ? <OneFile share={props} view={views[0]} /> : <ManyFiles share={props} views={views} />,
  });
}

function OneFile({ share, view }: { readonly share: SharePageProps; readonly view: FileView }) {
  return (
    <article class="card">
      <div class="file">
        <FileTile name={view.file.name} />
        <h1 class="name">
          <FileName name={view.file.name} />
        </h1>
      </div>
      <FileFacts file={view.file} expiry={<Expiry share={share} />} />
      <State state={view.state} id="state" />
      <Download share={share} view={view} stateId="state" />
      <Digest file={view.file} />
    </article>
  );
}

function ManyFiles({ share, views }: { readonly share: SharePageProps; readonly views: readonly FileView[] }) {
  return (
    <article class="card">
      <h1 class="name">
        <FileName name={share.name} />
      </h1>
      <p class="quiet">
        {summary(share.files)},{" "}
        {share.expiresAtMs === null ? (
          "never expires"
        ) : (
          <>
            expires {formatRelative(share.expiresAtMs, share.nowMs)}, on <Moment timeMs={share.expiresAtMs} />
          </>
        )}
      </p>
      <ul class="files">
        {views.map((view) => (
          <li key={view.file.id}>
            <div class="file">
              <FileTile name={view.file.name} />
              <h2 class="name">
                <FileName name={view.file.name} />
              </h2>
            </div>
            <FileFacts file={view.file} />
            <State state={view.state} id={`state-${view.file.id}`} />
            <Download share={share} view={view} stateId={`state-${view.file.id}`} />
            <Digest file={view.file} />
          </li>
        ))}
      </ul>
    </article>
  );
}

function FileFacts({ file, expiry }: { readonly file: ShareFile; readonly expiry?: ComponentChildren }) {
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

function Expiry({ share }: { readonly share: SharePageProps }) {
  if (share.expiresAtMs === null) return <>Never</>;
  return (
    <>
      <span class="relative">{formatRelative(share.expiresAtMs, share.nowMs)}</span> <Moment timeMs={share.expiresAtMs} />
    </>
  );
}

/** In UTC; a script turns it into the reader's own zone. */
function Moment({ timeMs }: { readonly timeMs: number }) {
  return <time dateTime={new Date(timeMs).toISOString()}>{formatDate(timeMs)}</time>;
}

const STATE_ICONS = { wait: WaitIcon, good: CheckIcon, note: InfoIcon, bad: BlockedIcon } as const;

function State({ state, id }: { readonly state: ShareState; readonly id: string }) {
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

function Download({ share, view, stateId }: { readonly share: SharePageProps; readonly view: FileView; readonly stateId: string }) {
  const { file, state } = view;
  const ready = isDownloadable(state) && file.downloadsLeft !== 0;
  const { stem, extension } = splitName(file.name);
  return (
    <form
      method="post"
      action={`/d/${encodeURIComponent(share.shortId)}/download`}
      data-download={file.downloadsLeft === null ? "free" : "limited"}
      autocomplete="off"
    >
      <input type="hidden" name="fileId" value={file.id} />
      <button class="button" type="submit" disabled={!ready} aria-describedby={stateId}>
        <DownloadIcon />
        Download<span class="unseen"> {stem + extension}</span>
      </button>
      {file.downloadsLeft === null ? null : <p class="quiet centre">{limitNote(share, file.downloadsLeft)}</p>}
    </form>
  );
}

function limitNote({ once }: SharePageProps, downloadsLeft: number): string {
  if (downloadsLeft === 0) return "No downloads left.";
  return once ? "Single use: it can be downloaded only once." : `${counted(downloadsLeft, "download")} left.`;
}

function Digest({ file }: { readonly file: ShareFile }) {
  if (file.sha256 === null) return null;
  const id = `sha256-${file.id}`;
  return (
    <details>
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

function summary(files: readonly ShareFile[]): string {
  const sizes = files.map((file) => file.sizeBytes);
  const size = sizes.includes(null) ? "" : `, ${formatSize(sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0))}`;
  const [first] = files;
  return (files.length === 1 && first !== undefined ? describeType(first.contentType, first.name) : counted(files.length, "file")) + size;
}

function announcement(views: readonly FileView[]): string {
  const [first] = views;
  if (views.length === 1 && first !== undefined)
    return `${first.state.headline}. ${isDownloadable(first.state) ? "You can download the file now." : first.state.detail}`;
  return `${views.filter(({ state }) => isDownloadable(state)).length} of ${counted(views.length, "file")} can be downloaded.`;
}
