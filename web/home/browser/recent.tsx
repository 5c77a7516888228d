/** @jsxImportSource preact */
/** The shares of this device with their states, and the unfinished uploads. Loaded after the page. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { send as sendTexts, sending as texts } from "#texts/sending";
import { type ChosenFile, toChosenFile } from "../../sending/browser/chosen-files.ts";
import { ClaimOffer } from "../../sending/browser/claim/claim-offer.tsx";
import { ContinueField } from "../../sending/browser/continue-field.tsx";
import { findOnlyFolder } from "../../sending/browser/folder-rows.ts";
import { deleteShare, hasEnded } from "../../sending/browser/sender-calls.ts";
import { splitChosen } from "../../sending/browser/split-chosen.ts";
import { announce } from "../../site/browser/components/announce.ts";
import { CopyButton } from "../../site/browser/components/copy-button.tsx";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { date, size } from "../../site/browser/components/format.ts";
import { onReturn } from "../../site/browser/components/on-return.ts";
import { finishStored } from "../../site/browser/device/finish-stored.ts";
import { listPending, type PendingFile } from "../../site/browser/device/pending-files.ts";
import { canAddFiles, listSentShares, removeShare, type SentShare, toPage } from "../../site/browser/device/shares.ts";
import { isSentElsewhere, whenNotSent } from "../../site/browser/device/upload-lock.ts";
import { isSignedIn } from "../../site/browser/page/signed-in.ts";
import { FileName, FileTile, FolderTile } from "../../site/file-name.tsx";
import { CopyIcon, CrossIcon } from "../../site/icons.tsx";
import { describeSentShare, fetchShareState, type ShareState } from "./recent-state.ts";

const FIRST_ROWS = 5;
const MORE_ROWS = 20;

export interface RecentProps {
  /** Continues an unfinished upload with the chosen files. */
  onContinue(share: SentShare, files: readonly ChosenFile[]): void;
}

export function Recent({ onContinue }: RecentProps) {
  const [shares, setShares] = useState<readonly SentShare[]>([]);
  const [rows, setRows] = useState(FIRST_ROWS);
  const [loads, setLoads] = useState(0);
  const reload = useCallback(() => setLoads((loads) => loads + 1), []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      const deletesAtMs = await loadShares(setShares).catch(() => Number.POSITIVE_INFINITY);
      if (Number.isFinite(deletesAtMs)) timer = setTimeout(reload, deletesAtMs - Date.now());
    };
    void load();
    return () => clearTimeout(timer);
  }, [loads]);
  useEffect(() => onReturn(reload), []);
  if (shares.length === 0) return null;

  const forget = async (share: SentShare): Promise<void> => {
    await removeShare(share.shortId);
    setShares((shares) => shares.filter(({ shortId }) => shortId !== share.shortId));
    announce(texts.forgotten);
    keepFocus("#recent > li > button", "#file");
  };
  const hidden = shares.length - rows;
  const showMore = (): void => {
    setRows(rows + MORE_ROWS);
    keepFocus(`#recent > li:nth-child(${rows + 1}) a`);
  };
  return (
    <>
      {isSignedIn() ? <ClaimOffer onClaimed={reload} /> : null}
      <section class="card recent" aria-labelledby="recent-title">
        <h2 id="recent-title">{texts.recentTitle}</h2>
        <ul class="files" id="recent">
          {shares.slice(0, rows).map((share) => (
            <RecentShare key={share.shortId} share={share} onContinue={onContinue} onChanged={reload} onForget={() => void forget(share)} />
          ))}
        </ul>
        {hidden > 0 ? (
          <button class="button small" type="button" onClick={showMore}>
            {texts.moreShares(Math.min(MORE_ROWS, hidden))}
          </button>
        ) : null}
        <p class="quiet">{texts.recentNote}</p>
      </section>
    </>
  );
}

/**
 * Shows the shares, and shows them again after the deletions of a closed page (pages, "The sender's bar"). Resolves to the time until which the next
 * deletion can be undone; infinite without one.
 */
async function loadShares(show: (shares: readonly SentShare[]) => void): Promise<number> {
  const shares = await listSentShares();
  show(shares);
  const isDue = ({ deletesAtMs = Number.POSITIVE_INFINITY }: SentShare): boolean => deletesAtMs <= Date.now();
  const removed = new Set<SentShare>();
  const remove = async (share: SentShare): Promise<void> => {
    if (isDue(share)) await deleteShare(share);
    else if (!(await hasEnded(share))) return;
    await removeShare(share.shortId);
    removed.add(share);
  };
  await Promise.allSettled(shares.filter(({ deletesAtMs }) => deletesAtMs !== undefined).map(remove));
  const left = shares.filter((share) => !removed.has(share));
  if (removed.size > 0) show(left);
  return Math.min(...left.filter((share) => !isDue(share)).map(({ deletesAtMs = Number.POSITIVE_INFINITY }) => deletesAtMs));
}

/** The interval of requests whether a file that is being scanned is ready. */
const CHECK_AGAIN_MS = 3_000;

interface RecentShareProps extends RecentProps {
  readonly share: SentShare;
  /** Runs after the remembered data of the share may have changed. */
  onChanged(): void;
  onForget(): void;
}

function RecentShare({ share, onContinue, onChanged, onForget }: RecentShareProps) {
  const [state, setState] = useState<ShareState>();
  const [pending, setPending] = useState<readonly PendingFile[]>([]);
  const [missingBytes, setMissingBytes] = useState<number>();
  const [hasLock, setLock] = useState(false);
  const [problem, setProblem] = useState("");
  const { shortId, title, files, isComplete } = share;
  const isDeleting = share.deletesAtMs !== undefined;
  const isElsewhere = hasLock && !isComplete;
  useEffect(() => {
    if (isDeleting) return setState({ kind: "deleting" });
    let isCurrent = true;
    const follow = async (): Promise<void> => {
      const hasLock = await isSentElsewhere(shortId);
      setLock(hasLock);
      if (hasLock) {
        await whenNotSent(shortId);
        if (isCurrent) onChanged();
        return;
      }
      setPending(await listPending(shortId));
      const { files, bytes, isFinished } = await finishStored(shortId);
      setPending(files);
      setMissingBytes(bytes);
      if (isFinished && isCurrent) onChanged();
    };
    // The response for an earlier record of the share may come after the response for this one.
    void fetchShareState(share).then((state) => isCurrent && setState(state));
    if (!isComplete) void follow().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [share]);
  useEffect(() => {
    if (state?.kind !== "scanning") return;
    let isCurrent = true;
    const timer = setTimeout(() => void fetchShareState(share).then((state) => isCurrent && setState(state)), CHECK_AGAIN_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [state]);

  const choose = async (files: readonly File[]): Promise<void> => {
    const { found } = await splitChosen(pending, share, files.map(toChosenFile));
    if (found.length === 0) setProblem(texts.notSame);
    else onContinue(share, found);
  };

  const firstName = files[0]?.path ?? "";
  const folder = findOnlyFolder(files);
  const name = title || folder || (files.length > 1 ? texts.andMore(firstName, files.length - 1) : firstName);
  const canContinue = pending.length > 0 && !isComplete && !isElsewhere && !isDeleting && state?.kind !== "ended" && canAddFiles(share);
  const isFolder = pending.length > 1 && pending.every(({ path }) => path.includes("/"));
  const missing = [sendTexts.files(pending.length), missingBytes === undefined ? "" : size(missingBytes)].filter(Boolean).join(", ");
  return (
    <li>
      {folder === undefined ? <FileTile name={firstName} /> : <FolderTile />}
      <div class="what">
        <p class="name">
          <a href={toPage(share)}>
            <FileName name={name} />
          </a>
        </p>
        <p class="quiet" title={state?.expiresAt ? date(state.expiresAt) : undefined}>
          {isElsewhere ? texts.activeElsewhere : canContinue ? texts.unfinished(missing) : describeSentShare(share, state)}
        </p>
      </div>
      {state?.kind === "ended" || isDeleting ? null : (
        <>
          <a id={`link-${shortId}`} href={share.shareUrl} hidden>
            {share.shareUrl}
          </a>
          <CopyButton
            source={`link-${shortId}`}
            icon={<CopyIcon />}
            label={texts.copyLink}
            copiedLabel={texts.linkCopied}
            describes={name}
          />
        </>
      )}
      <button class="button small" type="button" onClick={onForget}>
        <CrossIcon />
        <span class="unseen">
          {texts.forget}: {name}
        </span>
      </button>
      {canContinue ? (
        <div class="recent-more">
          <ContinueField isFolder={isFolder} isMany={pending.length > 1} onChoose={(files) => void choose(files)} />
          {problem ? (
            <p class="problem" role="alert">
              {problem}
            </p>
          ) : null}
        </div>
      ) : null}
    </li>
  );
}
