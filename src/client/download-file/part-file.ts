import { createHash } from "node:crypto";
import { constants, type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { AppError, systemCode } from "../../errors.ts";
import type { Span } from "../../lib/http/range.ts";
import { hashPath } from "../../lib/system/hash-path.ts";
import { cutToBytes } from "../../lib/text/stored-name.ts";
import { newRandomId } from "../../transfer/retry.ts";
import { ClientError } from "../client-error.ts";
import type { Environment } from "../records/private-files.ts";
import { lockFile } from "./part-lock.ts";
import { openSigner, type PartSigner } from "./part-secret.ts";
import type { SignedDownload } from "./signed-download.ts";

/** The state that continues a download after its process has ended. */
const partState = z.object({
  version: z.literal(1),
  /** Identifies the download. */
  source: z.string(),
  /** The signed URL of a counted download; a secret. */
  url: z.string().optional(),
  /** The name that the server gives the file. */
  name: z.string().optional(),
  etag: z.string().optional(),
  sizeBytes: z.number().optional(),
  sha256: z.string().optional(),
  /** The written spans, if they are not all bytes up to the end of the file. */
  stored: z.array(z.tuple([z.number(), z.number()])).optional(),
  /** The SHA-256 of the complete bytes, and whether the server announced the same. */
  complete: z.object({ sha256: z.string(), verified: z.boolean() }).optional(),
});
type PartState = z.infer<typeof partState>;
/** The signed state. A foreign file can have the name of a state, but not its signature. */
const signedState = z.object({ state: z.string(), signature: z.string() });

/** Complete bytes that are not renamed to the file's name yet. */
export interface CompletePart {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Whether the server announced the same SHA-256. */
  readonly verified: boolean;
}

/** An unfinished download: its bytes, and the state beside them that continues it. */
export interface PartFile extends AsyncDisposable {
  readonly path: string;
  readonly handle: FileHandle;
  /** The signed URL of a counted download. */
  readonly url: string | undefined;
  /** Saves a URL before its bytes are requested. */
  saveUrl(url: string): Promise<void>;
  /** Returns the spans of this download that are stored. Empties the file if it has bytes of another download, or the download has changed. */
  begin(download: SignedDownload): Promise<readonly Span[]>;
  saveStored(stored: readonly Span[]): Promise<void>;
  empty(): Promise<void>;
  /** Flushes the complete bytes to the disk. Throws CONFLICT if the file was replaced or has another size. */
  seal(sizeBytes: number): Promise<void>;
  /** Saves that the sealed bytes are complete. */
  saveComplete(complete: Pick<CompletePart, "sha256" | "verified">): Promise<void>;
  /** Finds the bytes that an earlier process completed, if they are unchanged. */
  findComplete(signal: AbortSignal): Promise<CompletePart | undefined>;
  /** Removes the file and its state, so that the download cannot be continued. */
  remove(): Promise<void>;
  /** Removes the state. The file of the bytes has another name by then. */
  forget(): Promise<void>;
}

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
// The flag that refuses symbolic links. Windows has no such flag.
const NOT_A_LINK = O_NOFOLLOW ?? 0;

/**
 * The longest start of a side file's name. File systems have names of at most 255 bytes, encrypted ones of 143; the longest side file adds 43 bytes
 * to `sideBase`.
 */
const MAX_SIDE_BASE_BYTES = 100;
const SIDE_DIGEST_LENGTH = 8;

/** Returns the path with which the names of side files begin. If they would be too long, it is shortened, with a digest that keeps it unique. */
function sideBase(path: string): string {
  const name = basename(path);
  if (Buffer.byteLength(name) <= MAX_SIDE_BASE_BYTES) return path;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, SIDE_DIGEST_LENGTH);
  return join(dirname(path), `${cutToBytes(name, MAX_SIDE_BASE_BYTES - SIDE_DIGEST_LENGTH - 1)}~${digest}`);
}

/**
 * Opens or makes `{path}.part` and its state `{path}.part.json`, whose names are shortened if they would be too long. Throws CONFLICT if another
 * process has it open, or if the file was made by no download or has all bytes of another one; otherwise the file system's error.
 */
export async function openPart(path: string, source: string, env: Environment): Promise<PartFile> {
  const base = sideBase(path);
  const lock = await lockFile(`${base}.part.lock`);
  try {
    return await openLocked(base, source, { lock, signer: await openSigner(env) });
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

interface Locked {
  readonly lock: Disposable;
  readonly signer: PartSigner;
}

async function openLocked(path: string, source: string, { lock, signer }: Locked): Promise<PartFile> {
  const partPath = `${path}.part`;
  const statePath = `${partPath}.json`;
  const earlier = await readState(statePath, signer);
  const isSameSource = earlier?.source === source && (await lstat(partPath).catch(() => undefined)) !== undefined;
  if (earlier !== undefined && !isSameSource) {
    // The server may not send the complete bytes again, so they are kept.
    if (earlier.complete !== undefined && (await lstat(partPath).catch(() => undefined))?.size === earlier.sizeBytes)
      throw otherDownloadComplete(partPath);
    await rm(partPath, { force: true });
    await rm(statePath, { force: true });
  }
  let state: PartState = isSameSource ? earlier : { version: 1, source };
  const handle = await openBytes(partPath, isSameSource);
  if (!isSameSource) {
    try {
      await (await open(statePath, O_RDWR | O_CREAT | O_EXCL | NOT_A_LINK, 0o600)).close();
      await save(state);
    } catch (error) {
      await handle.close();
      await rm(partPath, { force: true });
      throw systemCode(error) === "EEXIST" ? notOurs(statePath) : error;
    }
  }

  async function save(next: PartState): Promise<void> {
    const temporary = `${statePath}.${newRandomId()}`;
    try {
      await using file = await open(temporary, "wx", 0o600);
      const text = JSON.stringify(next);
      await file.writeFile(JSON.stringify({ state: text, signature: signer.sign(text) }));
      await file.sync();
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
    async begin({ name, etag, sizeBytes, sha256 }) {
      const isSame =
        state.sizeBytes === sizeBytes && state.etag === etag && state.sha256 === sha256 && (etag !== undefined || sha256 !== undefined);
      const { stored, complete: _, ...rest } = state;
      const { size } = await handle.stat();
      if (isSame && size <= sizeBytes)
        return stored === undefined ? toSpans(size) : stored.map(([start, end]) => ({ start, end: Math.min(end, size) }));
      await handle.truncate(0);
      await save({ ...rest, name, etag, sizeBytes, sha256 });
      return [];
    },
    async saveStored(stored) {
      // After a power failure, the state must not list bytes that are lost.
      await handle.datasync();
      await save({ ...state, stored: stored.map(({ start, end }) => [start, end]) });
    },
    async empty() {
      await handle.truncate(0);
      const { stored: _, complete: __, ...rest } = state;
      await save(rest);
    },
    async seal(sizeBytes) {
      await handle.sync();
      const [opened, named] = [await handle.stat({ bigint: true }), await lstat(partPath, { bigint: true }).catch(() => undefined)];
      if (named?.ino !== opened.ino || opened.size !== BigInt(sizeBytes))
        throw new AppError("CONFLICT", `${partPath} was changed while it was downloaded. Nothing was saved: try again.`);
    },
    async saveComplete({ sha256, verified }) {
      const { stored: _, ...rest } = state;
      await save({ ...rest, complete: { sha256, verified } });
    },
    async findComplete(signal) {
      const { complete, name, sizeBytes } = state;
      if (complete === undefined || name === undefined || sizeBytes === undefined) return undefined;
      const isSame = (await handle.stat()).size === sizeBytes && (await hashPath(partPath, signal)) === complete.sha256;
      return isSame ? { name, sizeBytes, ...complete } : undefined;
    },
    async remove() {
      await rm(partPath, { force: true });
      await rm(statePath, { force: true });
    },
    forget: () => rm(statePath, { force: true }),
    async [Symbol.asyncDispose]() {
      await handle.close();
      lock[Symbol.dispose]();
    },
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
  new ClientError("CONFLICT", `${path} exists, and is no unfinished download.`, { advice: [{ kind: "moveOrRename" }] });

const otherDownloadComplete = (path: string): AppError =>
  new ClientError("CONFLICT", `${path} has all bytes of another download.`, { advice: [{ kind: "finishOtherDownload" }] });

async function readState(path: string, signer: PartSigner): Promise<PartState | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | NOT_A_LINK);
    const signed = signedState.safeParse(JSON.parse(await file.readFile("utf8"))).data;
    if (signed === undefined || !signer.isSigned(signed.state, signed.signature)) return undefined;
    return partState.safeParse(JSON.parse(signed.state)).data;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}
