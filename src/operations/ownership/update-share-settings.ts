import type { TxCtx } from "../../context.ts";
import type { Input } from "../../contract/index.ts";
import { findFileWithShare, findShareBehind, listShareFiles } from "../../db/shares.ts";
import type { FileRow, ShareRow } from "../../db/tables/files.ts";
import type { UserActor } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { type ExpiryColumns, latestExpiryMs, limitExpiry, unlimited } from "../shares/expiry.ts";
import { isOpen } from "../shares/is-open.ts";
import { changePlan, findPlan, toPlannedShare } from "../shares/planned-share.ts";
import { checkUpstream } from "./check-upstream.ts";
import { planShareChange, type ShareChange } from "./plan-share-change.ts";
import { protectShare } from "./protect-share.ts";

type Settings = Input<"updateShareSettings">;

/** `PATCH /files/share-settings`: of a file or a shipment that the key owns (interface, "Endpoints"; decisions, "Expiry and removal"). */
export const updateShareSettings: Operation<"updateShareSettings"> = async (ctx, call, input) => {
  const { remember } = call;
  const actor = requireUser(call.actor);
  return await ctx.tx(async (ctx) => {
    const { share: row, files, fileId } = await getOwned(ctx, actor, input);
    const rules = { actor, limits: ctx.config.tiers[actor.tier], nowMs: ctx.now() };
    const [file] = files;
    const plan = file?.blob_state === "uploading" ? await findPlan(ctx, file.id) : undefined;
    const share = plan ? toPlannedShare(row, plan, rules) : unlimited(row);
    const isLocked = (await listLocked(ctx, share, files, input)).length > 0;
    if (isLocked && changesOther(input, share)) throw immutable();
    const planned = planShareChange({ input, share, ...rules });
    if (isLocked && endsSooner(planned.expires_at, share)) throw immutable();
    const change = plan ? planned : await limitChange(ctx, { actor, share: row, planned });
    const atOnce = plan ? await changePlan(ctx, plan, { change, setsProtection: typeof input.protect === "boolean" }) : change;
    if (Object.keys(atOnce).length > 0) await ctx.db.updateTable("shares").set(atOnce).where("short_id", "=", share.short_id).execute();
    await updateFiles(ctx, actor, files, input);
    const credentials = typeof input.protect === "boolean" ? await protectShare(ctx, share.short_id, input.protect) : {};
    const data = {
      fileId,
      shortId: share.short_id,
      visibility: change.visibility ?? share.visibility,
      unlockRequired: input.protect ?? share.unlock_hash !== null,
      ...credentials,
    };
    await remember?.(ctx, { success: true, data });
    return { success: true, data } as const;
  });
};

interface PlannedChange {
  readonly actor: UserActor;
  readonly share: ShareRow;
  readonly planned: ShareChange;
}

/** A new expiry ends with Pro where a Pro account chooses it, and is cut short where Pro's end has come (see `latestExpiryMs`). */
async function limitChange(
  ctx: TxCtx,
  { actor, share, planned }: PlannedChange,
): Promise<ShareChange & Partial<ExpiryColumns & Pick<ShareRow, "ends_with_pro">>> {
  const { expires_at, expiry_chosen = share.expiry_chosen } = planned;
  if (expires_at === undefined) return planned;
  const ends_with_pro = actor.tier === "pro" ? 1 : share.ends_with_pro;
  const latestMs = await latestExpiryMs(ctx, { owner_id: actor.userId, ends_with_pro });
  return { ...planned, ...limitExpiry({ expires_at, expiry_chosen }, latestMs), ends_with_pro };
}

interface Owned {
  readonly share: ShareRow;
  /** The named file alone, or all of the named share's. */
  readonly files: readonly FileRow[];
  readonly fileId: string;
}

async function getOwned(ctx: TxCtx, actor: UserActor, { fileId, shortId }: Settings): Promise<Owned> {
  const found = fileId ? await findFileWithShare(ctx.db, fileId) : undefined;
  if (fileId && found) {
    if (found.file.status !== "active" || found.file.owner_id !== actor.userId || !isOpen(ctx, found.share)) throw notFound();
    return { share: found.share, files: [found.file], fileId };
  }
  // A shipment's own id is its short id, which its metadata and this route's answer give where a file has its id; and "`shortId` may
  // identify a share instead" (interface, "Ownership") can be read as what `fileId` holds.
  const share = await findShareBehind(ctx.db, fileId || (shortId ?? ""));
  if (share?.owner_id !== actor.userId || !isOpen(ctx, share)) throw notFound();
  const files = (await listShareFiles(ctx.db, share.short_id)).filter((file) => file.status === "active");
  return { share, files, fileId: share.kind === "shipment" ? share.short_id : (files[0]?.id ?? "") };
}

/** The share's files that stay immutable: its settings are theirs too, also where the change names another of them. */
async function listLocked(ctx: TxCtx, share: ShareRow, named: readonly FileRow[], { immutable }: Settings): Promise<readonly FileRow[]> {
  const freed = new Set(immutable === false ? named.map(({ id }) => id) : []);
  const files = await listShareFiles(ctx.db, share.short_id);
  return files.filter((file) => file.status === "active" && file.immutable === 1 && !freed.has(file.id));
}

/** An immutable file refuses every change but of `immutable`, protection and a later expiry; what is as it was is no change. */
const changesOther = (input: Settings, share: ShareRow): boolean =>
  (input.visibility != null && input.visibility !== share.visibility) ||
  (input.retention != null && input.retention !== share.retention) ||
  (typeof input.direct === "boolean" && input.direct !== (share.direct === 1)) ||
  (input.priceCents != null && input.priceCents !== (share.price_cents ?? 0)) ||
  // With new credentials, the message of their delivery is a part of the protection.
  (input.handoffMessage !== undefined && input.protect !== true && (input.handoffMessage || null) !== share.handoff_message) ||
  input.upstreamFileIds != null;

const endsSooner = (expiresAtMs: number | null | undefined, share: ShareRow): boolean =>
  expiresAtMs != null && (share.expires_at === null || expiresAtMs < share.expires_at);

const immutable = (): AppError =>
  new AppError("IMMUTABLE", "This file is immutable. Set immutable to false first, or change only its protection or a later expiry.");

async function updateFiles(
  ctx: TxCtx,
  actor: UserActor,
  files: readonly FileRow[],
  { immutable, upstreamFileIds }: Settings,
): Promise<void> {
  const ids = files.map((file) => file.id);
  if (typeof immutable === "boolean" && ids.length > 0) {
    await ctx.db
      .updateTable("files")
      .set({ immutable: immutable ? 1 : 0 })
      .where("id", "in", ids)
      .execute();
  }
  if (!upstreamFileIds) return;
  const upstream = [...new Set(upstreamFileIds)];
  await checkUpstream(ctx, actor, ids, upstream);
  for (const id of ids) {
    await ctx.db.deleteFrom("file_lineage").where("file_id", "=", id).execute();
    for (const parent of upstream) await ctx.db.insertInto("file_lineage").values({ file_id: id, upstream_id: parent }).execute();
  }
}

const notFound = (): AppError => new AppError("NOT_FOUND", "There is no such file or share, or it is not yours.");
