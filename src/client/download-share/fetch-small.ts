import { createHash } from "node:crypto";
import { lstatSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError, systemCode } from "../../errors.ts";
import { archiveNames } from "../../lib/formats/archive-names.ts";
import { ClientError } from "../client-error.ts";
import { applyAttributes } from "../download-file/file-attributes.ts";
import { toFullDisk } from "../download-file/receive-range.ts";
import { requestBytes, watchIdle } from "../download-file/signed-download.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import type { FetchedFile } from "./fetch-file.ts";
import { makeFolder } from "./make-folder.ts";
import type { OfferedFile, OpenShare } from "./open-share.ts";
import { readArchive } from "./read-archive.ts";

/** The size up to which files are downloaded in archives. Larger files are downloaded one by one, so that they can be continued. */
const MAX_SMALL_BYTES = 4 * 1024 * 1024;
/** The number of files of one archive. Their IDs fit the request. */
const GROUP_FILES = 500;

interface SmallFile extends OfferedFile {
  readonly path: string;
}

export interface SmallFiles {
  readonly share: OpenShare;
  /** The files of the share that can be downloaded, in the order of the share. */
  readonly ready: readonly OfferedFile[];
  readonly server: { reach(url: string): URL };
  /** The folder of the shipment, and the folder of its unfinished files. */
  readonly folder: string;
  readonly parts: string;
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
  onWait(reason: string): void;
  onSaved(file: FetchedFile): void;
  onRefused(file: OfferedFile, error: AppError): void;
}

/**
 * Chooses the files of a shipment that are downloaded in archives. Downloads of a limited share are counted, so each of its files has its own
 * download, which can be continued.
 */
export function chooseSmall<File extends OfferedFile>(files: readonly File[], { details }: OpenShare): ReadonlySet<File> {
  if (details.downloadsLimited) return new Set();
  const small = files.filter(({ sizeBytes }) => sizeBytes <= MAX_SMALL_BYTES);
  return new Set(small.length < 2 ? [] : small);
}

/**
 * Downloads small files in archives, which are unpacked while they arrive: one request for many files. Requests the missing files again after a
 * broken connection. Throws the server's error, or the error of the disk.
 */
export async function fetchSmall(files: readonly SmallFile[], small: SmallFiles): Promise<void> {
  const missing = new Map(files.map((file) => [file.id, file]));
  const folders = new Set<string>();
  while (missing.size > 0) {
    const group = missing.size === small.ready.length ? [...missing.values()] : [...missing.values()].slice(0, GROUP_FILES);
    await fetchGroup(group, { ...small, missing, folders });
    // The remaining files are no longer in the share.
    for (const file of group) {
      if (!missing.delete(file.id)) continue;
      small.onRefused(file, new AppError("NOT_FOUND", `${file.name} is not in the share any more.`));
    }
  }
}

interface Group extends SmallFiles {
  readonly missing: Map<string, SmallFile>;
  /** Paths of the folders that were already checked. */
  readonly folders: Set<string>;
}

async function fetchGroup(group: readonly SmallFile[], small: Group): Promise<void> {
  const { share, ready, server, missing, signal } = small;
  let left = group;
  while (left.length > 0) {
    const before = missing.size;
    try {
      await createRequestRetry(
        signal,
        small.onWait,
      )(async ({ signal }) => {
        const ids =
          left.length === ready.length
            ? {}
            : {
                fileIds: left
                  .slice(0, GROUP_FILES)
                  .map(({ id }) => id)
                  .join(),
              };
        const url = server.reach(await share.call("authorizeArchive", { shortId: share.details.short_id, ...ids }));
        try {
          await unpack(url, ids.fileIds === undefined ? left : left.slice(0, GROUP_FILES), { ...small, signal });
          left = left.slice(ids.fileIds === undefined ? left.length : GROUP_FILES);
        } catch (error) {
          signal.throwIfAborted();
          // A request that brought files does not count as a failure.
          if (missing.size === before || !(error instanceof AppError) || error.code !== "UNAVAILABLE") throw error;
          left = left.filter(({ id }) => missing.has(id));
        }
      });
    } catch (error) {
      throw withoutRetry(error);
    }
  }
}

async function unpack(url: URL, files: readonly SmallFile[], small: Group): Promise<void> {
  const watch = watchIdle(small.signal);
  const names = archiveNames(files.map(({ name, relativePath }) => ({ name, relative_path: relativePath })));
  const expected = files.map((file, index) => ({ sizeBytes: file.sizeBytes, name: names[index] ?? "", file }));
  let isOnDisk = false;
  try {
    const response = await requestBytes(url, { signal: watch.signal });
    for await (const { file, bytes } of readArchive(touching(response.body ?? [], watch.touch), expected)) {
      isOnDisk = true;
      await save(file.file, bytes, small);
      isOnDisk = false;
    }
  } catch (error) {
    small.signal.throwIfAborted();
    if (isOnDisk || error instanceof AppError) throw toFullDisk(error);
    throw new AppError("UNAVAILABLE", `The connection to ${url.origin} broke. Try again.`, { cause: error });
  } finally {
    watch.end();
  }
}

async function* touching(chunks: Iterable<never> | ReadableStream<Uint8Array>, touch: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    touch();
    yield chunk;
  }
}

/** Gives a verified file its name. Uses synchronous calls, because they are the fastest for many small files. */
async function save(
  file: SmallFile,
  bytes: Uint8Array,
  { folder, parts, folders, overwrite, missing, onSaved, onRefused }: Group,
): Promise<void> {
  missing.delete(file.id);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (file.sha256 !== undefined && file.sha256 !== sha256) {
    onRefused(file, new AppError("FILE_DIGEST_MISMATCH", `${file.name} did not arrive with the SHA-256 that the server names. Try again.`));
    return;
  }
  const parent = dirname(file.path);
  if (!folders.has(parent)) await makeFolder(folder, parent);
  folders.add(parent);
  const temporary = join(parts, file.id);
  writeFileSync(temporary, bytes);
  applyAttributes(temporary, file);
  if (!overwrite && isThere(file.path)) throw new ClientError("CONFLICT", `${file.path} exists.`, { advice: [{ kind: "replace" }] });
  renameSync(temporary, file.path);
  onSaved({ path: file.path, sizeBytes: bytes.length, sha256, verified: file.sha256 !== undefined });
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
