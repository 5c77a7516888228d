import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow, ShareRow } from "../../db/tables/files.ts";
import { AppError, notFound } from "../../errors.ts";
import { requireUser, type UserActor } from "../accounts/actor.ts";
import type { Input } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { protectShare } from "./credentials.ts";
import { type ExpiryColumns, findLatestExpiryMs, limitExpiry, withProExpiry } from "./expiry.ts";
import { replaceLineage, validateLineage } from "./lineage.ts";
import { findPendingSettings, toPendingShare, updatePendingSettings } from "./pending-settings.ts";
import { findFileWithShare, findLinkedShare, listShareFiles } from "./queries.ts";
import { resolveShareChange, type ShareChange } from "./share-change.ts";
import { isShareOpen } from "./share-state.ts";

type Settings = Input<"updateShareSettings">;

/** `PATCH /files/share-settings`: changes the settings of a share that the caller owns (sharing, "Changing a share"). */
export const updateShareSettings: Operation<"updateShareSettings"> = async (ctx, call, input) => {
  const actor = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const { share: row, files, fileId } = await getOwnedShare(ctx, actor, input);
    const rules = { actor, limits: ctx.config.tiers[actor.tier], nowMs: ctx.now() };
    const [file] = files;
    const pending = row.kind === "file" && file?.blob_state === "uploading" ? await findPendingSettings(ctx, file.id) : undefined;
    const share = pending ? toPendingShare(row, pending, rules) : withProExpiry(row);
    const isImmutable = (await listImmutableFiles(ctx, share, files, input)).length > 0;
    if (isImmutable && changesImmutable(input, share)) throw immutableError();
    const wanted = resolveShareChange({ input, share, ...rules });
    if (isImmutable && expiresSooner(wanted.expires_at, share)) throw immutableError();
    const setsProtection = typeof input.protect === "boolean";
    const change = pending
      ? await updatePendingSettings(ctx, pending, { change: wanted, setsProtection })
      : await limitChange(ctx, { actor, share: row, wanted });
    if (Object.keys(change).length > 0) await ctx.db.updateTable("shares").set(change).where("short_id", "=", share.short_id).execute();
    await updateFiles(ctx, actor, files, input);
    const credentials = typeof input.protect === "boolean" ? await protectShare(ctx, share.short_id, input.protect) : {};
    return {
      fileId,
      shortId: share.short_id,
      visibility: wanted.visibility ?? share.visibility,
      unlockRequired: input.protect ?? share.unlock_hash !== null,
      ...credentials,
    };
  });
};

/** Ties a new expiry to Pro if a Pro account chooses it, and cuts it short if Pro has ended (see `findLatestExpiryMs`). */
async function limitChange(
  ctx: TransactionCtx,
  { actor, share, wanted }: { readonly actor: UserActor; readonly share: ShareRow; readonly wanted: ShareChange },
): Promise<ShareChange & Partial<ExpiryColumns & Pick<ShareRow, "ends_with_pro">>> {
  const { expires_at, is_expiry_chosen = share.is_expiry_chosen } = wanted;
  if (expires_at === undefined) return wanted;
  const ends_with_pro = actor.tier === "pro" ? 1 : share.ends_with_pro;
  const latestMs = await findLatestExpiryMs(ctx, { owner_id: actor.userId, ends_with_pro });
  return { ...wanted, ...limitExpiry({ expires_at, is_expiry_chosen }, latestMs), ends_with_pro };
}

interface OwnedShare {
  readonly share: ShareRow;
  /** The file that the call names, or all files of the share that it names. */
  readonly files: readonly FileRow[];
  readonly fileId: string;
}

async function getOwnedShare(ctx: TransactionCtx, actor: UserActor, { fileId, shortId }: Settings): Promise<OwnedShare> {
  const found = fileId ? await findFileWithShare(ctx.db, fileId) : undefined;
  if (fileId && found) {
    if (found.file.status !== "active" || found.file.owner_id !== actor.userId || !isShareOpen(ctx, found.share))
      throw fileOrShareNotFound();
    return { share: found.share, files: [found.file], fileId };
  }
  // `fileId` may also be a short ID: responses give a shipment's short ID where they give a file's ID (sharing, "Changing a share").
  const share = await findLinkedShare(ctx.db, fileId || (shortId ?? ""));
  if (share?.owner_id !== actor.userId || !isShareOpen(ctx, share)) throw fileOrShareNotFound();
  const files = (await listShareFiles(ctx.db, share.short_id)).filter((file) => file.status === "active");
  return { share, files, fileId: share.kind === "shipment" ? share.short_id : (files[0]?.id ?? "") };
}

/** The share's files that stay immutable. They protect the settings of the share even if the call names another of its files. */
async function listImmutableFiles(
  ctx: TransactionCtx,
  share: ShareRow,
  named: readonly FileRow[],
  { immutable }: Settings,
): Promise<readonly FileRow[]> {
  const unlockedIds = new Set(immutable === false ? named.map(({ id }) => id) : []);
  const files = await listShareFiles(ctx.db, share.short_id);
  return files.filter((file) => file.status === "active" && file.immutable === 1 && !unlockedIds.has(file.id));
}

/** Whether the input changes what an immutable file fixes: all but `immutable`, protection and a later expiry. An equal value is no change. */
const changesImmutable = (input: Settings, share: ShareRow): boolean =>
  (input.visibility != null && input.visibility !== share.visibility) ||
  (input.retention != null && input.retention !== share.retention) ||
  (typeof input.direct === "boolean" && input.direct !== (share.direct === 1)) ||
  (input.priceCents != null && input.priceCents !== (share.price_cents ?? 0)) ||
  // With new credentials, the message of the handoff link is part of the protection.
  (input.handoffMessage !== undefined && input.protect !== true && (input.handoffMessage || null) !== share.handoff_message) ||
  input.upstreamFileIds != null;

const expiresSooner = (expiresAtMs: number | null | undefined, share: ShareRow): boolean =>
  expiresAtMs != null && (share.expires_at === null || expiresAtMs < share.expires_at);

const immutableError = (): AppError =>
  new AppError("IMMUTABLE", "This file is immutable. Set immutable to false first, or change only its protection or extend its expiry.");

async function updateFiles(
  ctx: TransactionCtx,
  actor: UserActor,
  files: readonly FileRow[],
  { immutable, upstreamFileIds }: Settings,
): Promise<void> {
  const ids = files.map((file) => file.id);
  if (typeof immutable === "boolean" && ids.length > 0) {
    await ctx.db
      .updateTable("files")
      .set({ immutable: immutable ? 1 : 0 })
      .where("id", "in", inJson(ids))
      .execute();
  }
  if (!upstreamFileIds) return;
  const upstream = [...new Set(upstreamFileIds)];
  await validateLineage(ctx, actor, ids, upstream);
  await replaceLineage(ctx, ids, upstream);
}

const fileOrShareNotFound = (): AppError => notFound("file or share", "List your files to find its ID.", "in your account");
