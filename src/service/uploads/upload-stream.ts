import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { createFileDigests, type FileDigests } from "../../lib/formats/file-digests.ts";
import type { Actor } from "../accounts/actor.ts";
import { cancelReservation, fileTooLarge, reserveUpTo } from "../accounts/quotas.ts";
import type { UploadResult } from "../files/contract.ts";
import { type FinalizedUpload, toUploadResult } from "../files/file-view.ts";
import type { FolderTree } from "../files/folder-tree.ts";
import { commitWithoutCredentialCheck, digestInput } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { changeReceived, limitToRequest, reserveForOwner } from "../requests/limits.ts";
import { resolveUploader } from "../requests/uploader.ts";
import type { PublishInput, SentPublish } from "../shares/contract.ts";
import { resolvePublishSettings } from "../shares/publish-settings.ts";
import { abortOnError } from "./abort-upload.ts";
import { SNIFF_BYTES } from "./content-type.ts";
import { type CreatedUpload, type CreateUploadInput, createUpload, UNKNOWN_SIZE_STEP_BYTES } from "./create-upload.ts";
import { type FinalizeInput, finalizeUpload, uploadAborted } from "./finalize-upload.ts";
import { checkAccepted, type InspectedBytes, inspectBytes } from "./inspect-bytes.ts";
import { deleteSession } from "./queries.ts";

export interface StreamInput {
  readonly name: string;
  /** The media type that the client sent. */
  readonly type: string | null | undefined;
  /** Undefined if the client did not send it. */
  readonly sizeBytes: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  readonly publish: PublishInput;
  readonly submission?: CreateUploadInput["submission"];
  /** The share's short ID, if a client already has it. */
  readonly shortId?: string;
  readonly tokens?: FinalizeInput["tokens"];
  readonly onCreated?: CreateUploadInput["onCreated"];
  readonly onFinalized?: OnFinalized;
}

/** A step of the transaction that finalizes the upload, which rolls back if it throws. `result` is the upload's response. */
export type OnFinalized = (ctx: TransactionCtx, upload: FinalizedUpload, result: UploadResult) => Promise<void>;

/** An upload whose bytes are durable but which is not finalized. */
export interface StagedStream extends InspectedBytes, FileDigests {
  readonly input: StreamInput;
  readonly upload: CreatedUpload;
  readonly sizeBytes: number;
}

/**
 * Receives a file of any size in constant memory. The file is durable when the call resolves. If the call throws, even because the client
 * disconnected, the upload is aborted.
 */
export async function uploadStream(
  ctx: Ctx,
  call: Pick<RequestContext, "actor" | "saveResponse">,
  input: StreamInput,
): Promise<UploadResult> {
  const staged = await stageStream(ctx, call.actor, input);
  const work = (ctx: TransactionCtx): Promise<UploadResult> => finalizeStream(ctx, call.actor, staged, input.publish);
  const result = await abortOnError(ctx, staged.upload, () => commitWithoutCredentialCheck(ctx, call, work, staged.sha256));
  ctx.wakeJobs();
  return result;
}

/** `POST /files/upload`: uploads a file of up to 4 MB from a form. */
export const uploadFile: Operation<"uploadFile"> = async (ctx, call, { file, ...publish }) => {
  const { actor, ...uploader } = await resolveUploader(ctx, call, publish);
  const body = toStream(file.bytes);
  const input = { name: file.name, type: file.type, sizeBytes: file.bytes.length, body };
  return await uploadStream(ctx, { ...call, actor }, { ...input, ...uploader });
};

/** Yields a body that is in memory. */
export async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** Creates an upload and stores its bytes. The caller then calls `finalizeStream` or `abortUpload`. If it throws, the upload is aborted. */
export async function stageStream(ctx: Ctx, actor: Actor, input: StreamInput): Promise<StagedStream> {
  const upload = await createUpload(ctx, actor, { ...input, ids: { shortId: input.shortId } });
  const isEncryptedOnly = input.submission?.isEncrypted;
  return await abortOnError(ctx, upload, async () => {
    const measured = measureBody(input.body, {
      declaredBytes: input.sizeBytes,
      allowedBytes: upload.reservedBytes,
      onGrowth: growReservation(ctx, actor, upload),
      onHead: (head) => checkAccepted(ctx, head, { isEncryptedOnly }),
    });
    await ctx.blobs.writeAll(upload.staged, measured.body);
    const { head, ...stored } = measured.result();
    const inspected = await inspectBytes(ctx, head, { declared: input.type, name: upload.name, isEncryptedOnly });
    await ctx.blobs.commit(upload.staged);
    return { input, upload, ...stored, ...inspected };
  });
}

/**
 * Publishes a staged stream as a file with `publish`. Uploads that one transaction publishes share `folders`. Throws as `resolvePublishSettings` and
 * `finalizeUpload` do.
 */
export async function finalizeStream(
  ctx: TransactionCtx,
  actor: Actor,
  { input, upload, ...stored }: StagedStream,
  publish: PublishInput,
  folders?: FolderTree,
): Promise<UploadResult> {
  const limits = ctx.config.tiers[actor.tier];
  const acceptedExpiresAt = input.publish.expiresAt;
  const settings = resolvePublishSettings(publish, { actor, limits, nowMs: ctx.now(), acceptedExpiresAt });
  const finalized = await finalizeUpload(ctx, actor, { ...upload, ...stored, tokens: input.tokens }, settings, folders);
  const result = toUploadResult(ctx, finalized);
  await input.onFinalized?.(ctx, finalized, result);
  await deleteSession(ctx.db, upload.sessionId);
  return result;
}

/** Releases the reserved storage that a staged stream of undeclared size does not need. */
export async function releaseUnusedReservation(ctx: Ctx, { upload, sizeBytes }: StagedStream): Promise<void> {
  await ctx.transaction(async (ctx) => {
    const session = await ctx.db
      .selectFrom("upload_sessions")
      .select(["quota_owner", "reserved_bytes", "submission_id"])
      .where("id", "=", upload.sessionId)
      .executeTakeFirst();
    if (!session || session.reserved_bytes <= sizeBytes) return;
    await ctx.db.updateTable("upload_sessions").set({ reserved_bytes: sizeBytes }).where("id", "=", upload.sessionId).execute();
    const unusedBytes = session.reserved_bytes - sizeBytes;
    await cancelReservation(ctx.db, { owner: session.quota_owner, bytes: unusedBytes, files: 0 });
    if (session.submission_id !== null) await changeReceived(ctx.db, session.submission_id, { files: 0, bytes: -unusedBytes });
  });
}

/** Returns the digest of a streamed upload, by which a repeated request is recognized. */
export const digestStream = ({ name, publish }: Pick<StreamInput, "name"> & { readonly publish: SentPublish }, sha256: string): string =>
  digestInput({ name, publish, sha256 });

interface MeasuredBody {
  /** The source's bytes, which the caller must read once, to the end. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Returns the digests and the size. Must be called once, after `body` has ended; `head` has the first bytes, at most SNIFF_BYTES. */
  result(): FileDigests & { readonly sizeBytes: number; readonly head: Uint8Array };
}

interface MeasureOptions {
  /** The expected size in bytes. A body of another size is SIZE_MISMATCH. */
  readonly declaredBytes: number | undefined;
  /** The size up to which `onGrowth` is not called. */
  readonly allowedBytes: number;
  /** Receives the size before a byte beyond the allowed size is passed on. Resolves to the new allowed size, or throws. */
  readonly onGrowth: (sizeBytes: number) => Promise<number>;
  /** Receives the first bytes, unless the body is shorter. An error ends the upload. */
  readonly onHead: (head: Uint8Array) => void;
}

/** Hashes and measures a body while it is read. */
function measureBody(source: AsyncIterable<Uint8Array>, options: MeasureOptions): MeasuredBody {
  const { declaredBytes, onGrowth, onHead } = options;
  const digests = createFileDigests();
  const head = new Uint8Array(SNIFF_BYTES);
  let sizeBytes = 0;
  let allowedBytes = options.allowedBytes;

  async function* measure(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      const isInHead = sizeBytes < SNIFF_BYTES;
      if (isInHead) head.set(chunk.subarray(0, SNIFF_BYTES - sizeBytes), sizeBytes);
      sizeBytes += chunk.length;
      if (isInHead && sizeBytes >= SNIFF_BYTES) onHead(head);
      if (declaredBytes !== undefined && sizeBytes > declaredBytes) throw sizeMismatch(declaredBytes, sizeBytes);
      if (sizeBytes > allowedBytes) allowedBytes = await onGrowth(sizeBytes);
      digests.update(chunk);
      yield chunk;
    }
    if (declaredBytes !== undefined && sizeBytes !== declaredBytes) throw sizeMismatch(declaredBytes, sizeBytes);
  }

  return {
    body: measure(),
    result: () => ({ sizeBytes, ...digests.digest(), head: head.subarray(0, Math.min(sizeBytes, SNIFF_BYTES)) }),
  };
}

const sizeMismatch = (declaredBytes: number, sizeBytes: number): AppError =>
  new AppError("SIZE_MISMATCH", `The upload declared ${declaredBytes} bytes, but ${sizeBytes} arrived. Send it again.`);

/**
 * Returns a function that reserves more storage for an upload of undeclared size. Each call doubles the reservation, by at least 16 MB and at most
 * 256 MB.
 */
function growReservation(ctx: Ctx, actor: Actor, upload: CreatedUpload): (sizeBytes: number) => Promise<number> {
  const tier = ctx.config.tiers[actor.tier];
  const { submission } = upload;
  let reservedBytes = upload.reservedBytes;
  return async (sizeBytes) => {
    const stepBytes = Math.min(Math.max(reservedBytes, UNKNOWN_SIZE_STEP_BYTES), 16 * UNKNOWN_SIZE_STEP_BYTES);
    return await ctx.transaction(async (ctx) => {
      const limits = submission ? await limitToRequest(ctx, submission, { limits: tier, ownBytes: reservedBytes, sizeBytes }) : tier;
      if (sizeBytes > limits.fileBytes) throw fileTooLarge(limits, actor.tier);
      const targetBytes = Math.min(Math.max(reservedBytes + stepBytes, sizeBytes), limits.fileBytes);
      const more = { wantedBytes: targetBytes - reservedBytes, minBytes: sizeBytes - reservedBytes, files: 0 };
      const reserveMore = (): Promise<number> => reserveUpTo(ctx.db, actor, limits, more);
      const addedBytes = await (submission ? reserveForOwner(reserveMore) : reserveMore());
      const grown = await ctx.db
        .updateTable("upload_sessions")
        .set((update) => ({ reserved_bytes: update("reserved_bytes", "+", addedBytes), last_byte_at: ctx.now() }))
        .where("id", "=", upload.sessionId)
        .executeTakeFirst();
      // Another process has aborted the upload, so nobody would release the new reservation.
      if (grown.numUpdatedRows === 0n) throw uploadAborted();
      if (submission) await changeReceived(ctx.db, submission.submissionId, { files: 0, bytes: addedBytes });
      reservedBytes += addedBytes;
      return reservedBytes;
    });
  };
}
