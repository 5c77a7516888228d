import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { UploadDelegationRow } from "../../db/tables/uploads.ts";
import { AppError, notFound } from "../../errors.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import type { Actor } from "../accounts/actor.ts";
import { findEnded, getOwnerActor } from "../accounts/user-actor.ts";
import { type UploadResult, uploadResult } from "../files/contract.ts";
import { type PublishInput, publishInput } from "../shares/contract.ts";
import { replaceLineage } from "../shares/lineage.ts";
import { FIELDS_MADE_UNLISTED, WANTS_PUBLIC_SHARE } from "../shares/pending-settings.ts";
import { abortInterruptedUpload } from "./abort-upload.ts";
import type { CreatedUpload } from "./create-upload.ts";
import { uploadStream } from "./upload-stream.ts";

export interface Delegation {
  readonly row: UploadDelegationRow;
  /** The owner, with their current rights. */
  readonly actor: Actor;
  readonly publish: PublishInput;
}

/** Gets the delegation of a token. Throws NOT_FOUND if it is unknown or expired, or if the key or application that created it has ended. */
export async function getDelegation(ctx: Ctx, token: string): Promise<Delegation> {
  const row = await ctx.db.selectFrom("upload_delegations").selectAll().where("token_hash", "=", hashToken(token)).executeTakeFirst();
  if (!row || ctx.now() >= row.expires_at) throw delegationNotFound();
  if ((await findEnded(ctx.db, row)) !== undefined) throw delegationNotFound();
  return { row, actor: await getOwnerActor(ctx, row), publish: publishInput.parse(JSON.parse(row.publish_fields)) };
}

/** Makes the delegations of an account unlisted if their uploads would be public. */
export async function unlistDelegations(db: Db, ownerId: string): Promise<void> {
  await db
    .updateTable("upload_delegations")
    .set({ publish_fields: FIELDS_MADE_UNLISTED })
    .where("owner_id", "=", ownerId)
    .where(WANTS_PUBLIC_SHARE)
    .execute();
}

/** Deletes the delegations of an account, used or not. */
export async function deleteDelegations(db: Db, ownerId: string): Promise<void> {
  await db.deleteFrom("upload_delegations").where("owner_id", "=", ownerId).execute();
}

/** Deletes the delegations that expired at or before `expiredByMs`. */
export async function deleteOldDelegations(db: Db, expiredByMs: number): Promise<void> {
  await db.deleteFrom("upload_delegations").where("expires_at", "<=", expiredByMs).execute();
}

/** Reads the result of the delegated upload; undefined if nothing has been uploaded. */
export function readDelegationResult(ctx: Pick<Ctx, "keyring">, row: UploadDelegationRow): UploadResult | undefined {
  return row.result === null ? undefined : uploadResult.parse(JSON.parse(ctx.keyring.decrypt(row.result)));
}

/** Throws UPLOAD_CLOSED if the delegation has been used. */
export function checkUnused(row: UploadDelegationRow): void {
  if (row.result !== null) throw delegationUsed();
}

/**
 * Marks a delegation as used, in the transaction that finalizes its file. Throws UPLOAD_CLOSED, which rolls the transaction back, if another upload
 * has used it.
 */
export async function markDelegationUsed(ctx: TransactionCtx, row: UploadDelegationRow, result: UploadResult): Promise<void> {
  const update = await ctx.db
    .updateTable("upload_delegations")
    .set({ result: ctx.keyring.encrypt(JSON.stringify(result)), file_id: result.id })
    .where("id", "=", row.id)
    .where("result", "is", null)
    .executeTakeFirst();
  if (update.numUpdatedRows !== 1n) throw delegationUsed();
}

/** Applies a delegation's options to its upload in the transaction that creates the upload. Later changes by the owner take precedence. */
export async function applyDelegationOptions(
  ctx: TransactionCtx,
  row: UploadDelegationRow,
  { fileId }: Pick<CreatedUpload, "fileId">,
): Promise<void> {
  if (row.immutable === 1) await ctx.db.updateTable("files").set({ immutable: 1 }).where("id", "=", fileId).execute();
  const upstream: string[] = JSON.parse(row.upstream_ids);
  await replaceLineage(ctx, [fileId], upstream);
  if (row.unlock_hash === null) return;
  const { unlock_hash, handoff_hash } = row;
  await ctx.db.updateTable("shares").set({ unlock_hash, handoff_hash }).where("short_id", "=", row.short_id).execute();
}

const delegationNotFound = (): AppError => notFound("delegation", "Ask its owner for a new one.", "or has expired");

const delegationUsed = (): AppError =>
  new AppError("UPLOAD_CLOSED", "This delegation has already been used. Request a new one for another file.");

/** Maximum size of the file of a delegation without a size, if the tier permits it (uploads, "Delegations"). */
const DEFAULT_MAX_BYTES = 1024 ** 3;

export interface DelegatedUploadInput {
  readonly token: string;
  readonly type: string | undefined;
  /** The size in bytes; undefined if the client did not send it. */
  readonly sizeBytes: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Uploads the file of a delegation. Throws NOT_FOUND, UPLOAD_CLOSED, QUOTA_EXCEEDED and TOO_MANY_UPLOADS, and as `uploadStream` does. */
export async function uploadDelegated(ctx: Ctx, call: RequestContext, input: DelegatedUploadInput): Promise<UploadResult> {
  const delegation = await getDelegation(ctx, input.token);
  const { row } = delegation;
  checkUnused(row);
  const maxBytes = row.size_bytes ?? DEFAULT_MAX_BYTES;
  if ((input.sizeBytes ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { quotaOwner } = delegation.actor;
  return await ctx.uploadBodyLimiter.run({ quotaOwner }, () => receiveDelegated(ctx, call, delegation, { ...input, maxBytes }));
}

async function receiveDelegated(
  ctx: Ctx,
  call: RequestContext,
  delegation: Delegation,
  { maxBytes, ...input }: DelegatedUploadInput & { readonly maxBytes: number },
): Promise<UploadResult> {
  const { row } = delegation;
  await abortInterruptedUpload(ctx, row.short_id);
  return await uploadStream(
    ctx,
    { ...call, actor: delegation.actor },
    {
      name: row.name ?? "",
      type: row.content_type ?? input.type,
      sizeBytes: input.sizeBytes,
      body: atMost(input.body, maxBytes),
      publish: delegation.publish,
      shortId: row.short_id,
      onCreated: (ctx, upload) => applyDelegationOptions(ctx, row, upload),
      onFinalized: (ctx, _upload, result) => markDelegationUsed(ctx, row, result),
    },
  );
}

async function* atMost(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

const tooLarge = (maxBytes: number): AppError =>
  new AppError("QUOTA_EXCEEDED", `This delegation accepts at most ${maxBytes} bytes. Request one that allows more.`, {
    fields: { limitKind: "FILE_SIZE", limitBytes: maxBytes },
  });
