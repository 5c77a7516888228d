/** @jsxImportSource preact */
import { formatDuration, formatSize } from "./format.ts";
import { CrossIcon, UploadIcon } from "./icons.tsx";
import { renderDocument } from "./layout.tsx";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEEP_TIMES = [
  { ttl: "1h", durationMs: HOUR_MS },
  { ttl: "24h", durationMs: DAY_MS },
  { ttl: "3d", durationMs: 3 * DAY_MS },
  { ttl: "7d", durationMs: 7 * DAY_MS },
  { ttl: "30d", durationMs: 30 * DAY_MS },
  { ttl: "90d", durationMs: 90 * DAY_MS },
] as const;

export interface HomePageProps {
  /** Without a slash at its end. */
  readonly siteUrl: string;
  /** Of who looks at the page. */
  readonly limits: {
    readonly fileBytes: number;
    /** The longest time a file is kept, which is also what happens without a choice; null where it is kept until removed. */
    readonly retentionMs: number | null;
  };
  /** One sentence about the check for malware, where there is something to say, such as that there is none. */
  readonly scannerNote?: string;
  /** False where uploads need an account: the form gives way to a sentence. */
  readonly uploadsOpen?: boolean;
  readonly version: string;
}

/** The start page: what this is, and a form that uploads a file, with or without JavaScript. */
export function renderHomePage(props: HomePageProps): string {
  const isClosed = props.uploadsOpen === false;
  return renderDocument({
    title: "Share files with a link",
    description: isClosed ? "Share files with a link." : "Upload files, get links, send them to anyone.",
    scripts: isClosed ? ["page"] : ["page", "upload"],
    version: props.version,
    children: (
      <>
        <div class="hero">
          <h1>Share files with a link</h1>
          <p>{isClosed ? "This server takes files from its own users only." : "Send the link to anyone. No account needed."}</p>
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
            Prints the link. Put your file’s name in place of “file”{isClosed ? ", and your key in place of “KEY”" : ""}. More for programs:{" "}
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
      <p>Ask the administrator of this server for an account.</p>
      <p>Programs upload with the key of an account. To download a file you need only its link.</p>
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
        {/* Of a script's making in looks alone: the field over it is what is pressed. */}
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
          Keep it for
          <select id="ttl" name="ttl">
            {keepTimes(limits.retentionMs).map(({ ttl, label }) => (
              <option key={ttl} value={ttl}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" name="once" value="true" />
          Single use
          <span class="quiet">Gone after one download</span>
        </label>
        <label class="check">
          <input type="checkbox" name="protect" value="true" />
          Protect it
          <span class="quiet">Opens with a code</span>
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
        <p id="confirm-text">What has been sent of this file is deleted. Links that are ready stay.</p>
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

/** What a script shows of each file that was chosen. */
function ChosenRow() {
  return (
    <template id="chosen-row">
      <li>
        <span class="tile" data-part="tile" aria-hidden="true" />
        <div class="what">
          <p class="name">
            <bdi data-part="name" />
            <bdi class="ext" data-part="end" />
          </p>
          <p class="quiet">
            <span data-part="size" /> <span data-part="word" />
          </p>
        </div>
        <button class="button small" type="button" data-part="remove">
          <CrossIcon />
          <span class="unseen">
            Leave out
            <span data-part="removes" />
          </span>
        </button>
      </li>
    </template>
  );
}

/** The first choice sends no time at all, so that the server's own rule applies. */
function keepTimes(retentionMs: number | null): readonly { ttl: string; label: string }[] {
  const longest = { ttl: "", label: retentionMs === null ? "As long as I want" : `${formatDuration(retentionMs)} (longest)` };
  const shorter = KEEP_TIMES.filter(({ durationMs }) => retentionMs === null || durationMs < retentionMs);
  return [longest, ...shorter.map(({ ttl, durationMs }) => ({ ttl, label: formatDuration(durationMs) })).reverse()];
}

function limitsNote({ fileBytes, retentionMs }: HomePageProps["limits"]): string {
  return `Up to ${formatSize(fileBytes)}${retentionMs === null ? "." : `, kept for at most ${formatDuration(retentionMs)}.`}`;
}
