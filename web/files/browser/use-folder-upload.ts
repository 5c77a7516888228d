/** Uploads into the open folder, with the files' folders. Files that are chosen together get one link; the device remembers unfinished uploads. */
import { useEffect, useRef, useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { sending as copyTexts, send as sendTexts } from "#texts/sending";
import { Gate } from "../../../src/transfer/gate.ts";
import { newRandomId } from "../../../src/transfer/retry.ts";
import { Semaphore } from "../../../src/transfer/semaphore.ts";
import { addChosen, type ChosenFile, pickNew, sumBytes, toSentFile } from "../../sending/browser/chosen-files.ts";
import { findOnlyFolder } from "../../sending/browser/folder-rows.ts";
import type { LeftStorage } from "../../sending/browser/left-storage.ts";
import { deleteIfEmpty } from "../../sending/browser/sender-calls.ts";
import { splitChosen } from "../../sending/browser/split-chosen.ts";
import type { Sending } from "../../sending/browser/use-upload.ts";
import { copyText } from "../../site/browser/components/copy-button.tsx";
import { size } from "../../site/browser/components/format.ts";
import { onReturn } from "../../site/browser/components/on-return.ts";
import type { Toasts } from "../../site/browser/components/toasts.tsx";
import { createMemory, listPending, toPending } from "../../site/browser/device/pending-files.ts";
import { type FolderShare, removeShare, saveShare } from "../../site/browser/device/shares.ts";
import { holdUploadLock } from "../../site/browser/device/upload-lock.ts";
import { startUpload, type Upload } from "../../site/browser/upload/engine.ts";
import { createMeter } from "../../site/browser/upload/meter.ts";
import { createRetry } from "../../site/browser/upload/retry.ts";
import { createFolders, openShare } from "../../site/browser/upload/upload-api.ts";
import { createTargetFolders, type TargetFolders } from "./target-folders.ts";
import { discard, listUnfinished, type UnfinishedUpload } from "./unfinished-uploads.ts";

/** The interval in which progress is shown. */
const REFRESH_MS = 200;
/** The largest number of characters of a title. */
const MAX_TITLE = 120;
/** The time for which the page offers the link of uploaded files. */
const UPLOADED_MS = 15_000;

export interface FolderUpload extends Pick<Sending, "upload" | "wait" | "bytesPerSecond" | "secondsLeft"> {
  /** Files that wait for their link. */
  readonly files: readonly ChosenFile[];
  readonly unfinished: readonly UnfinishedUpload[];
  /** Continues unfinished uploads into the folder with their missing files, and sends the other files with a new link. */
  add(files: readonly ChosenFile[], folderId: string | null): Promise<void>;
  /** Continues one unfinished upload like `add`. Returns whether some of the files are missing in it. */
  resume(unfinished: UnfinishedUpload, files: readonly ChosenFile[]): Promise<boolean>;
  discard(unfinished: UnfinishedUpload): Promise<void>;
  /** Cancels the upload. Files that were sent stay. */
  cancel(): Promise<void>;
}

interface Job {
  files: readonly ChosenFile[];
  readonly folderId: string | null;
  readonly unfinished?: UnfinishedUpload;
  /** The share; undefined until it is opened. */
  share?: FolderShare | undefined;
}

interface Started extends Job {
  readonly cancelling: AbortController;
  readonly folders: TargetFolders;
  upload: Upload | undefined;
}

export interface FolderUploadOptions {
  readonly toasts: Toasts;
  readonly maxBytes: number;
  readonly storage: LeftStorage;
  readonly accountId: string;
  /** Runs after files were stored, so that the list is loaded again. */
  onStored(): void;
}

export function useFolderUpload({ toasts, maxBytes, storage, accountId, onStored }: FolderUploadOptions): FolderUpload {
  const [, refresh] = useState({});
  const state = useRef({
    started: undefined as Started | undefined,
    waiting: [] as Job[],
    unfinished: [] as readonly UnfinishedUpload[],
    wait: "",
    stored: 0,
    speed: undefined as ReturnType<ReturnType<typeof createMeter>["measure"]>,
    meter: createMeter(),
  }).current;
  const adding = useRef(new Semaphore(1)).current;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const stored = useRef(onStored);
  stored.current = onStored;

  const load = async (): Promise<void> => {
    const before = state.unfinished.length;
    const sending = [state.started, ...state.waiting].flatMap((job) => job?.unfinished?.share.shortId ?? job?.share?.shortId ?? []);
    state.unfinished = await listUnfinished(accountId, new Set(sending)).catch(() => []);
    if (state.unfinished.length < before) stored.current();
    refresh({});
  };
  useEffect(() => {
    void load();
    const stop = onReturn(() => void load());
    return () => {
      stop();
      clearTimeout(timer.current);
    };
  }, []);

  const onWait = (reason: string): void => {
    state.wait = reason;
    if (reason) state.meter.reset();
    refresh({});
  };
  const onChange = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const { started } = state;
      const upload = started?.upload;
      if (!upload) return;
      state.speed = upload.isPaused ? undefined : state.meter.measure(upload.sentBytes, upload.totalBytes);
      const sent = upload.files.filter(({ status }) => status === "sent").length;
      if (sent > state.stored) stored.current();
      state.stored = sent;
      // Files whose folders are being created are not in the upload yet.
      if (sent === upload.files.length && sent === started.files.length) void finish(started);
      refresh({});
    }, REFRESH_MS);
  };
  const finish = async (started: Started): Promise<void> => {
    const { shortId, shareUrl } = started.share ?? {};
    end();
    const text = texts.uploaded(started.files.length);
    if (shareUrl === undefined) toasts.show({ text });
    else showLink(text, shareUrl);
    if (shortId !== undefined && (await listPending(shortId).catch(() => [])).length === 0)
      await removeShare(shortId).catch(() => undefined);
    started.cancelling.abort();
    await load();
  };
  /** Says that the files were sent, and that they have a link, which a button copies. */
  const showLink = (text: string, shareUrl: string): void => {
    const run = async (): Promise<void> => {
      hide();
      if (await copyText(shareUrl)) toasts.show({ text: texts.linkCopied });
      else toasts.show({ text: copyTexts.copyFailed, isProblem: true });
    };
    const hide = toasts.show({ text, actions: [{ label: texts.copyLink, run: () => void run() }], ms: UPLOADED_MS });
  };
  /** Ends the upload on this page, and starts the next one. */
  const end = (): void => {
    state.started = undefined;
    state.wait = "";
    state.stored = 0;
    state.meter.reset();
    const next = state.waiting.shift();
    if (next) void start(next);
    refresh({});
  };

  const start = async (job: Job): Promise<void> => {
    state.unfinished = state.unfinished.filter((one) => one !== job.unfinished);
    if (state.started) return void state.waiting.push(job);
    const started: Started = {
      ...job,
      cancelling: new AbortController(),
      folders: createTargetFolders(job.folderId),
      share: job.unfinished?.share,
      upload: undefined,
    };
    state.started = started;
    refresh({});
    const { signal } = started.cancelling;
    try {
      await prepareFolders(started);
      started.share ??= await open(started, signal);
      const { shortId } = started.share;
      void holdUploadLock(shortId, signal);
      await remember(started, started.share, started.files);
      // Files with other folders may have joined meanwhile.
      while (!started.folders.has(started.files)) await prepareFolders(started);
      signal.throwIfAborted();
      const siteUrl = document.body.dataset.site ?? location.origin;
      const memory = createMemory(shortId);
      started.upload = startUpload({ target: { shortId }, siteUrl, memory, onChange, onWait, onResumed: () => state.meter.reset() });
      started.upload.add(toSend(started, started.files));
      refresh({});
    } catch (error) {
      if (signal.aborted) return;
      end();
      toasts.show({ text: error instanceof Error ? error.message : String(error), isProblem: true });
    }
  };

  /** Creates the folders of the files that the account does not have. */
  const prepareFolders = async ({ folders, folderId, files, cancelling: { signal } }: Started): Promise<void> => {
    if (folders.has(files)) return;
    const retry = createRetry({ signal, gate: new Gate(), onWait });
    await folders.create(files, (paths) => retry(({ signal }) => createFolders(paths, { parentId: folderId, signal })));
    stored.current();
  };
  const toSend = ({ folders }: Started, files: readonly ChosenFile[]) => files.map((file) => ({ ...file, folderId: folders.idOf(file) }));

  const open = async ({ files, folderId }: Started, signal: AbortSignal): Promise<FolderShare> => {
    const retry = createRetry({ signal, gate: new Gate(), onWait });
    const key = newRandomId();
    const title = findOnlyFolder(files)?.slice(0, MAX_TITLE);
    const { shortId, shareUrl, sharePath } = await retry(({ signal }) =>
      openShare({ ...(title !== undefined && { title }) }, { key, signal }),
    );
    const folder = { accountId, folderId };
    return { shortId, shareUrl, sharePath, shareToken: "", files: [], createdAtMs: Date.now(), isComplete: false, folder };
  };

  /** Remembers the new files of the share. A browser without storage cannot continue the upload. */
  const remember = async (started: Started, share: FolderShare, files: readonly ChosenFile[]): Promise<void> => {
    const added = await pickNew(share, files);
    started.share = { ...share, files: [...share.files, ...added.map(toSentFile)] };
    if (added.length > 0) await saveShare(started.share, toPending(share.shortId, added)).catch(() => undefined);
  };

  /** Continues an upload with its missing files, if there are any. Returns the unknown files; a new share gets them. */
  const proceed = async (unfinished: UnfinishedUpload, chosen: readonly ChosenFile[]): Promise<readonly ChosenFile[] | undefined> => {
    const { found, others } = await splitChosen(unfinished.files, unfinished.share, chosen);
    if (found.length === 0) return undefined;
    void start({ files: found, folderId: unfinished.share.folder.folderId, unfinished });
    return others;
  };

  const join = async (started: Started, files: readonly ChosenFile[]): Promise<void> => {
    if (files.length === 0) return;
    const { share, upload } = started;
    started.files = [...started.files, ...files];
    if (share) await remember(started, share, files);
    // Before that, the start of the upload adds them.
    if (!upload) return;
    try {
      await prepareFolders(started);
      upload.add(toSend(started, files));
    } catch (error) {
      if (started.cancelling.signal.aborted) return;
      const refused = new Set(files);
      started.files = started.files.filter((file) => !refused.has(file));
      toasts.show({ text: error instanceof Error ? error.message : String(error), isProblem: true });
      onChange();
    }
  };

  /** Sends files with the link that this page makes, or has made, for the folder. */
  /** Whether the files fit into the storage beside those that are not begun yet. Says so otherwise. */
  const hasSpace = async (files: readonly ChosenFile[]): Promise<boolean> => {
    const leftBytes = await storage.refresh();
    if (leftBytes === undefined) return true;
    const begun = state.started?.upload?.files.filter(({ status }) => status === "waiting") ?? [];
    const waiting = state.waiting.flatMap((job) => (job.unfinished ? [] : job.files.map(toSentFile)));
    const spareBytes = Math.max(0, leftBytes - sumBytes(begun) - sumBytes(waiting));
    const bytes = sumBytes(files.map(toSentFile));
    if (bytes <= spareBytes) return true;
    toasts.show({ text: texts.doesNotFit(size(bytes), size(spareBytes)), isProblem: true });
    return false;
  };

  const sendNew = async (files: readonly ChosenFile[], folderId: string | null): Promise<void> => {
    if (files.length === 0 || !(await hasSpace(files))) return;
    const isOwn = (job: Job | undefined): boolean => job?.folderId === folderId && !job.unfinished;
    const { started } = state;
    if (started && isOwn(started))
      return await join(started, await pickNew(started.share ?? { files: started.files.map(toSentFile) }, files));
    const waiting = state.waiting.find(isOwn);
    if (waiting) waiting.files = await addChosen(waiting.files, files);
    else await start({ files: await addChosen([], files), folderId });
  };

  const addNow = async (chosen: readonly ChosenFile[], folderId: string | null): Promise<void> => {
    const tooLarge = chosen.filter(({ file }) => file.size > maxBytes);
    const [first] = tooLarge;
    if (first) {
      const limit = size(maxBytes);
      const text = tooLarge.length === 1 ? sendTexts.tooLarge(first.path, limit) : sendTexts.tooLargeMany(tooLarge.length, limit);
      toasts.show({ text, isProblem: true });
    }
    let left: readonly ChosenFile[] = chosen.filter(({ file }) => file.size <= maxBytes);
    const { started } = state;
    if (started?.unfinished && started.folderId === folderId) {
      const missing = started.unfinished.files.filter(({ path }) => started.files.every((file) => file.path !== path));
      const { found, others } = await splitChosen(missing, started.unfinished.share, left);
      left = others;
      await join(started, found);
    }
    for (const unfinished of state.unfinished.filter(({ share }) => share.folder.folderId === folderId))
      left = (await proceed(unfinished, left)) ?? left;
    await sendNew(left, folderId);
  };

  return {
    files: state.started?.files ?? [],
    unfinished: state.unfinished,
    upload: state.started?.upload,
    wait: state.wait,
    bytesPerSecond: state.speed?.bytesPerSecond,
    secondsLeft: state.speed?.secondsLeft,
    async add(chosen, folderId) {
      // Files that are added meanwhile wait.
      await adding.acquire();
      await addNow(chosen, folderId).finally(() => adding.release());
    },
    async resume(unfinished, chosen) {
      const others = await proceed(unfinished, chosen);
      if (others) void sendNew(others, unfinished.share.folder.folderId);
      return others !== undefined;
    },
    async discard(unfinished) {
      await discard(unfinished).catch((error: Error) => toasts.show({ text: error.message, isProblem: true }));
      await load();
    },
    async cancel() {
      const { started } = state;
      if (!started) return;
      started.cancelling.abort(new DOMException("", "AbortError"));
      const { share, upload, unfinished } = started;
      const hadSent = unfinished !== undefined && unfinished.files.length < unfinished.share.files.length;
      const hasSent = hadSent || upload?.files.some(({ status }) => status === "sent");
      end();
      await upload?.cancel();
      if (share && !hasSent) await deleteIfEmpty(share).catch(() => undefined);
      if (share) await removeShare(share.shortId).catch(() => undefined);
      stored.current();
    },
  };
}
