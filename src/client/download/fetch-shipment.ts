import { mkdir, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { AppError, toAppError } from "../../errors.ts";
import { normalizeName } from "../../lib/file-name.ts";
import { pathInShare } from "../../lib/relative-path.ts";
import { archiveName, archiveNames } from "../../service/downloads/archive-names.ts";
import type { RemoteServer } from "../find-server.ts";
import type { DownContext, DownRequest, DownResult } from "./down.ts";
import { fetchFile } from "./fetch-file.ts";
import { chooseSmall, fetchSmall } from "./fetch-small.ts";
import { checkTarget } from "./local-target.ts";
import { makeFolder } from "./make-folder.ts";
import { filesOf, type OfferedFile, type OpenShare } from "./open-share.ts";

/** Unfinished files of a shipment, below its folder. */
const PARTS_FOLDER = ".filehost-parts";
/** Files that are downloaded at the same time. */
const PARALLEL = 3;

export interface Shipment {
  readonly share: OpenShare;
  /** The chosen files, none of which waits for its check. */
  readonly files: readonly OfferedFile[];
  readonly server: RemoteServer;
}

/** A file of a shipment, and where it is saved. */
export interface PlannedFile extends OfferedFile {
  readonly path: string;
}

/**
 * Saves the files of a shipment in a folder, by their paths. Files that are there already are kept. A file that the server refuses is left out; an
 * error of the connection or of this machine ends the download.
 */
export async function fetchShipment(shipment: Shipment, request: DownRequest, context: DownContext): Promise<DownResult> {
  const { share, files } = shipment;
  const { events, signal } = context;
  const { title, name, short_id } = share.details;
  const folder = resolve(request.folder ?? ".", request.output ?? archiveName({ title, name, short_id }).replace(/\.zip$/, ""));
  const ready = files.filter(({ scanStatus }) => scanStatus === "clean");
  const refused = files
    .filter(({ scanStatus }) => scanStatus !== "clean")
    .map((file) => ({ name: pathInShare(file), error: blocked(file) }));
  if (ready.length === 0 && refused[0]) throw refused[0].error;
  const planned = planPaths(folder, ready);
  const missing = await findMissing(planned, request, context);
  const done = { files: planned.length - missing.length, bytes: sum(planned) - sum(missing) };
  events.onTotal(title ?? name, { files: planned.length, bytes: sum(planned) });
  events.onProgress(done);
  if (done.files > 0) events.onNote(`${done.files} of ${planned.length} files are complete already.`);
  const parts = join(folder, PARTS_FOLDER);
  if (missing.length > 0) {
    await mkdir(parts, { recursive: true });
    const fetch = { shipment, request, context, folder, parts, done, refused };
    const small = chooseSmall(missing, share);
    await fetchTogether([...small], ready, fetch);
    await fetchEach(
      missing.filter((file) => !small.has(file)),
      fetch,
    );
    await rmdir(parts).catch(() => undefined);
  }
  signal.throwIfAborted();
  return { path: folder, files: done.files, bytes: done.bytes, refused };
}

const sum = (files: readonly OfferedFile[]): number => files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);

const blocked = (file: OfferedFile): AppError =>
  new AppError("SCAN_BLOCKED", `${pathInShare(file)} is blocked by the malware check. Tell the sender.`, { fields: { scanBlocked: true } });

/** Paths within the folder: those of the share's archive. */
function planPaths(folder: string, files: readonly OfferedFile[]): readonly PlannedFile[] {
  const names = archiveNames(files.map(({ name, relativePath }) => ({ name, relative_path: relativePath })));
  return files.map((file, index) => ({ ...file, path: join(folder, withoutPartsFolder(names[index] ?? "_")) }));
}

/** A shipment cannot have files where the unfinished ones are. */
const withoutPartsFolder = (name: string): string => {
  const [first = "", ...rest] = name.split("/");
  return normalizeName(first) === PARTS_FOLDER ? [`_${first}`, ...rest].join("/") : name;
};

/** The files that are not complete yet. Throws CONFLICT if others have their names, before anything is counted. */
async function findMissing(
  planned: readonly PlannedFile[],
  { overwrite }: DownRequest,
  { signal }: DownContext,
): Promise<readonly PlannedFile[]> {
  const missing: PlannedFile[] = [];
  for (const file of planned) {
    const kept = await checkTarget(file.path, { ...file, overwrite }, signal);
    if (kept === undefined) missing.push(file);
  }
  return missing;
}

interface Fetch {
  readonly shipment: Shipment;
  readonly request: DownRequest;
  readonly context: DownContext;
  readonly folder: string;
  readonly parts: string;
  /** Counts what is complete. */
  readonly done: { files: number; bytes: number };
  readonly refused: { readonly name: string; readonly error: AppError }[];
}

/** Downloads small files in archives. */
async function fetchTogether(small: readonly PlannedFile[], ready: readonly OfferedFile[], fetch: Fetch): Promise<void> {
  const { shipment, request, context, folder, parts, done, refused } = fetch;
  const { events, signal } = context;
  await fetchSmall(small, {
    ...shipment,
    ready: filesOf(shipment.share.details).length === ready.length ? ready : [],
    folder,
    parts,
    overwrite: request.overwrite,
    signal,
    onWait: events.onWait,
    onSaved(file) {
      done.files += 1;
      done.bytes += file.sizeBytes;
      events.onProgress({ ...done });
      events.onSaved(file);
    },
    onRefused: (file, error) => refused.push({ name: pathInShare(file), error }),
  });
}

/** Downloads files one by one, several at the same time. */
async function fetchEach(files: readonly PlannedFile[], fetch: Fetch): Promise<void> {
  const { events, signal } = fetch.context;
  const arriving = new Map<string, number>();
  const report = (): void => {
    let bytes = fetch.done.bytes;
    for (const received of arriving.values()) bytes += received;
    events.onProgress({ files: fetch.done.files, bytes });
  };
  const failing = new AbortController();
  const waiting = [...files].values();
  const worker = async (): Promise<void> => {
    for (const file of waiting) {
      if (failing.signal.aborted) return;
      try {
        await makeFolder(fetch.folder, dirname(file.path));
        const fetched = await fetchFile(toSource(file, fetch), toTarget(file, fetch), {
          signal: AbortSignal.any([signal, failing.signal]),
          onWait: events.onWait,
          onProgress(bytes) {
            arriving.set(file.id, bytes);
            report();
          },
        });
        fetch.done.files += 1;
        fetch.done.bytes += fetched.sizeBytes;
        arriving.delete(file.id);
        report();
        events.onSaved(fetched);
      } catch (error) {
        arriving.delete(file.id);
        if (signal.aborted || !isOfFile(error)) {
          failing.abort(error);
          throw error;
        }
        fetch.refused.push({ name: pathInShare(file), error: toAppError(error) });
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL }, worker));
  signal.throwIfAborted();
  if (failing.signal.aborted) throw failing.signal.reason;
  for (const result of ended) if (result.status === "rejected") throw result.reason;
}

/** Errors of one file, which say nothing about the others. */
const isOfFile = (error: unknown): boolean =>
  error instanceof AppError && ["NOT_FOUND", "SCAN_BLOCKED", "FILE_DIGEST_MISMATCH", "CONFLICT"].includes(error.code);

const toSource = ({ id: fileId, sizeBytes, sha256 }: PlannedFile, { shipment: { share, server } }: Fetch) => ({
  identity: `${server.apiUrl}#${fileId}`,
  server,
  sizeBytes,
  sha256,
  authorize: () => share.call("authorizeDownload", { fileId }),
});

const toTarget = ({ id, path }: PlannedFile, { parts, request }: Fetch) => ({
  partPath: join(parts, id),
  path,
  overwrite: request.overwrite,
});
