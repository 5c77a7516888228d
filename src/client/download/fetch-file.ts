import { rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { AppError } from "../../errors.ts";
import { createByteStore } from "../byte-store.ts";
import type { RemoteServer } from "../find-server.ts";
import { openPart, type PartFile } from "../part-file.ts";
import type { Environment } from "../private-files.ts";
import { receiveFile } from "../receive-file.ts";
import { isFromAnew, toDiskError } from "../receive-range.ts";
import { createRequestRetry, withoutRetry } from "../retry.ts";
import { checkSpace, namesOf, place } from "../save-file.ts";
import { inspectDownload, type SignedDownload } from "../signed-download.ts";

/** A file of a server, and how its signed URL is obtained. */
export interface FileSource {
  /** The same for each try to download the same file. */
  readonly identity: string;
  readonly server: Pick<RemoteServer, "reach">;
  /** What is known before the download is counted. */
  readonly sizeBytes?: number | undefined;
  readonly sha256?: string | undefined;
  /** Counts a download, and resolves to its signed URL. */
  authorize(): Promise<string>;
}

export interface FileTarget {
  /** The bytes are in `{partPath}.part` until they are complete. */
  readonly partPath: string;
  /** The path of the file. Without one it gets the name that the server gives, in the folder of `partPath`. */
  readonly path: string | undefined;
  readonly overwrite: boolean;
  /** Whether the name is that of the server, in place of which a hidden one is used. */
  readonly isNamedByServer?: boolean;
}

export interface Fetching {
  /** Its folders have the secret with which unfinished downloads are signed. */
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Receives the bytes of this file that have arrived. */
  onProgress(receivedBytes: number, sizeBytes: number): void;
  onWait(reason: string): void;
  /**
   * Gets the complete, verified file before it has its name, such as to decrypt it: resolves to what is saved instead; undefined: the file itself.
   * `path`: in the same folder. `target`: where it is saved.
   */
  finish?(part: { readonly path: string; readonly download: SignedDownload }): Promise<FinishedFile | undefined>;
}

export interface FinishedFile {
  readonly path: string;
  /** The folder and the names for it, of which the first free one is used. */
  readonly place: { readonly folder: string; readonly names: Iterable<string> } | undefined;
}

export interface FetchedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Whether the server named the same SHA-256. */
  readonly verified: boolean;
}

/**
 * Downloads a file, or continues an earlier try. What has arrived stays on the disk after an error, except after FILE_DIGEST_MISMATCH. Throws what
 * `receiveFile` throws, and CONFLICT if the target exists.
 */
export async function fetchFile(source: FileSource, target: FileTarget, fetching: Fetching): Promise<FetchedFile> {
  const folder = dirname(target.partPath);
  await using part = await openPart(target.partPath, source.identity, fetching.env);
  try {
    const download = await openDownload(source, part, fetching);
    const sha256 = await receive(part, download, fetching);
    await part.seal(download.sizeBytes);
    const finished = await fetching.finish?.({ path: part.path, download });
    const complete = finished?.path ?? part.path;
    const chosen = target.path === undefined ? undefined : { folder: dirname(target.path), names: [basename(target.path)] };
    const { folder: destination, names } = finished?.place ?? chosen ?? { folder, names: namesOf(undefined, download) };
    const name = await place(complete, { folder: destination, overwrite: target.overwrite, names }).catch((error: unknown) => {
      throw error instanceof AppError && error.code === "CONFLICT" ? isComplete(complete, error) : error;
    });
    await part.forget();
    if (complete !== part.path) await rm(part.path, { force: true });
    return { path: `${destination}/${name}`, sizeBytes: download.sizeBytes, sha256, verified: download.sha256 !== undefined };
  } catch (error) {
    const shown = withoutRetry(toDiskError(error));
    if (shown instanceof AppError && USELESS.has(shown.code)) await part.remove();
    // Nothing was counted, so there is nothing to continue.
    else if (part.url === undefined) await part.remove();
    throw shown;
  }
}

/** A limited share may not give its bytes again. */
const isComplete = (path: string, cause: AppError): AppError =>
  new AppError("CONFLICT", `A file with this name appeared meanwhile. All bytes are in ${path}: rename it to keep them.`, { cause });

/** The codes of bytes with which nothing can be done: damaged ones, and those that no key decrypts. */
const USELESS = new Set(["FILE_DIGEST_MISMATCH", "VALIDATION_FAILED"]);

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

/** What the server says of a signed URL. Throws FILE_DIGEST_MISMATCH if it names another digest than before. */
export async function inspectSource(
  { server, sha256 }: FileSource,
  url: string,
  { signal, onWait }: Pick<Fetching, "signal" | "onWait">,
): Promise<SignedDownload> {
  const found = await createRequestRetry(signal, onWait)(({ signal }) => inspectDownload(server, url, signal));
  if (sha256 === undefined || found.sha256 === undefined || found.sha256 === sha256) return { ...found, sha256: found.sha256 ?? sha256 };
  throw new AppError("FILE_DIGEST_MISMATCH", "The server names two different SHA-256 of the file. Nothing was saved: try again.");
}

/** The codes of a signed URL that has expired, or whose download is complete. */
const ENDED = new Set(["SIGNATURE_INVALID", "NOT_FOUND"]);

/** Receives what is missing; all if what there was turns out to be something else. */
async function receive(part: PartFile, download: SignedDownload, fetching: Fetching): Promise<string> {
  const stored = await part.begin(download);
  const storedBytes = stored.reduce((sum, { start, end }) => sum + end - start, 0);
  await checkSpace(dirname(part.path), download.sizeBytes - storedBytes);
  const options = {
    signal: fetching.signal,
    onWait: fetching.onWait,
    onProgress: (receivedBytes: number) => fetching.onProgress(receivedBytes, download.sizeBytes),
    // The bytes of a limited download are counted, so that they are requested once.
    parallel: isLimited(download) || download.etag === undefined ? undefined : { onStored: part.saveStored },
  };
  await using store = createByteStore(part.handle, download.sizeBytes);
  try {
    return await receiveFile(store, download, { ...options, stored });
  } catch (error) {
    const isDamaged = error instanceof AppError && error.code === "FILE_DIGEST_MISMATCH";
    const isDamagedBefore = isDamaged && stored.length > 0;
    // The archive of a limited share only has what was not sent before.
    if (!isDamagedBefore && (!isFromAnew(error) || (isLimited(download) && download.etag === undefined))) throw error;
    await part.empty();
    return await receiveFile(store, download, options);
  }
}

/** Whether a signed URL is that of a download grant (downloads, "Limited shares"). */
const isLimited = ({ url }: SignedDownload): boolean => (url.searchParams.get("g") ?? "") !== "";
