/** @jsxImportSource preact */
import { send as sendTexts, sending as texts } from "#texts/sending";
import { size } from "../../site/browser/components/format.ts";
import type { UploadedFileState } from "../../site/browser/upload/engine.ts";
import { FileName, FileTile } from "../../site/file-name.tsx";

/** The largest number of rows. Of more files, only those that are being sent or have failed have a row. */
const MAX_ROWS = 100;

export interface SentFilesProps {
  readonly files: readonly UploadedFileState[];
  /** Whether the upload is paused, or waits for the server. */
  readonly isWaiting: boolean;
}

/** Renders the files of the upload, each with its progress. */
export function SentFiles({ files, isWaiting }: SentFilesProps) {
  const hasCommonProblem = findCommonProblem(files) !== undefined;
  const rows =
    files.length <= MAX_ROWS ? files : files.filter(({ status }) => status === "failed" || status === "sending").slice(0, MAX_ROWS);
  const count = (status: UploadedFileState["status"]) => sendTexts.files(files.filter((file) => file.status === status).length);
  return (
    <div class="send-list">
      <ul class="files" id="sending" aria-label={texts.filesLabel}>
        {rows.map((file) => (
          <SentFile key={file.path} file={hasCommonProblem ? { ...file, problem: undefined } : file} isWaiting={isWaiting} />
        ))}
      </ul>
      {files.length <= MAX_ROWS ? null : <p class="quiet send-list-end">{texts.moreFiles(count("waiting"), count("sent"))}</p>}
    </div>
  );
}

/** Returns the problem that all failed files have; undefined if they have different problems. */
export function findCommonProblem(files: readonly UploadedFileState[]): string | undefined {
  const problems = new Set(files.flatMap(({ problem }) => problem ?? []));
  return problems.size === 1 ? [...problems][0] : undefined;
}

function SentFile({ file, isWaiting }: { readonly file: UploadedFileState; readonly isWaiting: boolean }) {
  const { path, sizeBytes, status, sentBytes, problem } = file;
  const words = { waiting: texts.waiting, sending: isWaiting ? texts.waiting : texts.sendingFile, sent: texts.sent, failed: texts.notSent };
  const isPartly = status === "sending" && sentBytes > 0;
  return (
    <li class={status}>
      <FileTile name={path} />
      <div class="what">
        <p class="name">
          <FileName name={path} />
        </p>
        <p class="quiet">
          {isPartly ? texts.of(size(sentBytes), size(sizeBytes)) : size(sizeBytes)} · <span class="word">{problem ?? words[status]}</span>
        </p>
        {isPartly && sizeBytes > 0 ? <progress class="thin" max="1" value={sentBytes / sizeBytes} aria-label={path} /> : null}
      </div>
      {status === "sent" ? <span class="send-mark" aria-hidden="true" /> : null}
    </li>
  );
}
