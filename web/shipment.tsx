/** @jsxImportSource preact */
import { FileName, FileTile } from "./file-name.tsx";
import { groupByFolder } from "./folders.ts";
import { counted, formatRelative, formatSize, splitName, visibleText } from "./format.ts";
import { DownloadIcon, DownloadSymbol, SymbolIcon } from "./icons.tsx";
import { Carried, Moment, StateBox, WaitNote } from "./share-parts.tsx";
import { isDownloadable, isWaiting, type ShareState, type ShareStateName } from "./share-state.ts";
import { mustWait, type ShareFile, type SharePageProps, sharePath } from "./share-view.ts";
import { UnlockForm } from "./unlock-form.tsx";

export interface FileView {
  readonly file: ShareFile;
  readonly state: ShareState;
}

interface ShipmentProps {
  readonly share: SharePageProps;
  readonly views: readonly FileView[];
}

/** The files of a shipment, by folder, each with its state and download, and all of them in one archive. One form serves them all. */
export function Shipment({ share, views }: ShipmentProps) {
  return (
    <>
      <div class="heading">
        <h1 class="name">
          <FileName name={share.name} />
        </h1>
        <p class="quiet">
          <Facts share={share} />
        </p>
      </div>
      <StateBox state={summarise(views)} id="state" />
      {share.access.kind === "locked" ? <UnlockForm share={share} access={share.access} /> : null}
      <form
        class="shipment"
        method="post"
        action={sharePath(share, "/download")}
        data-download={views.some(({ file }) => file.downloadsLeft !== null) ? "limited" : "free"}
        autocomplete="off"
      >
        <Carried share={share} />
        {share.access.kind === "locked" ? null : <DownloadAll share={share} views={views} />}
        <WaitNote share={share} />
        <LimitNote share={share} views={views} />
        <DownloadSymbol />
        {groupByFolder(views.map((view) => ({ ...view, name: view.file.name, relativePath: view.file.relativePath }))).map(
          ({ folder, items }) => (
            <section key={folder}>
              {folder === "" ? null : (
                <h2 class="folder">
                  <bdi>{visibleText(folder).split("/").join(" / ")}</bdi> <span class="quiet">{counted(items.length, "file")}</span>
                </h2>
              )}
              <ul class="files">
                {items.map(({ item, name }) => (
                  <Row key={item.file.id} view={item} name={name} share={share} />
                ))}
              </ul>
            </section>
          ),
        )}
      </form>
      <Fingerprints views={views} />
    </>
  );
}

function Facts({ share }: { readonly share: SharePageProps }) {
  const bytes = totalBytes(share.files);
  return (
    <>
      {counted(share.files.length, "file")}
      {bytes === null ? "" : `, ${formatSize(bytes)}`},{" "}
      {share.expiresAtMs === null ? (
        "never expires"
      ) : (
        <>
          expires {formatRelative(share.expiresAtMs, share.nowMs)}, on <Moment timeMs={share.expiresAtMs} />
        </>
      )}
    </>
  );
}

function DownloadAll({ share, views }: ShipmentProps) {
  const ready = views.filter(isReady).map(({ file }) => file);
  const count = ready.length < views.length && ready.length > 0 ? `${ready.length} of ${counted(views.length, "file")}` : "all";
  return (
    <button
      class="button"
      type="submit"
      formAction={sharePath(share, "/archive")}
      disabled={ready.length === 0 || mustWait(share)}
      aria-describedby={mustWait(share) ? "state wait" : "state"}
      data-all=""
    >
      <DownloadIcon />
      <span>
        Download {count} <span class="aside">ZIP{ready.length === 0 ? "" : `, ${formatSize(totalBytes(ready) ?? 0)}`}</span>
      </span>
    </button>
  );
}

function LimitNote({ share, views }: ShipmentProps) {
  if (views.every(({ file }) => file.downloadsLeft === null)) return null;
  const rule = share.once ? "Single use: each file can be downloaded only once" : "Each file can be downloaded a limited number of times";
  return (
    <p class="quiet centre" data-left="">
      {rule}. The ZIP counts for every file in it.
    </p>
  );
}

const STATE_WORDS: Readonly<Record<ShareStateName, string>> = {
  uploading: "Arriving…",
  checking: "Checking…",
  checked: "Checked",
  "checked-in-parts": "Checked in parts",
  unchecked: "Not checked",
  infected: "Blocked: malware",
  damaged: "Blocked: damaged",
  "check-failed": "Blocked: check failed",
};

function Row({ view, name, share }: { readonly view: FileView; readonly name: string; readonly share: SharePageProps }) {
  const { file, state } = view;
  const { stem, extension } = splitName(name);
  return (
    <li>
      <FileTile name={name} />
      <div class="what">
        <p class="name">
          <FileName name={name} />
        </p>
        <p class="quiet" id={`state-${file.id}`}>
          {file.sizeBytes === null ? "" : `${formatSize(file.sizeBytes)} · `}
          <span class={`word ${isDownloadable(state) ? "" : state.look}`.trim()}>{STATE_WORDS[state.name]}</span>
          {file.downloadsLeft === null || share.once ? "" : ` · ${counted(file.downloadsLeft, "download")} left`}
        </p>
      </div>
      {share.access.kind === "locked" || state.look === "bad" ? null : (
        <button
          class="button small"
          type="submit"
          name="fileId"
          value={file.id}
          disabled={!isReady(view) || mustWait(share)}
          aria-describedby={`state-${file.id}`}
        >
          <SymbolIcon />
          <span class="unseen">Download {stem + extension}</span>
        </button>
      )}
    </li>
  );
}

/** In the form that `sha256sum -c` reads, next to the unpacked archive. */
function Fingerprints({ views }: { readonly views: readonly FileView[] }) {
  const known = views.filter(({ file }) => file.sha256 !== null);
  if (known.length === 0) return null;
  return (
    <details id="fingerprints">
      <summary>Fingerprints (SHA-256)</summary>
      <p class="quiet">Saved beside the unpacked files, this list lets “sha256sum -c” check every one of them.</p>
      <div class="copyable">
        <pre id="sha256">{known.map(({ file }) => `${file.sha256}  ${visibleText(file.relativePath ?? file.name)}`).join("\n")}</pre>
        <button class="button small" type="button" data-copy="sha256" hidden>
          Copy
        </button>
      </div>
    </details>
  );
}

/** Whether a file can be downloaded, as far as its check and its limit go. */
export const isReady = ({ file, state }: FileView): boolean => isDownloadable(state) && file.downloadsLeft !== 0;

/** Bytes of all together; null while one is not known. */
export function totalBytes(files: readonly ShareFile[]): number | null {
  let sum = 0;
  for (const { sizeBytes } of files) {
    if (sizeBytes === null) return null;
    sum += sizeBytes;
  }
  return sum;
}

/** One state for all files: what has to wait comes first, then what is blocked, then what was not checked. */
export function summarise(views: readonly FileView[]): Omit<ShareState, "name"> {
  const waiting = views.filter(({ state }) => isWaiting(state)).length;
  const blocked = views.filter(({ state }) => state.look === "bad").length;
  const ready = views.filter(isReady).length;
  const [first] = views;
  if (waiting > 0) {
    return {
      look: "wait",
      headline: `${ready} of ${counted(views.length, "file")} ready`,
      detail: `${waiting} still ${waiting === 1 ? "has" : "have"} to arrive or be checked for malware${blocked === 0 ? "" : `, and ${blocked} ${blocked === 1 ? "is" : "are"} blocked`}. This page updates by itself.`,
    };
  }
  if (blocked > 0) {
    return {
      look: "bad",
      headline: `${blocked} of ${counted(views.length, "file")} blocked`,
      detail: "Malware was found, or the check could not be finished. Please tell the sender. The others can be downloaded.",
    };
  }
  const unchecked = views.find(({ state }) => state.look === "note");
  if (unchecked) return { ...unchecked.state, detail: "Open the files only if you trust their sender." };
  if (views.length === 1 && first !== undefined) return first.state;
  const inParts = views.filter(({ state }) => state.name === "checked-in-parts").length;
  return {
    look: "good",
    headline: `All ${counted(views.length, "file")} checked, no malware found`,
    detail: inParts === 0 ? "" : `${inParts} of them in parts: too large for the scanner to look at in one piece.`,
  };
}
