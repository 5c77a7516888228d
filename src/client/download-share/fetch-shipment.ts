import { lstat, mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { AppError, toAppError } from "../../errors.ts";
import { archiveName, archiveNames, findCommonFolder } from "../../lib/formats/archive-names.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { pathInShare } from "../../lib/text/relative-path.ts";
import { toSafeSegment } from "../../lib/text/safe-segment.ts";
import { normalizeName } from "../../lib/text/stored-name.ts";
import { toDecryptedPath } from "../../transfer/encryption/decrypted-name.ts";
import { lockFile } from "../download-file/part-lock.ts";
import { exists, namesOf, numberedNames } from "../download-file/save-file.ts";
import type { RemoteServer } from "../server/discover-server.ts";
import { type DecryptedFile, decryptFile, withoutExtension } from "./decryption.ts";
import type { DecryptingContext, DownRequest, DownResult } from "./down-request.ts";
import { type FinishedFile, fetchFile } from "./fetch-file.ts";
import { chooseSmall, fetchSmall } from "./fetch-small.ts";
import { localRules } from "./local-rules.ts";
import { checkTarget } from "./local-target.ts";
import { makeFolder } from "./make-folder.ts";
import { filesOf, type OfferedFile, type OpenShare } from "./open-share.ts";
import { openSavedFiles, type SavedFiles } from "./saved-files.ts";
import { nameAt } from "./server-name.ts";

/** The folder of unfinished files, below the folder of the shipment. */
const PARTS_FOLDER = ".filehost-parts";
/** Files that are downloaded at the same time. */
const PARALLEL = 3;

export interface ShipmentToFetch {
  readonly share: OpenShare;
  /** The chosen files. The scans of all of them have ended. */
  readonly files: readonly OfferedFile[];
  readonly server: RemoteServer;
}

/** A file of a shipment, and the path where it is saved. */
export interface PlannedFile extends OfferedFile {
  readonly path: string;
  readonly isDecrypted: boolean;
}

/**
 * Saves the files of a shipment in a folder, by their paths. Existing complete files are kept, and files that the server refuses are left out. An
 * error of the connection or of this machine ends the download.
 */
export async function fetchShipment(shipment: ShipmentToFetch, request: DownRequest, context: DecryptingContext): Promise<DownResult> {
  const { share, files } = shipment;
  const { events, signal } = context;
  const { title, name, short_id } = share.details;
  const ready = files.filter(({ scanStatus }) => scanStatus === "clean");
  const refused = files
    .filter(({ scanStatus }) => scanStatus !== "clean")
    .map((file) => ({ name: pathInShare(file), error: blocked(file) }));
  if (ready.length === 0 && refused[0]) throw refused[0].error;
  const names = planNames(ready, context);
  const sentFolder = request.output === undefined && title === null ? findCommonFolder(names.map(({ path }) => path)) : undefined;
  const inFolder = names.map((file) => ({
    ...file,
    path: withoutPartsFolder(file.path.slice(sentFolder === undefined ? 0 : sentFolder.length + 1)),
  }));
  const parent = resolve(request.folder ?? ".");
  const folder =
    sentFolder === undefined
      ? resolve(parent, request.output ?? archiveName({ title, name, short_id }, []).replace(/\.zip$/, ""))
      : await chooseFolder(
          parent,
          sentFolder,
          inFolder.map(({ path }) => path),
        );
  const parts = join(folder, PARTS_FOLDER);
  const planned = inFolder.map((file) => ({ ...file, path: join(folder, file.path) }));
  const saved = await openSavedFiles(folder, context.env);
  const missing = await findMissing(planned, { ...request, saved }, context);
  const done = { files: planned.length - missing.length, bytes: sum(planned) - sum(missing) };
  events.onTotal(title ?? name, { files: planned.length, bytes: sum(planned) });
  events.onProgress(done);
  if (done.files > 0) events.onNote(`${done.files} of ${planned.length} files are complete already.`);
  if (missing.length > 0) {
    await mkdir(folder, { recursive: true });
    using _ = await lockFile(`${parts}.lock`);
    await makeFolder(folder, parts);
    const fetch = { shipment, request, context, folder, parts, saved, done, refused };
    // Files from an archive are saved without decryption, so encrypted files are downloaded one by one.
    const plain = missing.filter(({ isDecrypted }) => !isDecrypted);
    const small = chooseSmall(plain, share);
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
  new AppError("SCAN_BLOCKED", `${pathInShare(file)} is blocked by the malware scan. Tell the sender.`, { fields: { scanBlocked: true } });

/** Plans the path of each file on this system, and whether it is decrypted. Reports names that are changed. */
function planNames(files: readonly OfferedFile[], { decryption, events }: DecryptingContext): readonly PlannedFile[] {
  const hasKey = decryption.keys() !== undefined;
  const shown = (name: string, isDecrypted: boolean): string => (isDecrypted ? withoutExtension(name) : name);
  const sent = files.map(({ name, relativePath, isEncrypted }) => ({
    name: shown(name, isEncrypted && hasKey),
    relative_path: relativePath === null ? null : shown(relativePath, isEncrypted && hasKey),
  }));
  const safe = sent.map((file, index) => {
    if (!files[index]?.isEncrypted || !hasKey) return file;
    return { ...file, relative_path: toDecryptedPath(pathInShare({ name: file.name, relativePath: file.relative_path })) };
  });
  const names = archiveNames(safe, localRules());
  const changed = sent.flatMap(({ name, relative_path: relativePath }, index) => {
    const path = pathInShare({ name, relativePath });
    return path === names[index] ? [] : [`${path} → ${names[index]}`];
  });
  if (changed.length > 0) events.onNote(`${countOf(changed.length, "name")} changed for this system: ${listSome(changed)}`);
  return files.map((file, index) => ({
    ...file,
    path: names[index] ?? "_",
    isDecrypted: file.isEncrypted && hasKey,
  }));
}

const SHOWN = 3;
const listSome = (items: readonly string[]): string => items.slice(0, SHOWN).join(", ") + (items.length > SHOWN ? ", …" : ".");

/**
 * Chooses the folder of a sent folder. It has the sent name unless it contains other files, to which the sender must not add. A folder that an
 * earlier download has begun contains only files of the share.
 */
async function chooseFolder(parent: string, sentFolder: string, paths: readonly string[]): Promise<string> {
  const own = new Set(paths.map((path) => normalizeName(path.split("/")[0] ?? "")));
  const isOwn = (name: string): boolean => own.has(normalizeName(name)) || name.startsWith(PARTS_FOLDER);
  for (const name of namesOf(undefined, { name: sentFolder })) {
    const folder = join(parent, name);
    const found = await lstat(folder).catch(() => undefined);
    if (found === undefined) return folder;
    const inside = found.isDirectory() ? await readdir(folder) : [];
    if (inside.length > 0 && inside.every(isOwn)) return folder;
  }
  throw exists();
}

/** Renames a file whose path would be in the folder of unfinished files. */
const withoutPartsFolder = (name: string): string => {
  const [first = "", ...rest] = name.split("/");
  return normalizeName(first).startsWith(PARTS_FOLDER) ? [`_${first}`, ...rest].join("/") : name;
};

/** Finds the files that are not complete yet. Throws CONFLICT if other files have their names, before a download is counted. */
async function findMissing(
  planned: readonly PlannedFile[],
  { overwrite, saved }: DownRequest & { readonly saved: SavedFiles },
  { signal }: DecryptingContext,
): Promise<readonly PlannedFile[]> {
  const missing: PlannedFile[] = [];
  for (const file of planned) {
    if (file.isDecrypted && file.sha256 !== undefined && (await saved.find(sourceOf(file), signal)) !== undefined) continue;
    const kept = await checkTarget(file.path, { ...file, ...(file.isDecrypted && { sha256: undefined }), overwrite }, signal);
    if (kept === undefined) missing.push(file);
  }
  return missing;
}

/** Names a file and its bytes in the list of saved files. */
const sourceOf = ({ id, sha256 }: PlannedFile): string => `${id} ${sha256}`;

interface Fetch {
  readonly shipment: ShipmentToFetch;
  readonly request: DownRequest;
  readonly context: DecryptingContext;
  readonly folder: string;
  readonly parts: string;
  readonly saved: SavedFiles;
  /** Counts of the complete files and their bytes. */
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

/**
 * Downloads files one by one, up to `PARALLEL` at the same time. If names are only known after decryption, files get their places in the order of the
 * share, so that the same ones have the same names each time.
 */
async function fetchEach(files: readonly PlannedFile[], fetch: Fetch): Promise<void> {
  const { context } = fetch;
  const { env, events, signal } = context;
  const arriving = new Map<string, number>();
  const report = (): void => {
    let bytes = fetch.done.bytes;
    for (const received of arriving.values()) bytes += received;
    events.onProgress({ files: fetch.done.files, bytes });
  };
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);
  const hasOrder = files.some(({ isDecrypted }) => isDecrypted);
  const waiting = [...files].values();
  let begun = Promise.resolve();
  const worker = async (): Promise<void> => {
    for (const file of waiting) {
      if (failing.signal.aborted) return;
      const earlier = begun;
      const settled = Promise.withResolvers<void>();
      begun = settled.promise.then(() => earlier);
      const finish = async (path: string): Promise<FinishedFile | undefined> => {
        const decrypted = file.isDecrypted ? await decryptFile(path, context.decryption, signal) : undefined;
        try {
          if (hasOrder) await earlier;
          if (hasOrder) ending.throwIfAborted();
          return decrypted && (await choosePlace(file, decrypted, fetch));
        } catch (error) {
          if (decrypted) await rm(decrypted.path, { force: true });
          throw error;
        }
      };
      try {
        await makeFolder(fetch.folder, dirname(file.path));
        const fetched = await fetchFile(toSource(file, fetch), toTarget(file, fetch), {
          env,
          signal: ending,
          onWait: events.onWait,
          finish: ({ path }) => finish(path),
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
      } finally {
        settled.resolve();
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL }, worker));
  signal.throwIfAborted();
  if (failing.signal.aborted) throw failing.signal.reason;
  for (const result of ended) if (result.status === "rejected") throw result.reason;
}

/** Chooses the place of a decrypted file. A hidden path replaces the path in the share. */
async function choosePlace(
  file: PlannedFile,
  decrypted: DecryptedFile,
  { folder, saved, context: { events } }: Fetch,
): Promise<FinishedFile> {
  const { name, sha256, attributes } = decrypted;
  const target = await chooseTarget(name, { file, folder, onNote: events.onNote });
  const add = async (path: string, isPlaced: boolean): Promise<void> => {
    if (file.sha256 !== undefined) await saved.add({ source: sourceOf(file), path, sha256, isPlaced });
  };
  if (name === undefined) {
    await add(target, true);
    return { path: decrypted.path, attributes, place: undefined };
  }
  await add(target, false);
  return {
    path: decrypted.path,
    attributes,
    place: { folder: dirname(target), names: numberedNames(basename(target)) },
    onPlaced: (path) => add(path, true),
  };
}

/**
 * Chooses the path of a decrypted file, and makes its folder. If a file has the name of a folder in a hidden path, the names of this path become one
 * name, as in archives.
 */
async function chooseTarget(
  hidden: string | undefined,
  { file, folder, onNote }: { readonly file: PlannedFile; readonly folder: string; onNote(text: string): void },
): Promise<string> {
  if (hidden === undefined) {
    await makeFolder(folder, dirname(file.path));
    return file.path;
  }
  const path = withoutPartsFolder(toDecryptedPath(hidden));
  try {
    await makeFolder(folder, dirname(join(folder, path)));
    return join(folder, path);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "CONFLICT")) throw error;
    const name = toSafeSegment(path.replaceAll("/", "_"));
    onNote(`1 name changed, because a file has the name of its folder: ${path} → ${name}.`);
    return join(folder, name);
  }
}

/** Whether an error concerns one file, and says nothing about the others. */
const isOfFile = (error: unknown): boolean =>
  error instanceof AppError && ["NOT_FOUND", "SCAN_BLOCKED", "FILE_DIGEST_MISMATCH", "CONFLICT"].includes(error.code);

const toSource = (
  { id: fileId, sizeBytes, sha256, modifiedMs, isExecutable }: PlannedFile,
  { shipment: { share, server }, context: { access } }: Fetch,
) => ({
  identity: nameAt(server, access, fileId),
  server,
  sizeBytes,
  sha256,
  attributes: { modifiedMs, isExecutable },
  isProtected: () => share.details.unlockRequired,
  authorize: () => share.call("authorizeDownload", { fileId }),
});

const toTarget = ({ id, path }: PlannedFile, { parts, request }: Fetch) => ({
  partPath: join(parts, id),
  path,
  overwrite: request.overwrite,
});
