import { hashToken } from "../../auth/secrets.ts";
import type { StagedBlob } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { UploadSessionRow } from "../../db/tables/uploads.ts";
import { findSession } from "../../db/upload-sessions.ts";
import { type Actor, ownerId } from "../../domain/actor.ts";
import { DAY_MS, HOUR_MS } from "../../domain/ttl.ts";
import { AppError } from "../../errors.ts";
import { listLiving } from "../../instance.ts";
import { readPlan } from "../shares/planned-share.ts";

/** A session goes when it is this old, or has not had a byte for its idle time (decisions, "Uploads"). */
export const SESSION_AGE_MS = 7 * DAY_MS;
export const SESSION_IDLE_MS = { keyed: DAY_MS, anonymous: 6 * HOUR_MS } as const;

export interface OwnedSession {
  readonly session: UploadSessionRow & { readonly size_bytes: number; readonly part_size: number; readonly total_parts: number };
  readonly file: FileRow;
}

/**
 * The session that a secret `uploadId` names, where `actor` may go on with it: for a keyed upload, that owner alone.
 * Throws NOT_FOUND otherwise, whatever the reason.
 */
export async function getSession(db: Db, actor: Actor, { uploadId, key }: { uploadId: string; key?: string }): Promise<OwnedSession> {
  const session = await findSession(db, hashToken(uploadId));
  const file = session && (await db.selectFrom("files").selectAll().where("id", "=", session.file_id).executeTakeFirst());
  if (!session || !file || session.size_bytes === null || session.part_size === null || session.total_parts === null) throw unknownUpload();
  if (file.owner_id !== null && file.owner_id !== ownerId(actor)) throw unknownUpload();
  if (key !== undefined && key !== session.key) throw unknownUpload();
  const { size_bytes, part_size, total_parts } = session;
  return { session: { ...session, size_bytes, part_size, total_parts }, file };
}

export const unknownUpload = (): AppError =>
  new AppError("NOT_FOUND", "There is no such upload. It may have been aborted or completed long ago: begin a new one.");

/** Throws UPLOAD_CLOSED where no more parts may come. */
export function checkOpen(ctx: Ctx, session: UploadSessionRow): void {
  if (session.state !== "open") throw uploadCompleted();
  checkStillHere(ctx, session);
}

/** Throws UPLOAD_CLOSED for an upload that is not complete, and whose bytes are in a store that this server has left. */
export function checkStillHere(ctx: Ctx, session: UploadSessionRow): void {
  if (session.state === "completed" || !isLeftBehind(ctx, session)) return;
  throw new AppError(
    "UPLOAD_CLOSED",
    "The server keeps its files elsewhere since this upload began, and what had arrived stayed behind. Please begin a new upload.",
  );
}

/** Whether an upload's bytes are in a store that this server has left. One that has just begun may not have been staged yet. */
function isLeftBehind(ctx: Pick<Ctx, "blobs" | "startedAtMs">, session: UploadSessionRow): boolean {
  return session.created_at < ctx.startedAtMs && !ctx.blobs.isOwn(stagedBlob(session));
}

export const uploadCompleted = (): AppError =>
  new AppError("UPLOAD_CLOSED", "This upload has been completed; it takes no other parts than it has.");

/** Whether nobody can go on with an upload that is open: the process that received it, or made it a place, has died. */
export async function isDead(ctx: Ctx, session: UploadSessionRow): Promise<boolean> {
  if (session.kind === "multipart" && session.holder === null) return isLeftBehind(ctx, session);
  return session.holder === null || !(await listLiving(ctx.db, ctx.now())).has(session.holder);
}

export const stagedBlob = (session: UploadSessionRow): StagedBlob => ({ key: session.blob_key, ref: session.staged_ref ?? "" });

/** First byte and size of a part; undefined where the upload has no such part. */
export function partSpan(session: OwnedSession["session"], partNumber: number): { offset: number; sizeBytes: number } | undefined {
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > session.total_parts) return undefined;
  const offset = (partNumber - 1) * session.part_size;
  return { offset, sizeBytes: Math.min(session.part_size, session.size_bytes - offset) };
}

/** The session as clients see it. The link of an upload that will join a shipment is the shipment's. */
export function toSessionFields(ctx: Pick<Ctx, "addresses">, uploadId: string, { session, file }: OwnedSession) {
  const joins = session.state === "completed" ? undefined : readPlan(session.publish).shareShortId;
  const shortId = joins ?? file.short_id;
  return {
    uploadId,
    key: session.key,
    chunkSize: session.part_size,
    totalParts: session.total_parts,
    fileId: file.id,
    shortId,
    shareUrl: `${ctx.addresses.siteUrl}/d/${shortId}`,
    expiresAt: new Date(session.created_at + SESSION_AGE_MS).toISOString(),
  };
}
