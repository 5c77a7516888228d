/** @jsxImportSource preact */
import { formatSize } from "../src/lib/format-size.ts";
import { FileName, FileTile } from "./file-name.tsx";
import { type FileStatus, isDownloadable, isWaiting, toFileStatus } from "./file-status.ts";
import { describeType } from "./file-types.ts";
import { counted, splitName } from "./format.ts";
import { DownloadIcon } from "./icons.tsx";
import { renderDocument } from "./layout.tsx";
import type { PageContext } from "./page-context.ts";
import {
  Checksum,
  DownloadsNote,
  Expiry,
  FileFacts,
  HiddenFields,
  Message,
  RefreshForm,
  StateBox,
  WaitNote,
  waitText,
} from "./share-components.tsx";
import { isReachableByUrl, mustWait, refreshUrl, type SharePageProps, sharePath } from "./share-view.ts";
import { type FileView, isReady, Shipment, summarize, totalBytes } from "./shipment.tsx";
import { Sponsor } from "./sponsor.tsx";
import { UnlockForm } from "./unlock-form.tsx";

const REFRESH_WITHOUT_SCRIPT_SECONDS = 15;

/**
 * Renders the page of an active share: its files with their states and downloads, and the form for the code of a protected share. Refreshes
 * while a file is uploading or being scanned.
 */
export function renderSharePage(page: PageContext, share: SharePageProps): string {
  const views = share.files.map((file): FileView => ({ file, state: toFileStatus(file) }));
  const props = views.some(isReady) ? share : hideWait(share);
  const waiting = views.length === 0 || views.some(({ state }) => isWaiting(state));
  const { stem, extension } = splitName(props.name);
  const [first] = views;
  const url = refreshUrl(props);
  return renderDocument(page, {
    title: stem + extension,
    description: describe(props),
    refresh: toRefresh(props, waiting),
    main: {
      "data-state": stateKey(props, views),
      "data-say": announcement(props, views),
      ...(waiting ? { "data-refresh": "" } : {}),
      ...(mustWait(props) ? { "data-wait": String(props.wait?.seconds) } : {}),
      ...(url === undefined ? {} : { "data-refresh-url": url }),
    },
    aside: props.sponsored ? <Sponsor texts={page.texts.sponsor} /> : null,
    children: (
      <article class="card">
        <Message text={props.message} />
        {props.kind === "file" && first !== undefined ? <OneFile share={props} view={first} /> : <Shipment share={props} views={views} />}
        {(waiting || mustWait(props) || isUnlockedLimited(props)) && !canRefreshByUrl(props) ? <RefreshForm share={props} /> : null}
      </article>
    ),
  });
}

/** If no file can be downloaded, the wait continues but is not shown. */
function hideWait(share: SharePageProps): SharePageProps {
  return share.wait === undefined ? share : { ...share, wait: { ...share.wait, seconds: 0 } };
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
          <HiddenFields share={share} />
          <input type="hidden" name="fileId" value={file.id} />
          <button
            class="button"
            type="submit"
            disabled={!isReady({ file, state }) || mustWait(share)}
            aria-describedby={mustWait(share) ? "state wait" : "state"}
          >
            <DownloadIcon />
            Download<span class="unseen"> {fullName(file.name)}</span>
          </button>
          <WaitNote share={share} />
          <DownloadsNote share={share} downloadsLeft={file.downloadsLeft} />
        </form>
      )}
      <Checksum file={file} />
    </>
  );
}

function fullName(name: string): string {
  const { stem, extension } = splitName(name);
  return stem + extension;
}

/** Whether a refresh by URL loses neither a typed code nor the access to an unlocked share. */
const canRefreshByUrl = ({ access }: SharePageProps): boolean => access.kind !== "locked" && isReachableByUrl(access);

/** After a download, a script refreshes the page to show the remaining downloads. */
const isUnlockedLimited = ({ access, files }: SharePageProps): boolean =>
  access.kind === "unlocked" && files.some(({ downloadsLeft }) => downloadsLeft !== null);

/** The refresh without JavaScript: at an interval while a state can change, and at the end of the wait. */
function toRefresh(share: SharePageProps, waiting: boolean): { seconds: number; path?: string } | undefined {
  if (!canRefreshByUrl(share) || !(waiting || mustWait(share))) return undefined;
  const seconds = [waiting ? REFRESH_WITHOUT_SCRIPT_SECONDS : Number.POSITIVE_INFINITY];
  if (mustWait(share)) seconds.push(share.wait?.seconds ?? 0);
  return { seconds: Math.min(...seconds), path: refreshUrl(share) };
}

/** A short key of what the page shows. Scripts replace the page only if the key has changed. */
function stateKey(share: SharePageProps, views: readonly FileView[]): string {
  const runs: { name: string; count: number }[] = [];
  for (const { state, file } of views) {
    const last = runs.at(-1);
    const name = file.downloadsLeft === null ? state.name : `${state.name}/${file.downloadsLeft}`;
    if (last?.name === name) last.count += 1;
    else runs.push({ name, count: 1 });
  }
  const states = runs.map(({ name, count }) => (count === 1 ? name : `${name}*${count}`));
  const { kind } = share.access;
  return [...(kind === "open" ? [] : [kind]), ...(mustWait(share) ? ["wait"] : []), ...states].join(" ");
}

function describe({ kind, files }: SharePageProps): string {
  const [first] = files;
  const bytes = totalBytes(files);
  const what =
    kind === "file" && first !== undefined ? describeType(first.contentType, first.name) : counted(files.length, "en", "file", "files");
  return bytes === null ? what : `${what}, ${formatSize(bytes)}`;
}

function announcement(share: SharePageProps, views: readonly FileView[]): string {
  const { access } = share;
  if (access.kind === "locked" && access.problem !== undefined) return access.problem;
  const [first] = views;
  const wait = mustWait(share) ? `You can download in ${waitText(share)}.` : "";
  if (share.kind === "shipment" || first === undefined) return `${prefix(access.kind)}${summarize(views).headline}. ${wait}`.trim();
  return `${prefix(access.kind)}${first.state.headline.replace(/…?$/, ".")} ${wait || nextStep(access.kind, first.state)}`.trim();
}

const prefix = (access: SharePageProps["access"]["kind"]): string => (access === "unlocked" ? "Unlocked. " : "");

function nextStep(access: SharePageProps["access"]["kind"], state: FileStatus): string {
  if (!isDownloadable(state)) return state.detail;
  return access === "locked" ? "Enter the code to download the file." : "You can download the file now.";
}
