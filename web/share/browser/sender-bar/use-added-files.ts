/** Sends more files to a share that was sent from this device. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ChosenFile } from "../../../sending/browser/chosen-files.ts";
import type { Sending } from "../../../sending/browser/use-upload.ts";
import { createMemory } from "../../../site/browser/device/pending-files.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";
import { holdUploadLock } from "../../../site/browser/device/upload-lock.ts";
import { startUpload, type Upload } from "../../../site/browser/upload/engine.ts";
import { createMeter } from "../../../site/browser/upload/meter.ts";

/** The interval in which progress is shown. */
const REFRESH_MS = 200;

export type AddedFiles = Pick<Sending, "upload" | "wait" | "bytesPerSecond" | "secondsLeft"> & {
  add(files: readonly ChosenFile[]): void;
  /** Cancels the upload. Files that were sent stay. */
  cancel(): Promise<void>;
};

/** Sends added files. Calls `onSent` after all files were sent. */
export function useAddedFiles(sent: SentShare, onSent: (upload: Upload) => void): AddedFiles {
  const [, refresh] = useState({});
  const state = useRef({
    upload: undefined as Upload | undefined,
    wait: "",
    speed: undefined as ReturnType<ReturnType<typeof createMeter>["measure"]>,
    meter: createMeter(),
    sending: new AbortController(),
  }).current;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const onChange = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const { upload, meter } = state;
      if (!upload) return;
      state.speed = upload.isPaused ? undefined : meter.measure(upload.sentBytes, upload.totalBytes);
      refresh({});
      if (upload.files.every(({ status }) => status === "sent")) {
        state.upload = undefined;
        state.sending.abort();
        onSent(upload);
      }
    }, REFRESH_MS);
  };
  const onWait = (reason: string): void => {
    state.wait = reason;
    if (reason) state.meter.reset();
    refresh({});
  };

  return {
    upload: state.upload,
    wait: state.wait,
    bytesPerSecond: state.speed?.bytesPerSecond,
    secondsLeft: state.speed?.secondsLeft,
    add(files) {
      const siteUrl = document.body.dataset.site ?? location.origin;
      const memory = createMemory(sent.shortId);
      const { shortId, shareToken } = sent;
      const target = { shortId, ...(shareToken !== "" && { shareToken }) };
      const options = { target, siteUrl, memory, fileKey: sent.fileKey, onChange, onWait, onResumed: () => state.meter.reset() };
      if (!state.upload) {
        state.upload = startUpload(options);
        state.sending = new AbortController();
        void holdUploadLock(sent.shortId, state.sending.signal);
      }
      state.upload.add(files);
    },
    async cancel() {
      const { upload } = state;
      state.upload = undefined;
      state.sending.abort();
      refresh({});
      await upload?.cancel();
      await createMemory(sent.shortId).forget(upload?.files.map(({ path }) => path) ?? []);
    },
  };
}
