import { getOwnerActor } from "../../auth/owner-actor.ts";
import { hashToken } from "../../auth/secrets.ts";
import type { Call, Ctx, TxCtx } from "../../context.ts";
import { type UploadResult, uploadResult } from "../../contract/files.ts";
import { type PublishInput, publishInput } from "../../contract/publish.ts";
import { isLiveKey } from "../../db/keys.ts";
import type { DelegationRow } from "../../db/tables/uploads.ts";
import type { Actor } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";
import type { BegunUpload } from "../uploads/begin-upload.ts";

export interface Delegation {
  readonly row: DelegationRow;
  /** Whose upload it is, with the rights of now. */
  readonly actor: Actor;
  readonly publish: PublishInput;
}

/** The delegation that a token stands for, while it and the key that made it hold. Throws NOT_FOUND. */
export async function getDelegation(ctx: Ctx, token: string): Promise<Delegation> {
  const row = await ctx.db.selectFrom("delegations").selectAll().where("token_hash", "=", hashToken(token)).executeTakeFirst();
  if (!row || ctx.now() >= row.expires_at) throw unknownDelegation();
  if (!(await isLiveKey(ctx.db, row.key_id))) throw unknownDelegation();
  return { row, actor: await getOwnerActor(ctx, row), publish: publishInput.parse(JSON.parse(row.publish)) };
}

/** What it became; undefined where nothing has been uploaded yet. */
export function readDelegationResult(ctx: Pick<Ctx, "keyring">, row: DelegationRow): UploadResult | undefined {
  return row.result === null ? undefined : uploadResult.parse(JSON.parse(ctx.keyring.decrypt(row.result)));
}

/** Throws UPLOAD_CLOSED where the one file has been made. */
export function checkUnused(row: DelegationRow): void {
  if (row.result !== null) throw used();
}

/**
 * The call that uploads for a delegation, which is used up in the transaction that makes the file. Of two uploads at once, one wins; the
 * other is undone with UPLOAD_CLOSED.
 */
export function toDelegatedCall(call: Call, { row, actor }: Delegation): Call {
  return {
    ...call,
    actor,
    async remember(ctx, answer, bodyDigest) {
      await useUp(ctx, row, uploadResult.parse((answer as { data: unknown }).data));
      await call.remember?.(ctx, answer, bodyDigest);
    },
  };
}

async function useUp(ctx: TxCtx, row: DelegationRow, result: UploadResult): Promise<void> {
  const update = await ctx.db
    .updateTable("delegations")
    .set({ result: ctx.keyring.encrypt(JSON.stringify(result)), file_id: result.id })
    .where("id", "=", row.id)
    .where("result", "is", null)
    .executeTakeFirst();
  if (update.numUpdatedRows !== 1n) throw used();
}

/** Gives a delegated upload what its owner asked for, in the transaction that begins it: what the owner changes after that holds. */
export async function equip(ctx: TxCtx, row: DelegationRow, { fileId }: Pick<BegunUpload, "fileId">): Promise<void> {
  if (row.immutable === 1) await ctx.db.updateTable("files").set({ immutable: 1 }).where("id", "=", fileId).execute();
  const upstream: string[] = JSON.parse(row.upstream);
  for (const upstream_id of upstream) await ctx.db.insertInto("file_lineage").values({ file_id: fileId, upstream_id }).execute();
  if (row.unlock_hash === null) return;
  const { unlock_hash, handoff_hash } = row;
  await ctx.db.updateTable("shares").set({ unlock_hash, handoff_hash }).where("short_id", "=", row.short_id).execute();
}

const unknownDelegation = (): AppError =>
  new AppError("NOT_FOUND", "There is no such delegation, or it has lapsed. Ask whoever gave it to you for a new one.");

const used = (): AppError =>
  new AppError("UPLOAD_CLOSED", "This delegation has made its file already. Ask for a new one for another file.");
