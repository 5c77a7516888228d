import { createHash } from "node:crypto";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { PART_SIZE } from "../../contract/scalars.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ImportRow } from "../../db/tables/imports.ts";
import { AppError } from "../../errors.ts";
import { createFileDigests } from "../../lib/formats/file-digests.ts";
import { toFileName } from "../../lib/text/file-name.ts";
import { requireMinimumPace } from "../../net/minimum-pace.ts";
import { openSourceFile, type SourceFile } from "../../net/source-file.ts";
import type { Actor } from "../accounts/actor.ts";
import type { FinalizedUpload } from "../files/file-view.ts";
import { resolvePublishSettings } from "../shares/publish-settings.ts";
import type { ShareTokens } from "../shares/share-tokens.ts";
import { type CreatedUpload, createOpenUpload } from "../uploads/create-upload.ts";
import { type FinalizeInput, finalizeUpload } from "../uploads/finalize-upload.ts";
import { inspectBlob } from "../uploads/inspect-bytes.ts";
import { putFetchedPart } from "../uploads/parts.ts";
import { deleteSession, findSession, listParts } from "../uploads/queries.ts";
import { isInterrupted, isMultipart, type MultipartSession, toStagedBlob } from "../uploads/session.ts";
import { uploadStream } from "../uploads/upload-stream.ts";
import { abortImportUpload, completeImport, importCancelled } from "./end-import.ts";
import type { RunningImport } from "./import-progress.ts";
import { decryptPublishFields } from "./publish-fields.ts";
import { updateOpenImport } from "./queries.ts";

/** A run of an import, with its owner. */
export interface ImportRun {
  readonly row: ImportRow;
  readonly actor: Actor;
  readonly running: RunningImport;
}

/** The stored parts of an import: all bytes before `offset`. */
export interface ImportedParts {
  readonly session: MultipartSession;
  readonly file: FileRow;
  readonly offset: number;
}

/** The size of a part in bytes. A part is in memory until it is durable, so a restart loses at most this many bytes. */
export const IMPORT_PART_BYTES = 8 * 1024 ** 2;

/**
 * Fetches an import's file, or the rest of it, and completes the import. Bytes of a resumable source are stored in parts, which survive a restart and
 * errors; other sources start again.
 */
export async function fetchImport(ctx: Ctx, run: ImportRun): Promise<void> {
  const { row, running } = run;
  const imported = await findImportedParts(ctx, row);
  if (!imported) await abortImportUpload(ctx, row.id);
  if (imported && imported.offset === imported.session.size_bytes) {
    running.update({ phase: "saving", bytesDone: imported.offset, bytesTotal: imported.offset });
    return await importParts(ctx, { ...run, imported, body: [] });
  }
  const resume = imported && { offset: imported.offset, sizeBytes: imported.session.size_bytes, validator: row.validator ?? "" };
  const remote = await openSourceFile(ctx.imports.fetch, { url: ctx.keyring.decrypt(row.url), signal: running.signal, resume });
  const stopTimer = startTimer(ctx, remote, running);
  try {
    running.update({ phase: "downloading", bytesDone: remote.offset, bytesTotal: remote.sizeBytes ?? null });
    const body = trackProgress({ ...remote, body: requireMinimumPace(remote.body, ctx.config.imports.minimumPace) }, running);
    if (imported && remote.offset > 0) return await importParts(ctx, { ...run, imported, body });
    if (imported) await abortImportUpload(ctx, row.id);
    await importFromStart(ctx, run, { ...remote, body });
  } finally {
    stopTimer();
    remote.cancel();
  }
}

/** Finds the stored parts of an import; undefined if there are none or the import cannot continue. */
export async function findImportedParts(
  ctx: Ctx,
  { session_id, validator }: Pick<ImportRow, "session_id" | "validator">,
): Promise<ImportedParts | undefined> {
  const session = session_id === null || validator === null ? undefined : await findSession(ctx.db, session_id);
  if (session?.kind !== "multipart" || session.state !== "open" || (await isInterrupted(ctx, session))) return undefined;
  if (!isMultipart(session)) return undefined;
  const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", session.file_id).executeTakeFirst();
  if (!file) return undefined;
  const parts = await listParts(ctx.db, session.id);
  const gap = parts.findIndex(({ part_number }, index) => part_number !== index + 1);
  const count = gap === -1 ? parts.length : gap;
  return { session, file, offset: Math.min(count * session.part_size_bytes, session.size_bytes) };
}

/** Time that a run may take in addition to the time of its bytes at the minimum pace. */
const SPARE_MS = 5 * 60_000;

/** Starts the timer that aborts a run when it takes longer than its size explains. For an unknown size, only the time limit of the import applies. */
function startTimer(ctx: Ctx, { sizeBytes, offset }: SourceFile, running: RunningImport): () => void {
  if (sizeBytes === undefined) return () => {};
  const { minimumPace, totalMs } = ctx.config.imports;
  const limitMs = ((sizeBytes - offset) * 1000) / minimumPace.bytesPerSecond + SPARE_MS;
  const timer = setTimeout(() => running.abort(importJobTimeout()), Math.min(limitMs, totalMs));
  return () => clearTimeout(timer);
}

/** Creates the error for an import that exceeds its time limit. */
export const importJobTimeout = (): AppError =>
  new AppError("REMOTE_TIMEOUT", "The import took too long and was cancelled. Use a faster source.");

async function* trackProgress({ body, offset }: SourceFile, running: RunningImport): AsyncGenerator<Uint8Array> {
  let bytesDone = offset;
  for await (const chunk of body) {
    running.signal.throwIfAborted();
    bytesDone += chunk.length;
    running.update({ bytesDone });
    yield chunk;
  }
  running.update({ phase: "saving" });
}

async function importFromStart(ctx: Ctx, run: ImportRun, remote: SourceFile): Promise<void> {
  const { row, actor, running } = run;
  const { type, sizeBytes, body, validator } = remote;
  const onCreated = (ctx: TransactionCtx, upload: CreatedUpload): Promise<void> => saveUpload(ctx, row, { upload, validator });
  const input = {
    name: row.requested_name ?? remote.name,
    type,
    sizeBytes,
    ...decryptPublishFields(ctx, row),
    onCreated,
  };
  running.update({ name: input.name ? toFileName(input.name) : null });
  if (sizeBytes === undefined || validator === undefined || sizeBytes <= IMPORT_PART_BYTES) {
    const onFinalized = (ctx: TransactionCtx, upload: FinalizedUpload): Promise<void> => completeImport(ctx, row, upload);
    await uploadStream(ctx, { actor }, { ...input, body, tokens: toTokens(row), onFinalized });
    return;
  }
  const partBytes = choosePartBytes(sizeBytes);
  const upload = await createOpenUpload(ctx, actor, { ...input, parts: { sizeBytes: partBytes, total: Math.ceil(sizeBytes / partBytes) } });
  const imported = await findImportedParts(ctx, { session_id: upload.sessionId, validator });
  if (!imported) throw importCancelled();
  await importParts(ctx, { ...run, imported, body });
}

/** Returns the tokens of an import's file, which the response to `initImport` contained. */
const toTokens = ({ claim_hash, deletion_hash }: ImportRow): ShareTokens => ({ shown: {}, columns: { claim_hash, deletion_hash } });

/** Records an import's upload in the transaction that creates the upload. */
async function saveUpload(
  ctx: TransactionCtx,
  row: ImportRow,
  { upload, validator }: { upload: CreatedUpload; validator: string | undefined },
): Promise<void> {
  const update = { session_id: upload.sessionId, validator: validator ?? null, name: upload.name };
  if (!(await updateOpenImport(ctx.db, row.id, update))) throw importCancelled();
}

/** Returns the part size: `IMPORT_PART_BYTES`, or more if the file would have too many parts. */
function choosePartBytes(sizeBytes: number): number {
  return Math.max(IMPORT_PART_BYTES, Math.ceil(sizeBytes / PART_SIZE.maxParts / PART_SIZE.minBytes) * PART_SIZE.minBytes);
}

interface ImportPartsInput extends ImportRun {
  readonly imported: ImportedParts;
  /** The bytes from `imported.offset` to the end. */
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Stores the rest of the file in parts and completes the import. Each part is durable before the next one is filled. */
async function importParts(ctx: Ctx, input: ImportPartsInput): Promise<void> {
  const { imported, body } = input;
  const { session, offset } = imported;
  // Parts from before a restart are not read again; the scan job then computes the file's digest.
  const fileDigests = offset === 0 ? createFileDigests() : undefined;
  let nextNumber = offset / session.part_size_bytes + 1;
  const save = (bytes: Uint8Array): Promise<void> => savePart(ctx, session, { partNumber: nextNumber++, bytes, fileDigests });
  const part = new Uint8Array(session.part_size_bytes);
  let filledBytes = 0;
  let missingBytes = session.size_bytes - offset;
  for await (const chunk of body) {
    missingBytes -= chunk.length;
    if (missingBytes < 0) break;
    for (let copiedBytes = 0; copiedBytes < chunk.length; ) {
      const count = Math.min(chunk.length - copiedBytes, part.length - filledBytes);
      part.set(chunk.subarray(copiedBytes, copiedBytes + count), filledBytes);
      copiedBytes += count;
      filledBytes += count;
      if (filledBytes < part.length) continue;
      await save(part);
      filledBytes = 0;
    }
  }
  if (missingBytes !== 0) throw wrongSize();
  if (filledBytes > 0) await save(part.subarray(0, filledBytes));
  await finalizeParts(ctx, input, fileDigests?.digest() ?? { sha256: null, crc32: null });
}

interface FilledPart {
  readonly partNumber: number;
  readonly bytes: Uint8Array;
  readonly fileDigests: Pick<ReturnType<typeof createFileDigests>, "update"> | undefined;
}

async function savePart(ctx: Ctx, session: MultipartSession, { partNumber, bytes, fileDigests }: FilledPart): Promise<void> {
  fileDigests?.update(bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await putFetchedPart(ctx, {
    part: { sessionKey: session.session_key, partNumber, sha256 },
    sizeBytes: bytes.length,
    body: toStream(bytes),
  });
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function finalizeParts(
  ctx: Ctx,
  { row, actor, imported }: ImportPartsInput,
  digests: Pick<FinalizeInput, "sha256" | "crc32">,
): Promise<void> {
  const { session, file } = imported;
  const parts = await listParts(ctx.db, session.id);
  await ctx.blobs.commit(
    toStagedBlob(session),
    parts.map((part) => ({ partNumber: part.part_number, etag: part.etag })),
  );
  const blob = { key: session.blob_key, sizeBytes: session.size_bytes };
  const inspected = await inspectBlob(ctx, blob, { declared: file.content_type, name: file.name });
  const { publish } = decryptPublishFields(ctx, row);
  await ctx.transaction(async (ctx) => {
    const limits = ctx.config.tiers[actor.tier];
    const settings = resolvePublishSettings(publish, { actor, limits, nowMs: ctx.now(), acceptedExpiresAt: publish.expiresAt });
    const upload = { sessionId: session.id, fileId: file.id, name: file.name, sizeBytes: session.size_bytes, ...digests, ...inspected };
    await completeImport(ctx, row, await finalizeUpload(ctx, actor, { ...upload, tokens: toTokens(row) }, settings));
    await deleteSession(ctx.db, session.id);
  });
  ctx.wakeJobs();
}

const wrongSize = (): AppError =>
  new AppError("REMOTE_REFUSED", "The remote server sent more or fewer bytes than declared. Try again, or use another URL.");
