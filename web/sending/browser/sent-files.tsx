/** @jsxImportSource preact */
import { send as sendTexts, sending as texts } from "#texts/sending";
import { size } from "../../site/browser/components/format.ts";
import type { Upload, UploadedFileState } from "../../site/browser/upload/engine.ts";
import { FileName } from "../../site/file-name.tsx";
import { type ChosenFile, sumBytes } from "./chosen-files.ts";
import { ChosenTile } from "./chosen-tile.tsx";
import { FolderRow } from "./folder-row.tsx";
import { pathInFolder, toRows } from "./folder-rows.ts";
import { areSmall, countSent } from "./percent.ts";

/** The largest number of rows. Of more files, only those that are being sent or have failed have a row. */
const MAX_ROWS = 100;

export interface SentFilesProps {
  readonly upload: Upload | undefined;
  /** The files to send, until the upload has begun. */
  readonly chosen: readonly ChosenFile[];
  /** The reason for which the upload waits for the server; empty if it does not. */
  readonly wait: string;
}

/** Renders the files and folders of the upload, each with its state in words. A file of a folder that was not sent also has a separate row. */
export function SentFiles({ upload, chosen, wait }: SentFilesProps) {
  const files = upload?.files ?? chosen.map(toWaiting);
  const isWaiting = (upload?.isPaused ?? false) || wait !== "";
  const hasCommonProblem = findCommonProblem(files) !== undefined;
  const rows = toRows(files).flatMap((row) =>
    row.kind === "file"
      ? [row]
      : [row, ...row.files.filter(({ status }) => status === "failed").map((file) => ({ kind: "file", path: file.path, file }) as const)],
  );
  const shown =
    rows.length <= MAX_ROWS
      ? rows
      : rows.filter((row) => row.kind === "folder" || row.file.status === "failed" || row.file.status === "sending").slice(0, MAX_ROWS);
  const renderFile = (file: UploadedFileState, name: string) => (
    <SentFile key={file.path} name={name} file={hasCommonProblem ? { ...file, problem: undefined } : file} isWaiting={isWaiting} />
  );
  return (
    <div class="send-list">
      <ul class="files" id="sending" aria-label={texts.filesLabel}>
        {shown.map((row) =>
          row.kind === "file" ? (
            renderFile(row.file, row.path)
          ) : (
            <SentFolder
              key={`${row.path}/`}
              name={row.path}
              files={row.files}
              renderFile={(file) => renderFile(file, pathInFolder(file))}
            />
          ),
        )}
      </ul>
      {rows.length <= MAX_ROWS ? null : <p class="quiet send-list-end">{describeSent(files)}</p>}
    </div>
  );
}

const toWaiting = ({ path, file }: ChosenFile): UploadedFileState => ({
  path,
  file,
  sizeBytes: file.size,
  status: "waiting",
  sentBytes: 0,
});

/** Describes how many files were sent: `300 files sent`, or `12 of 300 files sent`. */
function describeSent(files: readonly UploadedFileState[]): string {
  const sent = countSent(files);
  return sent === files.length ? texts.filesSent(sendTexts.files(sent)) : texts.someSent(sent, sendTexts.files(files.length));
}

/** Returns the problem that all failed files have; undefined if they have different problems. */
export function findCommonProblem(files: readonly UploadedFileState[]): string | undefined {
  const problems = new Set(files.flatMap(({ problem }) => problem ?? []));
  return problems.size === 1 ? [...problems][0] : undefined;
}

interface SentFolderProps {
  readonly name: string;
  readonly files: readonly UploadedFileState[];
  renderFile(file: UploadedFileState): ReturnType<typeof SentFile>;
}

function SentFolder({ name, files, renderFile }: SentFolderProps) {
  const totalBytes = sumBytes(files);
  const sentBytes = files.reduce((sum, { sentBytes }) => sum + sentBytes, 0);
  const hasBytes = !areSmall(files);
  const isSent = files.every(({ status }) => status === "sent");
  const hasBegun = !isSent && sentBytes > 0;
  return (
    <FolderRow
      name={name}
      files={files}
      facts={
        <>
          {hasBegun && hasBytes ? texts.of(size(sentBytes), size(totalBytes)) : size(totalBytes)} ·{" "}
          <span class="word">{describeSent(files)}</span>
        </>
      }
      end={isSent ? <span class="send-mark" aria-hidden="true" /> : null}
      renderFile={renderFile}
    />
  );
}

interface SentFileProps {
  readonly file: UploadedFileState;
  readonly name: string;
  readonly isWaiting: boolean;
}

function SentFile({ file, name, isWaiting }: SentFileProps) {
  const { sizeBytes, status, sentBytes, problem } = file;
  const words = {
    waiting: texts.waiting,
    sending: isWaiting ? texts.waiting : sentBytes < sizeBytes ? texts.sendingFile : texts.finishing,
    sent: texts.sent,
    failed: texts.notSent,
  };
  const isPartly = status === "sending" && sentBytes > 0 && sentBytes < sizeBytes;
  return (
    <li class={status}>
      <ChosenTile file={file.file} />
      <div class="what">
        <p class="name">
          <FileName name={name} />
        </p>
        <p class="quiet">
          {isPartly ? texts.of(size(sentBytes), size(sizeBytes)) : size(sizeBytes)} · <span class="word">{problem ?? words[status]}</span>
        </p>
      </div>
      {status === "sent" ? <span class="send-mark" aria-hidden="true" /> : null}
    </li>
  );
}
