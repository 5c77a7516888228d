import type { StagedBlob } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { UploadSessionRow } from "../../db/tables/uploads.ts";
import { AppError, notFound } from "../../errors.ts";
import { listLiveInstances } from "../../jobs/instances.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { DAY_MS, HOUR_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { toLinks } from "../shares/aliases.ts";
import { parsePendingSettings } from "../shares/pending-settings.ts";
import { findSession } from "./queries.ts";

/** The age at which an open session expires. It also expires after its idle time without a byte (uploads, "Ends of a session"). */
export const SESSION_AGE_MS = 7 * DAY_MS;
export const SESSION_IDLE_MS = { keyed: DAY_MS, anonymous: 6 * HOUR_MS } as const;

/** The row of a multipart upload's session. */
export type MultipartSession = UploadSessionRow & {
  readonly size_bytes: number;
  readonly part_size_bytes: number;
  readonly total_parts: number;
};

export interface OwnedSession {
  readonly session: MultipartSession;
  readonly file: FileRow;
}

/**
 * Gets the session of a secret `uploadId`. Only the account of the key can continue an upload that was started with a key; anybody with the ID can
 * continue an upload to a request. Throws NOT_FOUND in all other cases.
 */
export async function getSession(db: Db, actor: Actor, { uploadId, key }: { uploadId: string; key?: string }): Promise<OwnedSession> {
  const session = await findSession(db, hashToken(uploadId));
  const file = session && (await db.selectFrom("files").selectAll().where("id", "=", session.file_id).executeTakeFirst());
  if (!file || !isMultipart(session)) throw uploadNotFound();
  if (session.uploader_id !== null && session.submission_id === null && session.uploader_id !== ownerId(actor)) throw uploadNotFound();
  if (key !== undefined && key !== session.session_key) throw uploadNotFound();
  return { session, file };
}

/** Returns whether a session belongs to a multipart upload, because direct uploads have no parts. */
export const isMultipart = <Row extends UploadSessionRow>(session: Row | undefined): session is Row & MultipartSession =>
  session !== undefined && session.size_bytes !== null && session.part_size_bytes !== null && session.total_parts !== null;

export const uploadNotFound = (): AppError => notFound("upload", "It may have been aborted or completed long ago: start a new one.");

/** Throws UPLOAD_CLOSED if the upload accepts no more parts. */
export function checkSessionOpen(ctx: Pick<Ctx, "blobs" | "startedAtMs">, session: UploadSessionRow): void {
  if (session.state !== "open") throw uploadCompleted();
  checkStoreUnchanged(ctx, session);
}

/** Throws UPLOAD_CLOSED if the bytes of an unfinished upload are in a store that the server no longer uses. */
export function checkStoreUnchanged(ctx: Pick<Ctx, "blobs" | "startedAtMs">, session: UploadSessionRow): void {
  if (session.state === "completed" || !isInFormerStore(ctx, session)) return;
  throw new AppError("UPLOAD_CLOSED", "The server's storage was changed, so this upload cannot continue. Start a new upload.");
}

/** Returns whether the bytes are in a former store. A session that this process created may not have been staged, so it never is. */
function isInFormerStore(ctx: Pick<Ctx, "blobs" | "startedAtMs">, session: UploadSessionRow): boolean {
  return session.created_at < ctx.startedAtMs && !ctx.blobs.isOwn(toStagedBlob(session));
}

export const uploadCompleted = (): AppError =>
  new AppError("UPLOAD_CLOSED", "This upload has been completed with other parts. Start a new upload.");

/** Returns whether an open upload cannot continue, because the server instance that received or staged it has stopped. */
export async function isInterrupted(ctx: Ctx, session: UploadSessionRow): Promise<boolean> {
  if (session.kind === "multipart" && session.lease_holder === null) return isInFormerStore(ctx, session);
  return session.lease_holder === null || !(await listLiveInstances(ctx)).has(session.lease_holder);
}

export const toStagedBlob = (session: UploadSessionRow): StagedBlob => ({ key: session.blob_key, ref: session.staged_ref ?? "" });

/** Finds the offset of a part's first byte and its size; undefined if the upload has no such part. */
export function findPartSpan(session: MultipartSession, partNumber: number): { offset: number; sizeBytes: number } | undefined {
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > session.total_parts) return undefined;
  const offset = (partNumber - 1) * session.part_size_bytes;
  return { offset, sizeBytes: Math.min(session.part_size_bytes, session.size_bytes - offset) };
}

/** Returns the session as in the contract. An upload that will join a shipment has the link of the shipment. */
export async function toSessionFields(ctx: Pick<Ctx, "db" | "urls">, uploadId: string, { session, file }: OwnedSession) {
  const shipmentId = session.state === "completed" ? undefined : parsePendingSettings(session.publish_fields).shareShortId;
  const shortId = shipmentId ?? file.short_id;
  const share = await ctx.db.selectFrom("shares").select(["short_id", "alias"]).where("short_id", "=", shortId).executeTakeFirst();
  return {
    uploadId,
    key: session.session_key,
    chunkSize: session.part_size_bytes,
    totalParts: session.total_parts,
    fileId: file.id,
    shortId,
    shareUrl: toLinks(ctx, share ?? { short_id: shortId, alias: null }).shareUrl,
    expiresAt: toIso(session.created_at + SESSION_AGE_MS),
  };
}
