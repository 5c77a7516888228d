import { mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import { archiveName, archiveNames } from "../../lib/formats/archive-names.ts";
import type { DecryptWith } from "../../transfer/encryption/decrypt.ts";
import { toDecryptedName } from "../../transfer/encryption/decrypted-name.ts";
import { ClientError } from "../client-error.ts";
import { numberedNames, toDiskName } from "../download-file/save-file.ts";
import { openDownloadRecords } from "../records/download-records.ts";
import type { RemoteServer } from "../server/discover-server.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import { chooseByNames } from "./choose-files.ts";
import { decryptFile, decryptOutput, encryptedOutput, refuseEncrypted, withoutExtension } from "./decryption.ts";
import type { DecryptingContext, DownContext, DownRequest, DownResult } from "./down-request.ts";
import { type FetchedFile, type FileSource, type FileTarget, fetchFile } from "./fetch-file.ts";
import { fetchShipment } from "./fetch-shipment.ts";
import { checkTarget } from "./local-target.ts";
import { filesOf, type OfferedFile, type OpenShare, openShare, waitForScan, withoutPurchase } from "./open-share.ts";
import { recallShare } from "./recall-share.ts";
import { openSavedFiles, type SavedFiles } from "./saved-files.ts";
import { nameAt } from "./server-name.ts";
import { streamFile } from "./stream-file.ts";
import { findStream, openStream, type StreamTarget } from "./stream-target.ts";
import type { DownloadTarget } from "./target.ts";
import { createUnlock } from "./unlock.ts";

/** Downloads the share or file that a link or an ID names. Throws the server's error, or an error of this machine. */
export async function downloadLink(asked: DownRequest, context: DownContext): Promise<DownResult> {
  const { target } = asked;
  const request = { ...asked, stream: await findStream(asked) };
  if (target.kind === "signed" || target.kind === "file") {
    const decryption = await context.openDecryption(false);
    const isFile = target.kind === "file";
    const source = isFile ? await fileSource(target, request, context) : signedSource(target.url);
    return await fetchOne(toUnnamed(source, isFile ? target.fileId : undefined, decryption), request, { ...context, decryption });
  }
  // Streams and archives have no file that a later process could continue.
  const isContinued = request.stream === undefined && !request.isZip;
  const recalled = isContinued ? await recallShare(context.access, target, openDownloadRecords(context.env)) : undefined;
  const share = recalled ?? (await openShare(context.access, target));
  const offered = chooseByNames(filesOf(share.details), request.files);
  const ids = new Set(offered.map(({ id }) => id));
  const details = await waitForScan(share, ids, { ...context, waitsForScan: request.waitsForScan, onWait: context.events.onWait });
  const checked = filesOf(details);
  const files = checked.filter(({ id }) => ids.has(id)).map((file) => (request.keepsTimes ? file : { ...file, ...NO_ATTRIBUTES }));
  const [first] = files;
  if (first === undefined) throw new AppError("NOT_FOUND", "This share has no files. Ask the sender, or try again later.");
  const decryption = await context.openDecryption(files.some(({ isEncrypted }) => isEncrypted));
  const isStreamed = request.stream !== undefined && !request.isZip;
  if (decryption.keys() === undefined && !decryption.keepsEncrypted() && !isStreamed && files.some(({ isEncrypted }) => isEncrypted))
    context.events.onNote("Encrypted files are saved as they are.", { kind: "decrypt" });
  const decrypting = { ...context, decryption };
  if (request.isZip) return await fetchZip(share, files, request, decrypting);
  await recalled?.remember(details);
  const result = await fetchChosen(share, files, request, decrypting);
  if (result.refused.length === 0) await recalled?.forget(request.files.length === 0 ? undefined : ids);
  return result;
}

interface StreamRequest extends DownRequest {
  readonly stream: StreamTarget | undefined;
}

const NO_ATTRIBUTES = { modifiedMs: undefined, isExecutable: false } as const;

async function fetchChosen(
  share: OpenShare,
  files: readonly OfferedFile[],
  request: StreamRequest,
  context: DecryptingContext,
): Promise<DownResult> {
  const [first] = files;
  const isPlain = files.length === 1 && (share.details.kind === "file" || request.files.length > 0);
  if (isPlain && first)
    return await fetchOne(toNamed(await shareSource(share, first, context), first, context.decryption), request, context);
  if (request.stream !== undefined)
    throw new ClientError(
      "VALIDATION_FAILED",
      `The share has ${files.length} files, and ${request.stream.kind === "path" ? request.stream.path : "standard output"} takes one.`,
      { advice: [{ kind: "chooseOneFile" }] },
    );
  return await fetchShipment({ share, files, server: await context.access.api.discoverServer() }, request, context);
}

/** The number of IDs that fit one request (downloads, "Archives"). */
const MAX_ZIP_IDS = 580;

/** Saves the archive of a share. The server makes the archive for each request, so the download cannot be continued. */
async function fetchZip(
  share: OpenShare,
  files: readonly OfferedFile[],
  request: StreamRequest,
  context: DecryptingContext,
): Promise<DownResult> {
  const { title, name, short_id: shortId } = share.details;
  const isAll = request.files.length === 0;
  if (!isAll && files.length > MAX_ZIP_IDS)
    throw new AppError("VALIDATION_FAILED", `A ZIP has at most ${MAX_ZIP_IDS} chosen files. Choose fewer, or all.`);
  const fileIds = files.map(({ id }) => id).join();
  const server = await context.access.api.discoverServer();
  const source = {
    identity: nameAt(server, context.access, `${shortId}.zip${isAll ? "" : fileIds}`),
    server,
    authorize: () => share.call("authorizeArchive", { shortId, ...(!isAll && { fileIds }) }),
  };
  const entries = archiveNames(files.map(({ name, relativePath }) => ({ name, relative_path: relativePath })));
  const archive = { name: archiveName({ title, name, short_id: shortId }, entries), isEncrypted: false };
  return { ...(await fetchOne(toNamed(source, archive, context.decryption), request, context)), files: files.length };
}

/** One file that is downloaded: a file of a share, the archive of a share, or the file of an ID or a signed URL. */
interface SingleFile {
  readonly source: FileSource;
  /** The shown name; empty if it is not known yet. */
  readonly shown: string;
  /** The name on this machine; undefined if only the response of the server has it. */
  readonly name: string | undefined;
  /** The name of the unfinished file while the name of the file is not known. */
  readonly fallback: string;
  /** The keys that decrypt the file; undefined if its bytes are saved as they are. */
  readonly keys: DecryptWith | undefined;
  /** Whether the file is encrypted; false if it is not known. */
  readonly isEncrypted: boolean;
}

function toNamed(
  source: FileSource,
  { name, isEncrypted }: Pick<OfferedFile, "name" | "isEncrypted">,
  decryption: DecryptingContext["decryption"],
): SingleFile {
  const keys = isEncrypted ? decryption.keys() : undefined;
  return {
    source,
    shown: name,
    name: keys ? toDecryptedName(withoutExtension(name)) : toDiskName(name),
    fallback: "download",
    keys,
    isEncrypted,
  };
}

/** Only the bytes show whether the file is encrypted, so the keys are used if there are any. Standard output cannot wait for the bytes. */
function toUnnamed(source: FileSource, fileId: string | undefined, decryption: DecryptingContext["decryption"]): SingleFile {
  return { source, shown: fileId ?? "", name: undefined, fallback: fileId ?? "download", keys: decryption.keys(), isEncrypted: false };
}

async function fetchOne(file: SingleFile, { stream, ...request }: StreamRequest, context: DecryptingContext): Promise<DownResult> {
  if (stream === undefined) return await saveOne(file, request, context);
  if (file.isEncrypted && file.keys === undefined && !context.decryption.keepsEncrypted()) throw encryptedOutput();
  if (stream.kind === "stdout") return await streamOne(file, { path: null, output: context.output }, context);
  await using opened = await openStream(stream, context.signal);
  const streamed = await streamOne(file, { path: stream.path, output: opened.write }, context);
  await opened.end();
  return streamed;
}

/** Saves a file under its name, unless that already is the complete file. */
async function saveOne(
  { source, shown, name, fallback, keys }: SingleFile,
  request: DownRequest,
  context: DecryptingContext,
): Promise<DownResult> {
  const { env, events, signal, decryption } = context;
  const isDecrypted = keys !== undefined;
  const target = await resolveTarget({ ...request, name, fallback });
  // The digest covers the encrypted bytes, so decrypted bytes are not compared with it.
  const expected = isDecrypted ? {} : { sizeBytes: source.sizeBytes, sha256: source.sha256 };
  const saved = isDecrypted ? await openSavedFiles(target.partPath, env) : undefined;
  const kept =
    (await findSaved(source, saved, signal)) ?? (await checkTarget(target.path, { ...expected, overwrite: request.overwrite }, signal));
  if (kept) {
    events.onNote(`${kept.path} is complete already.`);
    events.onSaved(kept);
    return { path: kept.path, files: 1, bytes: kept.sizeBytes, refused: [] };
  }
  if (source.sizeBytes !== undefined) events.onTotal(shown, { files: 1, bytes: source.sizeBytes });
  let total = source.sizeBytes;
  const fetched = await fetchFile(source, target, {
    env,
    signal,
    onWait: events.onWait,
    async finish({ path: encrypted, name }) {
      const decrypted = isDecrypted ? await decryptFile(encrypted, decryption, signal) : undefined;
      if (decrypted === undefined) return undefined;
      const { path, attributes, sha256 } = decrypted;
      const onPlaced = async (placed: string): Promise<void> => {
        if (source.sha256 !== undefined) await saved?.add({ source: sourceOf(source), path: placed, sha256, isPlaced: true });
      };
      // A path that the user has chosen is not replaced.
      if (target.path !== undefined && (decrypted.name === undefined || !target.isNamedByServer))
        return { path, attributes, place: undefined, onPlaced };
      const own = toDecryptedName(decrypted.name ?? withoutExtension(name));
      return { path, attributes, place: { folder: dirname(target.partPath), names: numberedNames(own) }, onPlaced };
    },
    onProgress(bytes, sizeBytes) {
      if (total !== sizeBytes) events.onTotal(shown, { files: 1, bytes: sizeBytes });
      total = sizeBytes;
      events.onProgress({ files: 0, bytes });
    },
  });
  events.onProgress({ files: 1, bytes: fetched.sizeBytes });
  events.onSaved(fetched);
  return { path: fetched.path, files: 1, bytes: fetched.sizeBytes, refused: [] };
}

/** Names a file and its bytes in the list of saved files. */
const sourceOf = ({ identity, sha256 }: Pick<FileSource, "identity" | "sha256">): string => `${identity} ${sha256}`;

/** Finds the decrypted file that an earlier download of the same bytes has saved. */
async function findSaved(
  { identity, sizeBytes, sha256 }: FileSource,
  saved: SavedFiles | undefined,
  signal: AbortSignal,
): Promise<FetchedFile | undefined> {
  if (sizeBytes === undefined || sha256 === undefined) return undefined;
  const path = await saved?.find(sourceOf({ identity, sha256 }), signal);
  return path === undefined ? undefined : { path, sizeBytes, sha256, verified: true };
}

interface Output {
  /** The path of the stream; null for standard output. */
  readonly path: string | null;
  output(bytes: Uint8Array): Promise<void>;
}

async function streamOne(
  { source, shown, keys }: SingleFile,
  { path, output }: Output,
  { events, signal, decryption }: DecryptingContext,
): Promise<DownResult> {
  const isKept = keys === undefined && decryption.keepsEncrypted();
  const writer = isKept ? undefined : keys ? decryptOutput(output, keys) : refuseEncrypted(output);
  const { sizeBytes } = await streamFile(source, {
    signal,
    output: writer?.write ?? output,
    onWait: events.onWait,
    onSize: (bytes) => events.onTotal(shown, { files: 1, bytes }),
    onProgress: (bytes) => events.onProgress({ files: 0, bytes }),
  });
  await writer?.end();
  return { path, files: 1, bytes: sizeBytes, refused: [] };
}

interface TargetRequest extends Pick<DownRequest, "output" | "folder" | "overwrite"> {
  readonly name: string | undefined;
  /** The name of the unfinished file until the name of the file is known. */
  readonly fallback: string;
}

/**
 * Finds the path of one file, and makes its folder if it is missing. If `output` is a folder or ends with a slash, the file keeps its name in this
 * folder.
 */
async function resolveTarget({ output, folder = ".", name, fallback, overwrite }: TargetRequest): Promise<FileTarget> {
  await mkdir(folder, { recursive: true });
  const path = output === undefined ? resolve(folder) : resolve(folder, output);
  if (output?.endsWith("/")) await mkdir(path, { recursive: true });
  const isFolder = output === undefined || (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) {
    await mkdir(dirname(path), { recursive: true });
    return { partPath: path, path, overwrite };
  }
  if (name === undefined) return { partPath: join(path, fallback), path: undefined, overwrite };
  return { partPath: join(path, name), path: join(path, name), overwrite, isNamedByServer: true };
}

function signedSource(url: URL): FileSource {
  const server: Pick<RemoteServer, "reach"> = { reach: (text) => new URL(text) };
  return { identity: `${url.origin}${url.pathname}`, server, authorize: async () => url.href };
}

/** Makes the source of a file in a share whose files are known. */
async function shareSource(share: OpenShare, file: OfferedFile, { access }: DownContext): Promise<FileSource> {
  const server = await access.api.discoverServer();
  const { id: fileId, sizeBytes, sha256 } = file;
  return {
    identity: nameAt(server, access, fileId),
    server,
    sizeBytes,
    sha256,
    attributes: file,
    isProtected: () => share.details.unlockRequired,
    authorize: () => share.call("authorizeDownload", { fileId }),
  };
}

/** Makes the source of a file of which only the ID is known. */
async function fileSource(
  target: Extract<DownloadTarget, { readonly kind: "file" }>,
  { waitsForScan }: Pick<DownRequest, "waitsForScan">,
  { access, signal, events }: DownContext,
): Promise<FileSource> {
  const { api } = access;
  const { fileId } = target;
  const server = await api.discoverServer(signal);
  const unlock = createUnlock(access, target);
  const retry = createRequestRetry(signal, events.onWait);
  const prove = access.purchase?.prove ?? withoutPurchase;
  const request = async (purchase: { readonly purchaseToken?: string }): Promise<string> => {
    const input = { fileId, ...(await unlock.credentials()), ...purchase };
    const call = (signal: AbortSignal) => api.call("authorizeDownload", input, { signal });
    const asked = waitsForScan ? retry(({ signal }) => call(signal)) : call(signal);
    return (
      await asked.catch((error: unknown) => {
        throw withoutRetry(error);
      })
    ).url;
  };
  const authorize = async (): Promise<string> => {
    try {
      return await prove(fileId, request);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== "UNLOCK_REQUIRED" || unlock.isUnlocked()) throw thrown;
      await unlock.renew();
      return await authorize();
    }
  };
  return { identity: nameAt(server, access, fileId), server, isProtected: unlock.isUnlocked, authorize };
}
