import { rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { AppError } from "../../errors.ts";
import { addAdvice, ClientError } from "../client-error.ts";
import { createByteStore } from "../download-file/byte-store.ts";
import { applyAttributes, type FileAttributes } from "../download-file/file-attributes.ts";
import { type CompletePart, openPart, type PartFile } from "../download-file/part-file.ts";
import { receiveFile } from "../download-file/receive-file.ts";
import { mustRestart, toFullDisk } from "../download-file/receive-range.ts";
import { checkSpace, namesOf, place } from "../download-file/save-file.ts";
import { inspectDownload, type SignedDownload } from "../download-file/signed-download.ts";
import { type DownloadRecords, openDownloadRecords } from "../records/download-records.ts";
import type { Environment } from "../records/private-files.ts";
import type { RemoteServer } from "../server/discover-server.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";

/** A file at a server, with a way to get its signed URL. */
export interface FileSource {
  /** Identifies the download. Each try to download this file has the same identity. */
  readonly identity: string;
  readonly server: Pick<RemoteServer, "reach">;
  /** The size, if it is known before the download is counted. */
  readonly sizeBytes?: number | undefined;
  readonly sha256?: string | undefined;
  /** Attributes of the file that the sender sent. */
  readonly attributes?: FileAttributes | undefined;
  /** Whether the share needs a code, so that its bytes cannot be downloaded again without one. */
  isProtected?(): boolean;
  /** Counts a download, and resolves to its signed URL. */
  authorize(): Promise<string>;
}

export interface FileTarget {
  /** The path of the unfinished file, without `.part`. */
  readonly partPath: string;
  /** The path of the file. If undefined, the file gets the server's name, in the folder of `partPath`. */
  readonly path: string | undefined;
  readonly overwrite: boolean;
  /** Whether the server chose the name, so that a hidden name replaces it. */
  readonly isNamedByServer?: boolean;
}

export interface Fetching {
  /** The environment whose state folder has the secret that signs unfinished downloads. */
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Receives the number of bytes of this file that have arrived. */
  onProgress(receivedBytes: number, sizeBytes: number): void;
  onWait(reason: string): void;
  /**
   * Processes the complete, verified file before it has its name, for example decrypts it. Resolves to the file that is saved instead, or undefined
   * for the file itself. `path` is in the same folder; `name` is the server's name.
   */
  finish?(part: { readonly path: string; readonly name: string }): Promise<FinishedFile | undefined>;
}

export interface FinishedFile {
  readonly path: string;
  readonly attributes: FileAttributes;
  /** The folder and the names of the file. The first name that is free is used. */
  readonly place: { readonly folder: string; readonly names: Iterable<string> } | undefined;
  /** Receives the final path of the file. */
  onPlaced?(path: string): Promise<void>;
}

export interface FetchedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Whether the server announced the same SHA-256. */
  readonly verified: boolean;
}

/**
 * Downloads a file, or continues an earlier try. Bytes stay on the disk after an error, except after FILE_DIGEST_MISMATCH; complete bytes of a
 * limited or protected share also stay if they cannot be decrypted. Throws what `receiveFile` throws, and CONFLICT if the target exists.
 */
export async function fetchFile(source: FileSource, target: FileTarget, fetching: Fetching): Promise<FetchedFile> {
  const records = openDownloadRecords(fetching.env);
  await using part = await openNearest(source, target, { env: fetching.env, records });
  let complete: CompletePart | undefined;
  let isKept = false;
  const keep = async (found: CompletePart): Promise<void> => {
    isKept = true;
    await part.saveComplete(found);
    await records.saveComplete(source.identity, part.path.replace(/\.part$/, ""));
  };
  try {
    complete = await part.findComplete(fetching.signal);
    if (complete) {
      isKept = true;
      fetching.onProgress(complete.sizeBytes, complete.sizeBytes);
    } else {
      const download = await openDownload(source, part, fetching);
      const sha256 = await receive(part, download, fetching);
      await part.seal(download.sizeBytes);
      complete = { name: download.name, sizeBytes: download.sizeBytes, sha256, verified: download.sha256 !== undefined };
      // The server may not send the bytes of a limited or protected share again.
      if (isLimited(download) || source.isProtected?.()) await keep(complete);
    }
    const path = await placeComplete(part, complete, { source, target, fetching });
    await part.forget();
    if (isKept) await records.forgetComplete(source.identity);
    return { path, sizeBytes: complete.sizeBytes, sha256: complete.sha256, verified: complete.verified };
  } catch (error) {
    const shown = withoutRetry(toFullDisk(error));
    const isUseless =
      shown instanceof AppError && (shown.code === "FILE_DIGEST_MISMATCH" || (shown.code === "VALIDATION_FAILED" && !isKept));
    if (isUseless) {
      await part.remove();
      if (isKept) await records.forgetComplete(source.identity);
    } else if (complete && !isKept) await keep(complete).catch(() => undefined);
    // No download was counted, so there is nothing to continue.
    else if (part.url === undefined) await part.remove();
    throw isKept && !isUseless ? withAdvice(shown, part.path) : shown;
  }
}

interface Opening {
  readonly env: Environment;
  readonly records: DownloadRecords;
}

/** Opens the complete bytes of an earlier try, which may be in another folder; otherwise the bytes beside the target. */
async function openNearest({ identity }: FileSource, { partPath }: FileTarget, { env, records }: Opening): Promise<PartFile> {
  const complete = await records.findComplete(identity);
  const opened = complete === undefined ? undefined : await openPart(complete, identity, env).catch(() => undefined);
  return opened ?? (await openPart(partPath, identity, env));
}

interface Placing {
  readonly source: FileSource;
  readonly target: FileTarget;
  readonly fetching: Fetching;
}

/** Gives the complete bytes, or the result of `finish`, their name. Resolves to the path. */
async function placeComplete(part: PartFile, { name }: CompletePart, { source, target, fetching }: Placing): Promise<string> {
  const finished = await fetching.finish?.({ path: part.path, name });
  const chosen = target.path === undefined ? undefined : { folder: dirname(target.path), names: [basename(target.path)] };
  const { folder, names } = finished?.place ?? chosen ?? { folder: dirname(target.partPath), names: namesOf(undefined, { name }) };
  const attributes = finished?.attributes ?? source.attributes;
  if (attributes) applyAttributes(finished?.path ?? part.path, attributes);
  try {
    const placed = await place(finished?.path ?? part.path, { folder, overwrite: target.overwrite, names });
    const path = `${folder}/${placed}`;
    await finished?.onPlaced?.(path);
    if (finished) await rm(part.path, { force: true });
    return path;
  } catch (error) {
    // The encrypted bytes stay, so that they can be decrypted later.
    if (finished) await rm(finished.path, { force: true });
    if (!(error instanceof AppError) || error.code !== "CONFLICT") throw error;
    throw new ClientError("CONFLICT", "A file with this name appeared meanwhile.", { cause: error, advice: [{ kind: "moveOrReplace" }] });
  }
}

/** Adds the advice that nothing is lost to an error. */
const withAdvice = (error: unknown, path: string): unknown =>
  error instanceof AppError && (error.code === "CONFLICT" || error.code === "VALIDATION_FAILED")
    ? addAdvice(error, { kind: "finishDownload", path })
    : error;

/** Opens the signed URL of an earlier try if it is still valid, otherwise counts a download. */
async function openDownload(source: FileSource, part: PartFile, fetching: Fetching): Promise<SignedDownload> {
  const inspect = (url: string): Promise<SignedDownload> => inspectSource(source, url, fetching);
  if (part.url !== undefined) {
    const earlier = await inspect(part.url).catch((error: unknown) => {
      const known = withoutRetry(error);
      if (known instanceof AppError && ENDED.has(known.code)) return undefined;
      throw error;
    });
    if (earlier) return earlier;
  }
  const url = await source.authorize();
  await part.saveUrl(url);
  return await inspect(url);
}

/** Asks the server about a signed URL. Throws FILE_DIGEST_MISMATCH if the server announces another digest than before. */
export async function inspectSource(
  { server, sha256 }: FileSource,
  url: string,
  { signal, onWait }: Pick<Fetching, "signal" | "onWait">,
): Promise<SignedDownload> {
  const found = await createRequestRetry(signal, onWait)(({ signal }) => inspectDownload(server, url, signal));
  if (sha256 === undefined || found.sha256 === undefined || found.sha256 === sha256) return { ...found, sha256: found.sha256 ?? sha256 };
  throw new AppError("FILE_DIGEST_MISMATCH", "The server names two different SHA-256 of the file. Nothing was saved: try again.");
}

/** The codes with which the server refuses a signed URL that has expired, or whose download is complete. */
const ENDED = new Set(["SIGNATURE_INVALID", "NOT_FOUND"]);

/** Receives the missing bytes; all bytes if the stored ones turn out to be wrong. */
async function receive(part: PartFile, download: SignedDownload, fetching: Fetching): Promise<string> {
  const stored = await part.begin(download);
  const storedBytes = stored.reduce((sum, { start, end }) => sum + end - start, 0);
  await checkSpace(dirname(part.path), download.sizeBytes - storedBytes);
  const options = {
    signal: fetching.signal,
    onWait: fetching.onWait,
    onProgress: (receivedBytes: number) => fetching.onProgress(receivedBytes, download.sizeBytes),
    // The bytes of a limited download are counted, so one connection requests each byte once.
    parallel: isLimited(download) || download.etag === undefined ? undefined : { onStored: part.saveStored },
  };
  await using store = createByteStore(part.handle, download.sizeBytes);
  try {
    return await receiveFile(store, download, { ...options, stored });
  } catch (error) {
    const isDamaged = error instanceof AppError && error.code === "FILE_DIGEST_MISMATCH";
    const isDamagedBefore = isDamaged && stored.length > 0;
    // The archive of a limited share only contains unsent files, so it is not requested from its beginning.
    if (!isDamagedBefore && (!mustRestart(error) || (isLimited(download) && download.etag === undefined))) throw error;
    await part.empty();
    return await receiveFile(store, download, options);
  }
}

/** Whether a signed URL belongs to a download grant (downloads, "Limited shares"). */
const isLimited = ({ url }: SignedDownload): boolean => (url.searchParams.get("g") ?? "") !== "";
