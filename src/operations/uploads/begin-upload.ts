import { hashToken } from "../../auth/secrets.ts";
import type { StagedBlob } from "../../blobs/store.ts";
import type { Ctx, TxCtx } from "../../context.ts";
import type { PublishInput } from "../../contract/publish.ts";
import { findShare } from "../../db/shares.ts";
import { countOpenSessions, insertSession } from "../../db/upload-sessions.ts";
import { type Actor, ownerId } from "../../domain/actor.ts";
import { newBlobKey, newFileId, newSecret, newSessionKey, newShortId } from "../../domain/alphabet.ts";
import { toFileName } from "../../domain/filename.ts";
import { type PublishSettings, resolvePublish } from "../../domain/publish.ts";
import type { TierLimits } from "../../domain/tiers.ts";
import { AppError } from "../../errors.ts";
import { checkFolder } from "../folders/own-folder.ts";
import { checkJoinable, getShipment } from "../shares/shipment.ts";
import { abandonUpload } from "./abandon-upload.ts";
import { checkFileSize, MAX_OPEN_UPLOADS, reserveStorage, reserveUpTo } from "./limits.ts";
import { memoryGroups, spaceGroups } from "./space-groups.ts";

/** What is set aside for an upload that does not say its size, until it has grown past it. */
export const UNKNOWN_SIZE_STEP_BYTES = 16 * 1024 ** 2;

export interface UploadStart {
  readonly name: string;
  /** Undefined where the sender does not say. */
  readonly sizeBytes: number | undefined;
  readonly type: string | null | undefined;
  readonly publish: PublishInput;
  readonly expectedSha256?: string | null;
  /** Runs in the transaction that begins the upload. */
  readonly onBegun?: (ctx: TxCtx, begun: BegunUpload) => Promise<void>;
  /** Of an upload in parts: runs in the transaction from which on it can be gone on with. */
  readonly onStaged?: (ctx: TxCtx, begun: BegunUpload) => Promise<void>;
  /** Names that were handed out before the upload began; made here otherwise. */
  readonly names?: { readonly uploadId?: string; readonly key?: string; readonly shortId?: string };
  /** Set for an upload in parts. */
  readonly parts?: {
    readonly sizeBytes: number;
    readonly total: number /** Its sender asks for addresses. */;
    readonly openToSenders?: boolean;
  };
}

export interface BegunUpload {
  /** The session's id in the database: the hash of `uploadId`. */
  readonly sessionId: string;
  /** Secret: whoever has it may go on with the upload. */
  readonly uploadId: string;
  readonly key: string;
  readonly fileId: string;
  readonly shortId: string;
  readonly name: string;
  readonly staged: StagedBlob;
  readonly quotaOwner: string;
  readonly reservedBytes: number;
}

/**
 * Checks the sender's rights and limits, sets the storage aside and writes the rows of share, file and session before a byte arrives
 * (decisions, "Storage"). Whoever calls it ends it with `finishUpload` or `abandonUpload`.
 */
export async function beginUpload(ctx: Ctx, actor: Actor, start: UploadStart): Promise<BegunUpload> {
  const limits = ctx.config.tiers[actor.tier];
  if (actor.kind === "anonymous" && !ctx.config.anonymousUploads) {
    throw new AppError("UNAUTHENTICATED", "This server takes uploads with an API key only. Send one as `Authorization: Bearer <key>`.");
  }
  const publish = resolvePublish(start.publish, { actor, limits, nowMs: ctx.now() });
  if (start.sizeBytes !== undefined) checkFileSize(start.sizeBytes, limits, actor.tier);
  const uploadId = start.names?.uploadId ?? newSecret(ctx.random, "");
  const named = {
    sessionId: hashToken(uploadId),
    uploadId,
    key: start.names?.key ?? newSessionKey(ctx.random),
    fileId: newFileId(ctx.random),
    shortId: start.names?.shortId ?? newShortId(ctx.random),
    name: toFileName(start.name),
    staged: { key: newBlobKey(ctx.random), ref: "" },
    quotaOwner: actor.quotaOwner,
  };
  const begun = await ctx.tx(async (ctx) => {
    await checkOpenUploads(ctx, actor, start);
    const begun = { ...named, reservedBytes: await reserve(ctx, actor, limits, start.sizeBytes) };
    await insertRows(ctx, { actor, start, publish, begun });
    await start.onBegun?.(ctx, begun);
    return begun;
  });
  return { ...begun, staged: await stage(ctx, begun, start) };
}

async function reserve(ctx: TxCtx, actor: Actor, limits: TierLimits, sizeBytes: number | undefined): Promise<number> {
  if (sizeBytes === undefined) {
    const wantedBytes = Math.min(UNKNOWN_SIZE_STEP_BYTES, limits.fileBytes);
    return await reserveUpTo(ctx.db, actor, limits, { wantedBytes, leastBytes: 0, files: 1 });
  }
  await reserveStorage(ctx.db, actor, limits, { bytes: sizeBytes, files: 1 });
  return sizeBytes;
}

async function checkOpenUploads(ctx: TxCtx, actor: Actor, start: UploadStart): Promise<void> {
  if (!start.parts || (await countOpenSessions(ctx.db, actor.quotaOwner)) < MAX_OPEN_UPLOADS) return;
  throw new AppError("TOO_MANY_UPLOADS", `There are ${MAX_OPEN_UPLOADS} unfinished uploads already. Complete or abort one first.`, {
    headers: { "Retry-After": "60" },
  });
}

interface NewRows {
  readonly actor: Actor;
  readonly start: UploadStart;
  readonly publish: PublishSettings;
  readonly begun: BegunUpload;
}

async function insertRows(ctx: TxCtx, { actor, start, publish, begun }: NewRows): Promise<void> {
  const nowMs = ctx.now();
  if (publish.folderId) await checkFolder(ctx, publish.folderId, ownerId(actor));
  if (typeof publish.shipment === "object") {
    const check = start.parts?.openToSenders ? checkJoinable : getShipment;
    await check(ctx, actor, publish.shipment.shortId);
  }
  if (start.names?.shortId !== undefined && (await findShare(ctx.db, start.names.shortId))) throw inProgress();
  await ctx.db
    .insertInto("shares")
    .values({ short_id: begun.shortId, kind: "file", owner_id: ownerId(actor), name: begun.name, created_at: nowMs })
    .execute();
  await ctx.db
    .insertInto("files")
    .values({
      id: begun.fileId,
      short_id: begun.shortId,
      owner_id: ownerId(actor),
      quota_owner: begun.quotaOwner,
      name: begun.name,
      size_bytes: start.sizeBytes ?? 0,
      content_type: start.type?.slice(0, 200) || "application/octet-stream",
      expected_sha256: start.expectedSha256 ?? null,
      blob_key: begun.staged.key,
      blob_state: "uploading",
      scan_status: "pending",
      created_at: nowMs,
    })
    .execute();
  await insertSession(ctx.db, {
    id: begun.sessionId,
    key: begun.key,
    kind: start.parts ? "multipart" : "stream",
    state: "open",
    file_id: begun.fileId,
    quota_owner: begun.quotaOwner,
    reserved_bytes: begun.reservedBytes,
    size_bytes: start.sizeBytes ?? null,
    part_size: start.parts?.sizeBytes ?? null,
    total_parts: start.parts?.total ?? null,
    blob_key: begun.staged.key,
    publish: JSON.stringify(start.publish),
    // An upload in parts is nobody's once there is a place for its bytes; until then it goes with its process.
    holder: ctx.instanceId,
    last_byte_at: nowMs,
    created_at: nowMs,
  });
}

const inProgress = (): AppError =>
  new AppError(
    "UPLOAD_IN_PROGRESS",
    "The bytes of this upload are on their way already. Wait for that transfer to end, or ask again in a moment.",
    {
      headers: { "Retry-After": "2" },
    },
  );

async function stage(ctx: Ctx, begun: BegunUpload, start: UploadStart): Promise<StagedBlob> {
  try {
    const staged = await ctx.blobs.stage(begun.staged.key, start.sizeBytes, {
      whole: start.parts === undefined,
      openToSenders: start.parts?.openToSenders === true,
      groups: spaceGroups(begun.quotaOwner),
      memoryGroups: memoryGroups(begun.quotaOwner),
    });
    if (start.parts) await ctx.tx((ctx) => open(ctx, { ...begun, staged }, start));
    return staged;
  } catch (error) {
    await abandonUpload(ctx, begun);
    throw error;
  }
}

async function open(ctx: TxCtx, begun: BegunUpload, { onStaged }: UploadStart): Promise<void> {
  await ctx.db
    .updateTable("upload_sessions")
    .set({ staged_ref: begun.staged.ref || null, holder: null })
    .where("id", "=", begun.sessionId)
    .execute();
  await onStaged?.(ctx, begun);
}
