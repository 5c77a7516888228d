import type { Call, Ctx, TxCtx } from "../../context.ts";
import type { UploadResult } from "../../contract/files.ts";
import type { PublishInput } from "../../contract/publish.ts";
import { cancelReservation } from "../../db/quotas.ts";
import { type Actor, ownerId } from "../../domain/actor.ts";
import { resolvePublish } from "../../domain/publish.ts";
import { checkFolder } from "../folders/own-folder.ts";
import { digestInput } from "../idempotency.ts";
import { abandonUpload } from "./abandon-upload.ts";
import { type BegunUpload, beginUpload, UNKNOWN_SIZE_STEP_BYTES, type UploadStart } from "./begin-upload.ts";
import { detectContentType } from "./content-type.ts";
import { type FinishedUpload, finishUpload } from "./finish-upload.ts";
import { fileTooLarge, reserveUpTo } from "./limits.ts";
import { measureBody } from "./measured-body.ts";
import { toUploadResult } from "./upload-result.ts";

export interface SentStream {
  readonly name: string;
  readonly type: string | null | undefined;
  /** Undefined where the sender does not say. */
  readonly sizeBytes: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  readonly publish: PublishInput;
  /** The share's short id, where it was handed out before. */
  readonly shortId?: string;
  /** Run in the transactions that begin the upload, and that make the file. */
  readonly onBegun?: UploadStart["onBegun"];
  readonly onFinished?: (ctx: TxCtx, finished: FinishedUpload) => Promise<void>;
}

/** A stream whose bytes are durable and in their place, and which no share has yet. */
export interface StagedStream {
  readonly sent: SentStream;
  readonly begun: BegunUpload;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly contentType: string;
}

/**
 * Takes a file of any size as one stream, hashed on its way, in constant memory; durable when it resolves.
 * Whatever fails, also the sender's going away, leaves nothing behind.
 */
export async function receiveStream(
  ctx: Ctx,
  { actor, remember }: Pick<Call, "actor" | "remember">,
  sent: SentStream,
): Promise<UploadResult> {
  const staged = await stageStream(ctx, actor, sent);
  const { publish } = sent;
  const keep = async (ctx: TxCtx, data: UploadResult): Promise<void> =>
    await remember?.(ctx, { success: true, data }, digestStream(sent, staged.sha256));
  try {
    const result = await ctx.tx(async (ctx) => {
      const result = await finishStream(ctx, actor, staged, publish);
      await keep(ctx, result);
      return result;
    });
    ctx.wakeJobs();
    return result;
  } catch (error) {
    await abandonUpload(ctx, staged.begun);
    throw error;
  }
}

/** Takes a stream's bytes. Whoever calls it ends it with `finishStream` or `abandonUpload`; where it throws, nothing is left. */
export async function stageStream(ctx: Ctx, actor: Actor, sent: SentStream): Promise<StagedStream> {
  const begun = await beginUpload(ctx, actor, { ...sent, names: { shortId: sent.shortId } });
  try {
    const measured = measureBody(sent.body, {
      declaredBytes: sent.sizeBytes,
      allowedBytes: begun.reservedBytes,
      onGrowth: growReservation(ctx, actor, begun),
    });
    await ctx.blobs.writeAll(begun.staged, measured.body);
    const { sizeBytes, sha256, head } = measured.result();
    const contentType = await detectContentType(head, { sent: sent.type, name: begun.name });
    await ctx.blobs.commit(begun.staged);
    return { sent, begun, sizeBytes, sha256, contentType };
  } catch (error) {
    await abandonUpload(ctx, begun);
    throw error;
  }
}

/** Gives back what a stream that did not say its size had set aside and did not need, for those that wait with it for their commit. */
export async function giveBackUnused(ctx: Ctx, { begun, sizeBytes }: StagedStream): Promise<void> {
  await ctx.tx(async (ctx) => {
    const session = await ctx.db
      .selectFrom("upload_sessions")
      .select(["quota_owner", "reserved_bytes"])
      .where("id", "=", begun.sessionId)
      .executeTakeFirst();
    if (!session || session.reserved_bytes <= sizeBytes) return;
    await ctx.db.updateTable("upload_sessions").set({ reserved_bytes: sizeBytes }).where("id", "=", begun.sessionId).execute();
    await cancelReservation(ctx.db, { owner: session.quota_owner, bytes: session.reserved_bytes - sizeBytes, files: 0 });
  });
}

/** Makes a staged stream a file, published as `publish` says, in the caller's transaction. Throws as `resolvePublish` and `finishUpload` do. */
export async function finishStream(
  ctx: TxCtx,
  actor: Actor,
  { sent, begun, sizeBytes, sha256, contentType }: StagedStream,
  publish: PublishInput,
): Promise<UploadResult> {
  const limits = ctx.config.tiers[actor.tier];
  const settings = resolvePublish(publish, { actor, limits, nowMs: ctx.now(), acceptedExpiresAt: sent.publish.expiresAt });
  if (settings.folderId) await checkFolder(ctx, settings.folderId, ownerId(actor));
  const finished = await finishUpload(ctx, actor, { ...begun, sizeBytes, sha256, contentType }, settings);
  await sent.onFinished?.(ctx, finished);
  await ctx.db.deleteFrom("upload_sessions").where("id", "=", begun.sessionId).execute();
  return toUploadResult(ctx, finished);
}

/** What tells one streamed upload from another, for whoever sends it again. */
export const digestStream = ({ name, publish }: Pick<SentStream, "name" | "publish">, sha256: string): string =>
  digestInput({ name, publish, sha256 });

/** Sets more storage aside for an upload that did not say its size, twice as much each time up to 256 MB. */
function growReservation(ctx: Ctx, actor: Actor, begun: BegunUpload): (sizeBytes: number) => Promise<number> {
  const limits = ctx.config.tiers[actor.tier];
  let reservedBytes = begun.reservedBytes;
  return async (sizeBytes) => {
    if (sizeBytes > limits.fileBytes) throw fileTooLarge(limits, actor.tier);
    const stepBytes = Math.min(Math.max(reservedBytes, UNKNOWN_SIZE_STEP_BYTES), 16 * UNKNOWN_SIZE_STEP_BYTES);
    const wanted = Math.min(Math.max(reservedBytes + stepBytes, sizeBytes), limits.fileBytes);
    return await ctx.tx(async (ctx) => {
      const more = await reserveUpTo(ctx.db, actor, limits, {
        wantedBytes: wanted - reservedBytes,
        leastBytes: sizeBytes - reservedBytes,
        files: 0,
      });
      await ctx.db
        .updateTable("upload_sessions")
        .set((update) => ({ reserved_bytes: update("reserved_bytes", "+", more), last_byte_at: ctx.now() }))
        .where("id", "=", begun.sessionId)
        .execute();
      reservedBytes += more;
      return reservedBytes;
    });
  };
}
