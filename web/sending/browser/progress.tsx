/** @jsxImportSource preact */

import { useEffect } from "preact/hooks";
import { send as sendTexts, sending as texts } from "#texts/sending";
import { announce } from "../../site/browser/components/announce.ts";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { size, span } from "../../site/browser/components/format.ts";
import { toPage } from "../../site/browser/device/shares.ts";
import type { Upload } from "../../site/browser/upload/engine.ts";
import { type ChosenFile, sumBytes, toSentFile } from "./chosen-files.ts";
import { areSmall, countSent, toPercent } from "./percent.ts";
import { findCommonProblem } from "./sent-files.tsx";
import type { Sending } from "./use-upload.ts";

export interface ProgressProps {
  readonly sending: Sending;
  /** The chosen files, until the upload has begun. */
  readonly files: readonly ChosenFile[];
  onCancel(): void;
}

/** Renders the total progress of the upload, with pause and cancel. */
export function Progress({ sending, files, onCancel }: ProgressProps) {
  const { upload, wait } = sending;
  const failed = upload?.files.filter(({ status }) => status === "failed").length ?? 0;
  const percent = upload ? toPercent(upload) : 0;
  const hasFailed = Boolean(upload && !upload.isRunning && failed > 0);
  useEffect(() => {
    if (wait) announce(wait);
  }, [wait]);
  useEffect(() => keepFocus(".send-progress button"), [hasFailed]);

  if (upload && hasFailed) {
    return (
      <>
        <p class="problem" role="alert">
          {texts.failed(failed)} {findCommonProblem(upload.files)}
        </p>
        <div class="send-go">
          <button class="button" type="button" onClick={() => upload.retryFailed()}>
            {texts.again}
          </button>
          <button class="button plain" type="button" id="cancel" onClick={onCancel}>
            {texts.cancel}
          </button>
          {sending.share && sending.hasSent ? (
            <a class="button plain" href={toPage(sending.share)}>
              {texts.goOn}
            </a>
          ) : null}
        </div>
      </>
    );
  }
  return (
    <div class="send-bar">
      <label for="bar" id="progress-text" class="send-percent">
        {upload?.isPaused ? texts.paused : texts.progressLabel(percent)}
      </label>
      <progress id="bar" max="100" value={percent} />
      <p class="quiet send-numbers">{wait || describe(sending, files)}</p>
      <div class="send-go">
        {upload ? (
          <button class="button small" type="button" id="pause" onClick={() => togglePause(upload)}>
            {upload.isPaused ? texts.resume : texts.pause}
          </button>
        ) : null}
        <button class="button small" type="button" id="cancel" aria-describedby="progress-text" onClick={onCancel}>
          {texts.cancel}
        </button>
      </div>
    </div>
  );
}

function togglePause(upload: Upload): void {
  if (upload.isPaused) upload.resume();
  else upload.pause();
  announce(upload.isPaused ? texts.pausedNote : texts.resumedNote);
}

function describe({ upload, bytesPerSecond, secondsLeft }: Sending, files: readonly ChosenFile[]): string {
  if (!upload) return `${sendTexts.files(files.length)}, ${size(sumBytes(files.map(toSentFile)))}`;
  if (areSmall(upload.files)) return texts.someSent(countSent(upload.files), sendTexts.files(upload.files.length));
  if (upload.isRunning && upload.sentBytes >= upload.totalBytes) return texts.finishing;
  return [
    texts.of(size(upload.sentBytes), size(upload.totalBytes)),
    upload.isPaused || bytesPerSecond === undefined ? "" : texts.speed(size(bytesPerSecond)),
    upload.isPaused || secondsLeft === undefined || secondsLeft < 2 ? "" : texts.left(span(secondsLeft * 1000)),
  ]
    .filter(Boolean)
    .join(" · ");
}
