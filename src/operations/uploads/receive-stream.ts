import type { Call, Ctx, TxCtx } from "../../context.ts";
import type { UploadResult } from "../../contract/files.ts";
import type { PublishInput } from "../../contract/publish.ts";
import { ownerId } from "../../domain/actor.ts";
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
  /** Asked at the end, where fields may come after the bytes. */
  readonly lastPublish?: () => PublishInput;
  /** Run in the transactions that begin the upload, and that make the file. */
  readonly onBegun?: UploadStart["onBegun"];
  readonly onFinished?: (ctx: TxCtx, finished: FinishedUpload) => Promise<void>;
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
  const limits = ctx.config.tiers[actor.tier];
  const begun = await beginUpload(ctx, actor, { ...sent, names: { shortId: sent.shortId } });
  try {
    const measured = measureBody(sent.body, {
      declaredBytes: sent.sizeBytes,
      allowedBytes: begun.reservedBytes,
      onGrowth: growReservation(ctx, actor, begun),
    });
    await ctx.blobs.writeAll(begun.staged, measured.body);
    const last = sent.lastPublish?.() ?? sent.publish;
    const { sizeBytes, sha256, head } = measured.result();
    const contentType = await detectContentType(head, { sent: sent.type, name: begun.name });
    await ctx.blobs.commit(begun.staged);
    const result = await ctx.tx(async (ctx) => {
      const publish = resolvePublish(last, { actor, limits, nowMs: ctx.now(), acceptedExpiresAt: sent.publish.expiresAt });
      if (publish.folderId) await checkFolder(ctx, publish.folderId, ownerId(actor));
      const finished = await finishUpload(ctx, actor, { ...begun, sizeBytes, sha256, contentType }, publish);
      await sent.onFinished?.(ctx, finished);
      await ctx.db.deleteFrom("upload_sessions").where("id", "=", begun.sessionId).execute();
      const result = toUploadResult(ctx, finished);
      await remember?.(ctx, { success: true, data: result }, digestStream(sent, sha256));
      return result;
    });
    ctx.wakeJobs();
    return result;
  } catch (error) {
    await abandonUpload(ctx, begun);
    throw error;
  }
}

/** What tells one streamed upload from another, for whoever sends it again. */
export const digestStream = ({ name, publish, lastPublish }: SentStream, sha256: string): string =>
  digestInput({ name, publish: lastPublish?.() ?? publish, sha256 });

/** Sets more storage aside for an upload that did not say its size, twice as much each time up to 256 MB. */
function growReservation(ctx: Ctx, actor: Call["actor"], begun: BegunUpload): (sizeBytes: number) => Promise<number> {
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
