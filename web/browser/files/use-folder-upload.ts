/** Uploads into the open folder: files that are chosen together get one link. */
import { useEffect, useRef, useState } from "preact/hooks";
import { files as texts } from "#texts/files.ts";
import type { Toasts } from "../components/toasts.tsx";
import { type Chosen, pickNew, toSentFile } from "../send/chosen.ts";
import type { Sending } from "../send/use-upload.ts";
import { deleteShare, openShare } from "../upload/api.ts";
import { createUpload, type Upload } from "../upload/engine.ts";
import { Gate } from "../upload/gate.ts";
import type { FileMemory, UploadMemory } from "../upload/memory.ts";
import { createMeter } from "../upload/meter.ts";
import { createRetry, newKey } from "../upload/retry.ts";

/** Progress is shown this often. */
const REFRESH_MS = 200;
const DELETE_TIMEOUT_MS = 20_000;

export interface FolderUpload extends Pick<Sending, "upload" | "wait" | "bytesPerSecond" | "secondsLeft"> {
  /** Files that wait for their link. */
  readonly files: readonly Chosen[];
  add(files: readonly Chosen[], folderId: string | null): void;
  /** Ends it. What was sent stays. */
  cancel(): Promise<void>;
}

interface Started {
  readonly folderId: string | null;
  readonly cancelling: AbortController;
  files: readonly Chosen[];
  shortId: string | undefined;
  upload: Upload | undefined;
}

/** `onStored`: files were stored, so the list has more. */
export function useFolderUpload(toasts: Toasts, maxBytes: number, onStored: () => void): FolderUpload {
  const [, refresh] = useState({});
  const state = useRef({
    started: undefined as Started | undefined,
    waiting: [] as { readonly files: readonly Chosen[]; readonly folderId: string | null }[],
    wait: "",
    stored: 0,
    speed: undefined as ReturnType<ReturnType<typeof createMeter>["measure"]>,
    meter: createMeter(),
  }).current;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const stored = useRef(onStored);
  stored.current = onStored;
  useEffect(() => () => clearTimeout(timer.current), []);

  const onWait = (reason: string): void => {
    state.wait = reason;
    if (reason) state.meter.reset();
    refresh({});
  };
  const onChange = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const upload = state.started?.upload;
      if (!upload) return;
      state.speed = upload.isPaused ? undefined : state.meter.measure(upload.sentBytes, upload.totalBytes);
      const sent = upload.files.filter(({ status }) => status === "sent").length;
      if (sent > state.stored) stored.current();
      state.stored = sent;
      if (sent === upload.files.length) finish(sent);
      refresh({});
    }, REFRESH_MS);
  };
  const finish = (count: number): void => {
    end();
    toasts.show({ text: texts.uploaded(count) });
  };
  /** Forgets the upload, and starts the next one. */
  const end = (): void => {
    state.started = undefined;
    state.wait = "";
    state.stored = 0;
    state.meter.reset();
    const next = state.waiting.shift();
    if (next) void start(next.files, next.folderId);
    refresh({});
  };

  const start = async (files: readonly Chosen[], folderId: string | null): Promise<void> => {
    const started: Started = { folderId, files, cancelling: new AbortController(), shortId: undefined, upload: undefined };
    state.started = started;
    refresh({});
    const { signal } = started.cancelling;
    try {
      const retry = createRetry({ signal, gate: new Gate(), onWait });
      const key = newKey();
      const { shortId } = await retry(({ signal }) => openShare({}, { key, signal }));
      started.shortId = shortId;
      const siteUrl = document.body.dataset.site ?? location.origin;
      const target = { shortId, ...(folderId !== null && { folderId }) };
      started.upload = createUpload({ target, siteUrl, memory: createMemory(), onChange, onWait, onResumed: () => state.meter.reset() });
      started.upload.add(started.files);
      refresh({});
    } catch (error) {
      if (signal.aborted) return;
      end();
      toasts.show({ text: error instanceof Error ? error.message : String(error), isProblem: true });
    }
  };

  return {
    files: state.started?.files ?? [],
    upload: state.started?.upload,
    wait: state.wait,
    bytesPerSecond: state.speed?.bytesPerSecond,
    secondsLeft: state.speed?.secondsLeft,
    add(chosen, folderId) {
      const fitting = chosen.filter(({ file }) => file.size <= maxBytes);
      const { started } = state;
      const files = pickNew(started?.folderId === folderId ? started.files.map(toSentFile) : [], fitting);
      if (files.length === 0) return;
      if (!started) return void start(files, folderId);
      if (started.folderId !== folderId) return void state.waiting.push({ files, folderId });
      started.files = [...started.files, ...files];
      started.upload?.add(files);
    },
    async cancel() {
      const { started } = state;
      if (!started) return;
      started.cancelling.abort(new DOMException("", "AbortError"));
      const sent = started.upload?.files.some(({ status }) => status === "sent");
      end();
      await started.upload?.cancel();
      if (started.shortId === undefined || sent) return stored.current();
      await deleteShare(started.shortId, "", AbortSignal.timeout(DELETE_TIMEOUT_MS)).catch(() => undefined);
    },
  };
}

/** Until the page is closed. */
function createMemory(): UploadMemory {
  const known = new Map<string, FileMemory>();
  return {
    find: async (path) => known.get(path),
    save: async (path, memory) => void known.set(path, memory),
    forget: async (paths) => {
      for (const path of paths) known.delete(path);
    },
  };
}
