/** One upload of the front page: opens the share, remembers it on this device, and sends its files. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { sending as texts } from "#texts/sending";
import { withFragmentKey } from "../../../src/transfer/encryption/fragment-key.ts";
import { Gate } from "../../../src/transfer/gate.ts";
import { newRandomId } from "../../../src/transfer/retry.ts";
import { receiptPath } from "../../requests/paths.ts";
import { keepSent, removeCancelled } from "../../site/browser/device/end-submission.ts";
import { createMemory, listPending, toPending } from "../../site/browser/device/pending-files.ts";
import { removeShare, type SentShare, saveShare, updateShare } from "../../site/browser/device/shares.ts";
import { holdUploadLock } from "../../site/browser/device/upload-lock.ts";
import { getAccountId } from "../../site/browser/page/signed-in.ts";
import { callEncryptionWorker, createShareKeys } from "../../site/browser/upload/encryption/encryptor.ts";
import type { ShareKeys } from "../../site/browser/upload/encryption/worker-messages.ts";
import { startUpload, type Upload } from "../../site/browser/upload/engine.ts";
import { createMeter } from "../../site/browser/upload/meter.ts";
import { createRetry } from "../../site/browser/upload/retry.ts";
import { type OpenedShare, openShare, openSubmission } from "../../site/browser/upload/upload-api.ts";
import { type ChosenFile, pickNew, toSentFile } from "./chosen-files.ts";
import { deleteShare } from "./sender-calls.ts";

/** The interval in which progress is shown. */
const REFRESH_MS = 200;

export interface Sending {
  readonly share: SentShare | undefined;
  readonly upload: Upload | undefined;
  /** The reason of a wait; empty if the upload does not wait. */
  readonly wait: string;
  readonly bytesPerSecond: number | undefined;
  readonly secondsLeft: number | undefined;
  readonly isDone: boolean;
  /** Whether the share has a file, so that its page shows something. */
  readonly hasSent: boolean;
  /** Whether this browser remembers the share. */
  readonly isStored: boolean;
  /** Adds the files that are new. */
  add(files: readonly ChosenFile[]): Promise<void>;
  /** Cancels the upload and deletes the sent files. Cancelling an addition to a submission deletes nothing. */
  cancel(): Promise<void>;
}

/** The sending of files to a share whose settings change meanwhile. */
export interface ShareSending extends Sending {
  /** Shows changed settings of the share, which the device remembers already. */
  showChange(change: Partial<SentShare>): void;
}

/** The request that gets the files, in place of a share. */
export interface RequestTarget {
  readonly token: string;
  readonly unlockToken?: string | undefined;
  /** The public key to which files are encrypted; undefined if they are sent as they are. */
  readonly encryptTo?: string | undefined;
}

/** The files to send: to a new share, or the rest of an unfinished one. */
export interface Job {
  readonly files: readonly ChosenFile[];
  readonly settings: Readonly<Record<string, string>>;
  /** Whether the files of a new share are encrypted. */
  readonly isEncrypted?: boolean;
  readonly unfinished?: SentShare;
}

export interface SendingOptions extends Job {
  readonly request?: RequestTarget | undefined;
  readonly siteUrl: string;
  /** Runs when the link was created. */
  onOpened(share: SentShare): void;
  /** Runs if the share could not be opened, or files of an unfinished upload are still missing. */
  onRefused(problem: string): void;
}

export function useUpload({
  files,
  settings,
  isEncrypted,
  unfinished,
  siteUrl,
  request,
  onOpened,
  onRefused,
}: SendingOptions): ShareSending {
  const [, refresh] = useState({});
  const state = useRef(createState()).current;

  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { signal } = state.cancelling;
    const onChange = () => {
      if (state.upload && !state.upload.isRunning) void finish();
      timer ??= setTimeout(() => {
        timer = undefined;
        state.speed = state.upload?.isPaused ? undefined : state.meter.measure(state.upload?.sentBytes ?? 0, state.upload?.totalBytes ?? 0);
        refresh({});
      }, REFRESH_MS);
    };
    const onWait = (reason: string) => {
      state.wait = reason;
      if (reason) state.meter.reset();
      refresh({});
    };

    async function open(): Promise<SentShare> {
      if (unfinished) return unfinished;
      const retry = createRetry({ signal, gate: new Gate(), onWait });
      const key = newRandomId();
      if (request) {
        const { token: requestToken, unlockToken, encryptTo } = request;
        const fileKey = encryptTo === undefined ? undefined : await callEncryptionWorker("createFileKey", { recipient: encryptTo });
        const opened = await retry(({ signal }) => openSubmission({ ...settings, requestToken, unlockToken }, { key, signal }));
        // The receipt, from which more is sent later, gets the key in the link too. The page has compared it.
        const shareUrl = opened.shareUrl + (encryptTo === undefined ? "" : location.hash);
        return { ...toSubmission(opened, files, requestToken), shareUrl, fileKey };
      }
      const keys = isEncrypted ? await createShareKeys() : undefined;
      const opened = await retry(({ signal }) => openShare(settings, { key, signal }));
      return { ...toSentShare(opened, files, settings.title), accountId: getAccountId(), ...(keys && toEncrypted(opened, keys)) };
    }

    async function begin(): Promise<void> {
      const share = await open();
      state.share = share;
      refresh({});
      onOpened(share);
      state.isStored = unfinished !== undefined || (await remember(share, files));
      const pending = unfinished ? await listPending(share.shortId).catch(() => []) : files;
      state.hadSent = pending.length < share.files.length;
      void holdUploadLock(share.shortId, signal);
      signal.throwIfAborted();
      const memory = createMemory(share.shortId);
      const { fileKey } = share;
      const upload = startUpload({ target: share, siteUrl, memory, fileKey, onChange, onWait, onResumed: () => state.meter.reset() });
      state.upload = upload;
      upload.add(files);
    }

    /** Ends the upload when no file is left, or only files that failed. */
    async function finish(): Promise<void> {
      const { share, upload } = state;
      if (!share || !upload || state.isFinishing || upload.files.some(({ status }) => status !== "sent")) return;
      state.isFinishing = true;
      const missing = await listPending(share.shortId).catch(() => []);
      if (missing.length > 0) {
        state.cancelling.abort(new DOMException("", "AbortError"));
        onRefused(texts.missing(missing.length));
        return;
      }
      await updateShare(share.shortId, { isComplete: true }).catch(() => undefined);
      state.isDone = true;
      refresh({});
    }

    begin().catch((error: unknown) => {
      if (!signal.aborted) onRefused(error instanceof Error ? error.message : String(error));
    });
    return () => clearTimeout(timer);
  }, []);

  async function add(chosen: readonly ChosenFile[]): Promise<void> {
    const { share, upload } = state;
    if (!share || !upload) return;
    const more = await pickNew(share, chosen);
    // Other files were added meanwhile.
    if (state.share !== share) return await add(chosen);
    if (more.length === 0) return;
    const all = [...share.files, ...more.map(toSentFile)];
    state.share = { ...share, files: all };
    const pending = toPending(share.shortId, more);
    void updateShare(share.shortId, { files: all, isComplete: false }, { pending }).catch(() => undefined);
    state.isFinishing = false;
    state.isDone = false;
    upload.add(more);
  }

  return {
    ...state,
    bytesPerSecond: state.speed?.bytesPerSecond,
    secondsLeft: state.speed?.secondsLeft,
    hasSent: state.hadSent || (state.upload?.files.some(({ status }) => status === "sent") ?? false),
    add,
    showChange(change) {
      if (state.share) state.share = { ...state.share, ...change };
      refresh({});
    },
    async cancel() {
      state.cancelling.abort(new DOMException("", "AbortError"));
      const { share } = state;
      const ended = state.upload?.cancel();
      const isKept = request && unfinished && share && (await keepSent(share).catch(() => true));
      if (isKept) return;
      // If the page closes before the deletion has ended, the list of sent shares, or the page of the request, completes it.
      if (share) await updateShare(share.shortId, { deletesAtMs: 0 }).catch(() => undefined);
      if (share) void removeSent(share, ended);
    },
  };
}

/** Deletes the sent files, after the upload has ended. */
async function removeSent(share: SentShare, ended: Promise<void> | undefined): Promise<void> {
  await ended;
  if (share.requestToken) return await removeCancelled(share).catch(() => undefined);
  // A share without a token belongs to the signed-in account.
  await deleteShare(share).catch(() => undefined);
  await removeShare(share.shortId).catch(() => undefined);
}

const createState = () => ({
  share: undefined as SentShare | undefined,
  upload: undefined as Upload | undefined,
  wait: "",
  speed: undefined as ReturnType<ReturnType<typeof createMeter>["measure"]>,
  meter: createMeter(),
  isFinishing: false,
  isDone: false,
  isStored: false,
  /** Whether files were sent before this page was opened. */
  hadSent: false,
  cancelling: new AbortController(),
});

function toSentShare(opened: OpenedShare, files: readonly ChosenFile[], title: string | undefined): SentShare {
  const { shortId, shareUrl, shareToken, claimToken, deletionToken, unlockCode, handoffUrl } = opened;
  return {
    // The alias in the link can be removed later, so the device remembers the page by the short ID.
    ...{ shortId, shareUrl, sharePath: `/d/${shortId}`, shareToken, claimToken, deletionToken, unlockCode, handoffUrl, title },
    files: files.map(toSentFile),
    createdAtMs: Date.now(),
    isComplete: false,
  };
}

/** Returns the fields of a share whose files are encrypted. The links get their fragment on this device, so the server does not get the key. */
const toEncrypted = ({ shareUrl, handoffUrl }: OpenedShare, { identity, fileKey }: ShareKeys): Partial<SentShare> => ({
  shareUrl: withFragmentKey(shareUrl, identity),
  ...(handoffUrl !== undefined && { handoffUrl: withFragmentKey(handoffUrl, identity) }),
  fileKey,
});

/** Returns a submission in the form of a remembered share, whose page is the receipt. */
const toSubmission = (opened: OpenedShare, files: readonly ChosenFile[], requestToken: string): SentShare => ({
  ...toSentShare(opened, files, undefined),
  requestToken,
  sharePath: receiptPath(requestToken, opened.shortId, opened.deletionToken ?? ""),
});

/** Remembers a share. Resolves to false if the browser forbids it, as in private windows or by policy. */
async function remember(share: SentShare, files: readonly ChosenFile[]): Promise<boolean> {
  try {
    await saveShare(share, toPending(share.shortId, files));
    return true;
  } catch {
    return false;
  }
}
