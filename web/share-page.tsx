/** @jsxImportSource preact */
import { FileName, FileTile } from "./file-name.tsx";
import { describeType } from "./file-types.ts";
import { counted, formatSize, splitName } from "./format.ts";
import { DownloadIcon } from "./icons.tsx";
import { renderDocument } from "./layout.tsx";
import { Credential, DownloadsNote, Expiry, FileFacts, Fingerprint, LookAgain, Message, StateBox } from "./share-parts.tsx";
import { isDownloadable, isWaiting, type ShareState, toShareState } from "./share-state.ts";
import { type SharePageProps, sharePath } from "./share-view.ts";
import { type FileView, Shipment, summarise, totalBytes } from "./shipment.tsx";
import { UnlockForm } from "./unlock-form.tsx";

const REFRESH_WITHOUT_SCRIPT_SECONDS = 15;

/**
 * The page of an active share. It says of each file what it is and how its check stands, asks for the code of a protected one,
 * and looks again by itself while a file has to wait.
 */
export function renderSharePage(props: SharePageProps): string {
  const views = props.files.map((file): FileView => ({ file, state: toShareState(file) }));
  const waiting = views.some(({ state }) => isWaiting(state));
  const { stem, extension } = splitName(props.name);
  const [first] = views;
  return renderDocument({
    title: stem + extension,
    description: describe(props),
    // Asking again by address alone would lose what is being typed, or that the share is unlocked.
    refreshSeconds: waiting && canAskByAddress(props) ? REFRESH_WITHOUT_SCRIPT_SECONDS : undefined,
    main: {
      "data-state": stateKey(props, views),
      "data-say": announcement(props, views),
      ...(waiting ? { "data-refresh": "" } : {}),
    },
    children: (
      <article class="card">
        <Message text={props.message} />
        {props.kind === "file" && first !== undefined ? <OneFile share={props} view={first} /> : <Shipment share={props} views={views} />}
        {waiting && !canAskByAddress(props) ? <LookAgain share={props} /> : null}
      </article>
    ),
  });
}

function OneFile({ share, view: { file, state } }: { readonly share: SharePageProps; readonly view: FileView }) {
  return (
    <>
      <div class="file">
        <FileTile name={file.name} />
        <h1 class="name">
          <FileName name={file.name} />
        </h1>
      </div>
      <FileFacts file={file} expiry={<Expiry share={share} />} />
      <StateBox state={state} id="state" />
      {share.access.kind === "locked" ? (
        <div>
          <UnlockForm share={share} access={share.access} />
          <DownloadsNote share={share} downloadsLeft={file.downloadsLeft} />
        </div>
      ) : (
        <form
          method="post"
          action={sharePath(share, "/download")}
          data-download={file.downloadsLeft === null ? "free" : "limited"}
          autocomplete="off"
        >
          <Credential access={share.access} />
          <input type="hidden" name="fileId" value={file.id} />
          <button class="button" type="submit" disabled={!isDownloadable(state) || file.downloadsLeft === 0} aria-describedby="state">
            <DownloadIcon />
            Download<span class="unseen"> {fullName(file.name)}</span>
          </button>
          <DownloadsNote share={share} downloadsLeft={file.downloadsLeft} />
        </form>
      )}
      <Fingerprint file={file} />
    </>
  );
}

function fullName(name: string): string {
  const { stem, extension } = splitName(name);
  return stem + extension;
}

const canAskByAddress = ({ access }: SharePageProps): boolean =>
  access.kind === "open" || (access.kind === "unlocked" && access.field === "handoffToken");

/** What the page shows, in short: as long as it is the same there is nothing new to put in place. */
function stateKey({ access }: SharePageProps, views: readonly FileView[]): string {
  const runs: { name: string; count: number }[] = [];
  for (const { state } of views) {
    const last = runs.at(-1);
    if (last?.name === state.name) last.count += 1;
    else runs.push({ name: state.name, count: 1 });
  }
  const states = runs.map(({ name, count }) => (count === 1 ? name : `${name}*${count}`));
  return [...(access.kind === "open" ? [] : [access.kind]), ...states].join(" ");
}

function describe({ kind, files }: SharePageProps): string {
  const [first] = files;
  const bytes = totalBytes(files);
  const what = kind === "file" && first !== undefined ? describeType(first.contentType, first.name) : counted(files.length, "file");
  return bytes === null ? what : `${what}, ${formatSize(bytes)}`;
}

function announcement(share: SharePageProps, views: readonly FileView[]): string {
  const { access } = share;
  if (access.kind === "locked" && access.problem !== undefined) return access.problem;
  const [first] = views;
  if (share.kind === "shipment" || first === undefined) return `${prefix(access.kind)}${summarise(views).headline}.`;
  return `${prefix(access.kind)}${first.state.headline.replace(/…?$/, ".")} ${nextStep(access.kind, first.state)}`.trim();
}

const prefix = (access: SharePageProps["access"]["kind"]): string => (access === "unlocked" ? "Unlocked. " : "");

function nextStep(access: SharePageProps["access"]["kind"], state: ShareState): string {
  if (!isDownloadable(state)) return state.detail;
  return access === "locked" ? "Enter the unlock code to download the file." : "You can download the file now.";
}
