import { constants, type FileHandle, open, rename, rm } from "node:fs/promises";
import { z } from "zod";
import { AppError, systemCode } from "../errors.ts";
import type { Span } from "../lib/range.ts";
import { newKey } from "../transfer/retry.ts";
import type { SignedDownload } from "./signed-download.ts";

/** What is needed to continue a download after its process has ended. */
const partState = z.object({
  version: z.literal(1),
  /** Identifies what is downloaded. */
  source: z.string(),
  /** A secret: the signed URL, whose download is counted. */
  url: z.string().optional(),
  etag: z.string().optional(),
  sizeBytes: z.number().optional(),
  sha256: z.string().optional(),
  /** What was written, if not all bytes up to the end of the file. */
  stored: z.array(z.tuple([z.number(), z.number()])).optional(),
});
type PartState = z.infer<typeof partState>;

/** An unfinished download: its bytes, and beside them what continues it. */
export interface PartFile extends AsyncDisposable {
  readonly path: string;
  readonly handle: FileHandle;
  /** The signed URL of a download that is counted. */
  readonly url: string | undefined;
  /** Remembers a URL before its bytes are requested. */
  saveUrl(url: string): Promise<void>;
  /** What there is of this download. If it is another one, or has changed, the file is emptied. */
  begin(download: SignedDownload): Promise<readonly Span[]>;
  saveStored(stored: readonly Span[]): Promise<void>;
  empty(): Promise<void>;
  /** Removes both files; nothing can be continued. */
  remove(): Promise<void>;
  /** Removes what continues it; the file of the bytes has another name now. */
  forget(): Promise<void>;
}

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
// Windows has no such flag.
const NOT_A_LINK = O_NOFOLLOW ?? 0;

/**
 * Opens `{path}.part` with its state in `{path}.part.json`, or makes both. Throws CONFLICT if there is such a file that no download has made, or the
 * error of the file system.
 */
export async function openPart(path: string, source: string): Promise<PartFile> {
  const partPath = `${path}.part`;
  const statePath = `${partPath}.json`;
  const earlier = await readState(statePath);
  let state: PartState = earlier?.source === source ? earlier : { version: 1, source };
  if (earlier !== undefined) await save(state);
  const handle = await openBytes(partPath, earlier !== undefined);
  if (earlier === undefined) {
    try {
      await (await open(statePath, O_RDWR | O_CREAT | O_EXCL | NOT_A_LINK, 0o600)).close();
      await save(state);
    } catch (error) {
      await handle.close();
      await rm(partPath, { force: true });
      throw systemCode(error) === "EEXIST" ? notOurs(statePath) : error;
    }
  } else if (earlier.source !== source) await handle.truncate(0);

  async function save(next: PartState): Promise<void> {
    const temporary = `${statePath}.${newKey()}`;
    try {
      await using file = await open(temporary, "wx", 0o600);
      await file.writeFile(JSON.stringify(next));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await rename(temporary, statePath);
    state = next;
  }

  return {
    path: partPath,
    handle,
    get url() {
      return state.url;
    },
    saveUrl: (url) => save({ ...state, url }),
    async begin({ etag, sizeBytes, sha256 }) {
      const isSame =
        state.sizeBytes === sizeBytes && state.etag === etag && state.sha256 === sha256 && (etag !== undefined || sha256 !== undefined);
      const { stored, ...rest } = state;
      const { size } = await handle.stat();
      if (isSame && size <= sizeBytes)
        return stored === undefined ? toSpans(size) : stored.map(([start, end]) => ({ start, end: Math.min(end, size) }));
      await handle.truncate(0);
      await save({ ...rest, etag, sizeBytes, sha256 });
      return [];
    },
    saveStored: (stored) => save({ ...state, stored: stored.map(({ start, end }) => [start, end]) }),
    async empty() {
      await handle.truncate(0);
      const { stored: _, ...rest } = state;
      await save(rest);
    },
    async remove() {
      await rm(partPath, { force: true });
      await rm(statePath, { force: true });
    },
    forget: () => rm(statePath, { force: true }),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

const toSpans = (bytes: number): readonly Span[] => (bytes === 0 ? [] : [{ start: 0, end: bytes }]);

async function openBytes(path: string, isExpected: boolean): Promise<FileHandle> {
  try {
    return await open(path, O_RDWR | O_CREAT | NOT_A_LINK | (isExpected ? 0 : O_EXCL), 0o666);
  } catch (error) {
    throw systemCode(error) === "EEXIST" || systemCode(error) === "ELOOP" ? notOurs(path) : error;
  }
}

const notOurs = (path: string): AppError =>
  new AppError("CONFLICT", `${path} exists, and is no unfinished download. Move it, or save under another name with -o.`);

async function readState(path: string): Promise<PartState | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | NOT_A_LINK);
    return partState.safeParse(JSON.parse(await file.readFile("utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}
