/** @jsxImportSource preact */
import { formatSize } from "../src/lib/format-size.ts";
import { FileName, FileTile } from "./file-name.tsx";
import { type FileStatus, type FileStatusName, isDownloadable, isWaiting } from "./file-status.ts";
import { groupByFolder } from "./folders.ts";
import { counted, formatRelative, splitName, visibleText } from "./format.ts";
import { DownloadIcon, DownloadSymbol, SymbolIcon } from "./icons.tsx";
import { HiddenFields, LocalTime, StateBox, WaitNote } from "./share-components.tsx";
import { mustWait, type ShareFile, type SharePageProps, sharePath } from "./share-view.ts";
import { UnlockForm } from "./unlock-form.tsx";

export interface FileView {
  readonly file: ShareFile;
  readonly state: FileStatus;
}

interface ShipmentProps {
  readonly share: SharePageProps;
  readonly views: readonly FileView[];
}

/** A shipment's files by folder, each with its state and a download button, and a button for all files as a ZIP, in one form. */
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
      <StateBox state={summarize(views)} id="state" />
      {share.access.kind === "locked" ? <UnlockForm share={share} access={share.access} /> : null}
      <form
        class="shipment"
        method="post"
        action={sharePath(share, "/download")}
        data-download={views.some(({ file }) => file.downloadsLeft !== null) ? "limited" : "free"}
        autocomplete="off"
      >
        <HiddenFields share={share} />
        {share.access.kind === "locked" || views.length === 0 ? null : <DownloadAll share={share} views={views} />}
        <WaitNote share={share} />
        <LimitNote share={share} views={views} />
        <DownloadSymbol />
        {groupByFolder(views.map((view) => ({ ...view, name: view.file.name, relativePath: view.file.relativePath }))).map(
          ({ folder, items }) => (
            <section key={folder}>
              {folder === "" ? null : (
                <h2 class="folder">
                  <bdi>{visibleText(folder).split("/").join(" / ")}</bdi>{" "}
                  <span class="quiet">{counted(items.length, "en", "file", "files")}</span>
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
      <Checksums views={views} />
    </>
  );
}

function Facts({ share }: { readonly share: SharePageProps }) {
  const bytes = totalBytes(share.files);
  return (
    <>
      {counted(share.files.length, "en", "file", "files")}
      {bytes === null ? "" : `, ${formatSize(bytes)}`},{" "}
      {share.expiresAtMs === null ? (
        "never expires"
      ) : (
        <>
          expires {formatRelative(share.expiresAtMs, share.nowMs, "en")}, on <LocalTime timeMs={share.expiresAtMs} />
        </>
      )}
    </>
  );
}

function DownloadAll({ share, views }: ShipmentProps) {
  const ready = views.filter(isReady).map(({ file }) => file);
  const count =
    ready.length < views.length && ready.length > 0 ? `${ready.length} of ${counted(views.length, "en", "file", "files")}` : "all";
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
  const rule = share.once ? "One download only for each file" : "Downloads of each file are limited";
  return (
    <p class="quiet centre" data-left="">
      {rule}. The ZIP counts as one download of each.
    </p>
  );
}

const STATUS_WORDS: Readonly<Record<FileStatusName, string>> = {
  uploading: "Uploading…",
  scanning: "Scanning…",
  scanned: "Scanned",
  "scanned-in-parts": "Scanned in parts",
  unscanned: "Not scanned",
  infected: "Blocked: malware",
  damaged: "Blocked: damaged",
  "scan-failed": "Blocked: scan failed",
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
          <span class={`word ${isDownloadable(state) ? "" : state.tone}`.trim()}>{STATUS_WORDS[state.name]}</span>
          {file.downloadsLeft === null || share.once ? "" : ` · ${counted(file.downloadsLeft, "en", "download", "downloads")} left`}
        </p>
      </div>
      {share.access.kind === "locked" || state.tone === "bad" ? null : (
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

/** All digests in the format of `sha256sum -c`, to be saved next to the unpacked ZIP. */
function Checksums({ views }: { readonly views: readonly FileView[] }) {
  const known = views.filter(({ file }) => file.sha256 !== null);
  if (known.length === 0) return null;
  return (
    <details id="checksums">
      <summary>Checksums (SHA-256)</summary>
      <p class="quiet">Save this list beside the files and check them with “sha256sum -c”.</p>
      <div class="copyable">
        <pre id="sha256">{known.map(({ file }) => `${file.sha256}  ${visibleText(file.relativePath ?? file.name)}`).join("\n")}</pre>
        <button class="button small" type="button" data-copy="sha256" hidden>
          Copy
        </button>
      </div>
    </details>
  );
}

/** Whether a file's state and limit allow a download. */
export const isReady = ({ file, state }: FileView): boolean => isDownloadable(state) && file.downloadsLeft !== 0;

/** The size of all files; null if one is unknown. */
export function totalBytes(files: readonly ShareFile[]): number | null {
  let sum = 0;
  for (const { sizeBytes } of files) {
    if (sizeBytes === null) return null;
    sum += sizeBytes;
  }
  return sum;
}

/** One state for all files: waiting files take precedence, then blocked files, then files that were not scanned. */
export function summarize(views: readonly FileView[]): Omit<FileStatus, "name"> {
  const waiting = views.filter(({ state }) => isWaiting(state)).length;
  const blocked = views.filter(({ state }) => state.tone === "bad").length;
  const ready = views.filter(isReady).length;
  const [first] = views;
  if (first === undefined)
    return { tone: "wait", headline: "No files yet", detail: "The sender has not added any. This page updates automatically." };
  if (waiting > 0) {
    return {
      tone: "wait",
      headline: `${ready} of ${counted(views.length, "en", "file", "files")} ready`,
      detail: `${waiting} still uploading or being scanned for malware${blocked === 0 ? "" : `, ${blocked} blocked`}. This page updates automatically.`,
    };
  }
  if (blocked > 0) {
    return {
      tone: "bad",
      headline: `${blocked} of ${counted(views.length, "en", "file", "files")} blocked`,
      detail: "Malware was found, or the scan failed. Tell the sender.",
    };
  }
  const unscanned = views.find(({ state }) => state.tone === "note");
  if (unscanned) return { ...unscanned.state, detail: "Only open them if you trust the sender." };
  if (views.length === 1 && first !== undefined) return first.state;
  const inParts = views.filter(({ state }) => state.name === "scanned-in-parts").length;
  return {
    tone: "good",
    headline: `All ${counted(views.length, "en", "file", "files")} scanned, no malware found`,
    detail: inParts === 0 ? "" : `${inParts} of them in parts: too large to scan in one piece.`,
  };
}
