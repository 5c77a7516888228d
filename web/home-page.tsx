/** @jsxImportSource preact */
import { formatSize } from "../src/lib/format-size.ts";
import { formatDuration } from "./format.ts";
import { CrossIcon, UploadIcon } from "./icons.tsx";
import { renderDocument } from "./layout.tsx";
import type { PageContext } from "./page-context.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETENTION_CHOICES = [
  { ttl: "1h", durationMs: HOUR_MS },
  { ttl: "24h", durationMs: DAY_MS },
  { ttl: "3d", durationMs: 3 * DAY_MS },
  { ttl: "7d", durationMs: 7 * DAY_MS },
  { ttl: "30d", durationMs: 30 * DAY_MS },
  { ttl: "90d", durationMs: 90 * DAY_MS },
] as const;

export interface HomePageProps {
  /** Without a slash at the end. */
  readonly siteUrl: string;
  /** Limits of the caller's tier. */
  readonly limits: {
    readonly fileBytes: number;
    /** Maximum and default retention; null if files never expire. */
    readonly retentionMs: number | null;
  };
  /** A sentence about the malware scan, such as that it is off. */
  readonly scannerNote?: string;
  /** False if uploads require an account: a sentence replaces the form. */
  readonly uploadsOpen?: boolean;
  readonly version: string;
}

/** Renders the start page: a description and an upload form, which works without JavaScript. */
export function renderHomePage(page: PageContext, props: HomePageProps): string {
  const isClosed = props.uploadsOpen === false;
  return renderDocument(page, {
    title: "Share files with a link",
    description: isClosed ? "Share files with a link." : "Upload files and send the links to anyone.",
    scripts: isClosed ? ["page"] : ["page", "upload", "install"],
    version: props.version,
    children: (
      <>
        <div class="hero">
          <h1>Share files with a link</h1>
          <p>{isClosed ? "Only people with an account can upload here." : "Send the link to anyone. No account needed."}</p>
        </div>
        {isClosed ? <ClosedNote /> : <UploadForm {...props} />}
        {isClosed ? null : <div class="results" id="results" />}
        <section class="card">
          <h2>From a terminal</h2>
          <div class="copyable">
            <code id="curl">
              curl -T file {isClosed ? '-H "Authorization: Bearer KEY" ' : ""}
              {props.siteUrl}/
            </code>
            <button class="button small" type="button" data-copy="curl" hidden>
              Copy
            </button>
          </div>
          <p class="quiet">
            Prints the link. Replace “file” with your file’s name{isClosed ? " and “KEY” with your API key" : ""}. For programs:{" "}
            <a href="/llms.txt">how to use this server</a>.
          </p>
        </section>
      </>
    ),
  });
}

function ClosedNote() {
  return (
    <section class="card">
      <h2>You need an account to upload</h2>
      <p>Ask the administrator for an account.</p>
      <p>Programs upload with an API key. To download, you only need the link.</p>
    </section>
  );
}

function UploadForm({ siteUrl, limits, scannerNote }: HomePageProps) {
  return (
    <form
      class="card upload"
      id="upload"
      method="post"
      action="/"
      enctype="multipart/form-data"
      data-max-bytes={String(limits.fileBytes)}
      data-site={siteUrl}
    >
      <div class="drop" id="drop">
        <label for="file">
          <UploadIcon />
          <span id="drop-text">Choose or drop a file</span>
        </label>
        {/* Only decoration: the file input on top of it receives the click. */}
        <span class="button small choose" aria-hidden="true" id="choose">
          Choose files
        </span>
        <input id="file" type="file" name="file" required aria-describedby="limits" />
        <p class="quiet" id="limits">
          {limitsNote(limits)} {scannerNote}
        </p>
      </div>
      <ul class="files" id="chosen" aria-label="Chosen files" hidden />
      <ChosenRow />
      <div class="options" id="options">
        <label class="field" for="ttl">
          Link expires after
          <select id="ttl" name="ttl">
            {listRetentionChoices(limits.retentionMs).map(({ ttl, label }) => (
              <option key={ttl} value={ttl}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" name="once" value="true" />
          One download only
          <span class="quiet">The link stops working afterwards</span>
        </label>
        <label class="check">
          <input type="checkbox" name="protect" value="true" />
          Require a code
          <span class="quiet">We create one for you</span>
        </label>
      </div>
      <button class="button" type="submit" id="submit">
        Upload and get a link
      </button>
      <div class="progress" id="progress" hidden>
        <label for="bar" id="progress-text">
          Uploading…
        </label>
        <progress id="bar" max="100" value="0" />
        <button class="button plain" type="button" id="cancel" aria-describedby="progress-text">
          Cancel
        </button>
      </div>
      <p class="problem" id="problem" role="alert" hidden />
      <dialog class="card" id="confirm" aria-labelledby="confirm-title" aria-describedby="confirm-text">
        <h2 id="confirm-title">Cancel the upload?</h2>
        <p id="confirm-text">The part already uploaded is deleted. Finished links keep working.</p>
        <p class="choices">
          <button class="button" type="button" id="keep">
            Keep uploading
          </button>
          <button class="button danger" type="button" id="discard">
            Cancel the upload
          </button>
        </p>
      </dialog>
    </form>
  );
}

/** Template from which a script makes a row for each chosen file. */
function ChosenRow() {
  return (
    <template id="chosen-row">
      <li>
        <span class="tile" data-field="tile" aria-hidden="true" />
        <div class="what">
          <p class="name">
            <bdi data-field="name" />
            <bdi class="ext" data-field="end" />
          </p>
          <p class="quiet">
            <span data-field="size" /> <span data-field="word" />
          </p>
        </div>
        <button class="button small" type="button" data-field="remove">
          <CrossIcon />
          <span class="unseen">
            Remove
            <span data-field="removes" />
          </span>
        </button>
      </li>
    </template>
  );
}

/** The choices of the expiry. The first sends no `ttl`, so that the server's default applies. */
function listRetentionChoices(retentionMs: number | null): readonly { ttl: string; label: string }[] {
  const longest = { ttl: "", label: retentionMs === null ? "Never, until I delete it" : `${formatDuration(retentionMs, "en")} (maximum)` };
  const shorter = RETENTION_CHOICES.filter(({ durationMs }) => retentionMs === null || durationMs < retentionMs);
  return [longest, ...shorter.map(({ ttl, durationMs }) => ({ ttl, label: formatDuration(durationMs, "en") })).reverse()];
}

function limitsNote({ fileBytes, retentionMs }: HomePageProps["limits"]): string {
  return `Up to ${formatSize(fileBytes)} per file${retentionMs === null ? "." : `, for up to ${formatDuration(retentionMs, "en")}.`}`;
}
