/** @jsxImportSource preact */
/** What was sent from this device, with its state, and what can be continued. Loaded after the page. */
import { useEffect, useState } from "preact/hooks";
import { send as sendTexts } from "#texts/send.ts";
import { sending as texts } from "#texts/sending.ts";
import { FileName, FileTile } from "../../file-name.tsx";
import { CrossIcon } from "../../icons.tsx";
import { fetchMissingBytes } from "../device/missing-bytes.ts";
import { isSameFile, listPending, type PendingFile } from "../device/pending-files.ts";
import { listShares, removeShare, type SentShare } from "../device/shares.ts";
import { type Chosen, toChosen } from "./chosen.ts";
import { announce, size } from "./format.ts";
import { describeState, fetchShareState, type ShareState } from "./recent-state.ts";

const FIRST_ROWS = 5;

export interface RecentProps {
  /** Continues an unfinished upload with the chosen files. */
  onContinue(share: SentShare, files: readonly Chosen[]): void;
}

export function Recent({ onContinue }: RecentProps) {
  const [shares, setShares] = useState<readonly SentShare[]>([]);
  const [rows, setRows] = useState(FIRST_ROWS);
  useEffect(() => {
    const load = () => void listShares().then(setShares, () => undefined);
    load();
    // The browser restored the page, or another tab sent something.
    addEventListener("pageshow", load);
    return () => removeEventListener("pageshow", load);
  }, []);
  if (shares.length === 0) return null;

  const forget = async (share: SentShare): Promise<void> => {
    await removeShare(share.shortId);
    setShares((shares) => shares.filter(({ shortId }) => shortId !== share.shortId));
    announce(texts.forgotten);
  };
  const hidden = shares.length - rows;
  return (
    <section class="card recent" aria-labelledby="recent-title">
      <h2 id="recent-title">{texts.recentTitle}</h2>
      <ul class="files" id="recent">
        {shares.slice(0, rows).map((share) => (
          <RecentShare key={share.shortId} share={share} onContinue={onContinue} onForget={() => void forget(share)} />
        ))}
      </ul>
      {hidden > 0 ? (
        <button class="button small" type="button" onClick={() => setRows(rows + 20)}>
          {texts.moreShares(Math.min(20, hidden))}
        </button>
      ) : null}
      <p class="quiet">{texts.recentNote}</p>
    </section>
  );
}

interface RecentShareProps extends RecentProps {
  readonly share: SentShare;
  onForget(): void;
}

function RecentShare({ share, onContinue, onForget }: RecentShareProps) {
  const [state, setState] = useState<ShareState>();
  const [pending, setPending] = useState<readonly PendingFile[]>([]);
  const [missingBytes, setMissingBytes] = useState<number>();
  const [isElsewhere, setElsewhere] = useState(false);
  const [problem, setProblem] = useState("");
  const { shortId, title, firstName, fileCount, sharePath, isComplete } = share;
  useEffect(() => {
    void fetchShareState(share).then(setState);
    if (isComplete) return;
    void listPending(shortId).then(
      (files) => {
        setPending(files);
        void fetchMissingBytes(files).then(setMissingBytes);
      },
      () => undefined,
    );
    void isSentElsewhere(shortId).then(setElsewhere);
  }, [shortId, isComplete]);

  const choose = (files: readonly File[]): void => {
    const found = pending.flatMap((one) => {
      const file = files.find(
        (file) => isSameFile(one, file) && (!one.path.includes("/") || toChosen(file).path === one.path || files.length === 1),
      );
      return file ? [{ path: one.path, file }] : [];
    });
    if (found.length === 0) setProblem(texts.notSame);
    else onContinue(share, found);
  };

  const name = title || (fileCount > 1 ? texts.andMore(firstName, fileCount - 1) : firstName);
  const canContinue = pending.length > 0 && !isElsewhere && state?.kind !== "gone";
  const isFolder = pending.length > 1 && pending.every(({ path }) => path.includes("/"));
  const missing = [sendTexts.files(pending.length), missingBytes === undefined ? "" : size(missingBytes)].filter(Boolean).join(", ");
  return (
    <li>
      <FileTile name={firstName} />
      <div class="what">
        <p class="name">
          <a href={sharePath}>
            <FileName name={name} />
          </a>
        </p>
        <p class="quiet">{isElsewhere ? texts.activeElsewhere : canContinue ? texts.unfinished(missing) : describeState(share, state)}</p>
        {canContinue ? (
          <label class="button small recent-continue">
            {isFolder ? texts.continueFolder : pending.length > 1 ? texts.continueMany : texts.continueOne}
            <input
              class="send-field"
              type="file"
              multiple={pending.length > 1}
              {...(isFolder ? { webkitdirectory: true } : {})}
              onChange={({ currentTarget }) => choose([...(currentTarget.files ?? [])])}
            />
          </label>
        ) : null}
        {problem ? (
          <p class="problem" role="alert">
            {problem}
          </p>
        ) : null}
      </div>
      <button class="button small" type="button" onClick={onForget}>
        <CrossIcon />
        <span class="unseen">
          {texts.forget}: {name}
        </span>
      </button>
    </li>
  );
}

/** Whether another tab sends the share's files. Unknown without HTTPS. */
async function isSentElsewhere(shortId: string): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === `upload ${shortId}`);
}
