import type { TransactionCtx } from "../../context.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError } from "../../errors.ts";
import { SHIPMENT_NAME } from "../../lib/formats/archive-names.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { removeAliases, setAlias } from "./aliases.ts";
import { type ProtectionCredentials, protectShare } from "./credentials.ts";
import { limitToOwner, type OwnerRights } from "./pro-limits.ts";
import type { JoinedShipment, PublishSettings } from "./publish-settings.ts";
import { findShare } from "./queries.ts";
import { getJoinedShipment, getShipment } from "./shipment.ts";

/** A file whose upload has finished. */
export interface PublishFileInput {
  readonly id: string;
  /** The share that was created with the upload, or the shipment that the file joined at that time. */
  readonly short_id: string;
  readonly name: string;
  /** Whether the caller got the link of that share, so that it must redirect to the shipment. */
  readonly keepsLink: boolean;
  /** The owner; undefined for an anonymous upload. */
  readonly owner: OwnerRights | undefined;
  /** The hashes of the tokens of a share without an owner. */
  readonly tokens: Pick<ShareRow, "claim_hash" | "deletion_hash">;
}

export interface PublishedFile {
  readonly share: ShareRow;
  /** New credentials, which the response shows once; empty if none were created. */
  readonly credentials: Partial<ProtectionCredentials>;
}

/**
 * Publishes a file in its own share, in a new shipment, or in the shipment that it joins. Throws as `getShipment` and `setAlias` do, and CONFLICT for
 * a file with a price that joins a shipment.
 */
export async function publishFile(
  ctx: TransactionCtx,
  actor: Actor,
  file: PublishFileInput,
  publish: PublishSettings,
): Promise<PublishedFile> {
  if (typeof publish.shipment === "object") {
    return { share: await joinShipment(ctx, actor, file, { publish, joined: publish.shipment }), credentials: {} };
  }
  const isShipment = publish.shipment === "open";
  const credentials = publish.protect === null ? {} : await protectShare(ctx, file.short_id, publish);
  const share = await publishShareQuery.first(ctx.db, {
    shortId: file.short_id,
    kind: isShipment ? "shipment" : "file",
    name: isShipment ? SHIPMENT_NAME : file.name,
    ...toShareColumns(ctx, publish, file.owner),
    ...file.tokens,
    created_at: ctx.now(),
  });
  if (!share) throw new Error(`The share ${file.short_id} of an upload has no row.`);
  if (publish.alias !== null) await setAlias(ctx, actor, share, publish.alias);
  return { share: { ...share, alias: publish.alias ?? share.alias }, credentials };
}

type PublishedColumns = ReturnType<typeof toShareColumns> & PublishFileInput["tokens"] & Pick<ShareRow, "kind" | "name" | "created_at">;

const publishShareQuery = preparedQuery((db, share: PublishedColumns & { readonly shortId: string }) =>
  db
    .updateTable("shares")
    .set({
      kind: share.kind,
      name: share.name,
      direct: share.direct,
      visibility: share.visibility,
      retention: share.retention,
      expires_at: share.expires_at,
      is_expiry_chosen: share.is_expiry_chosen,
      expires_at_before_cut: share.expires_at_before_cut,
      ends_with_pro: share.ends_with_pro,
      once: share.once,
      max_downloads: share.max_downloads,
      handoff_message: share.handoff_message,
      notify: share.notify,
      title: share.title,
      message: share.message,
      claim_hash: share.claim_hash,
      deletion_hash: share.deletion_hash,
      created_at: share.created_at,
    } satisfies PublishedColumns)
    .where("short_id", "=", share.shortId)
    .returningAll(),
);

/** Returns the columns of a share that publish fields set, limited to its owner's current rights. */
export const toShareColumns = (ctx: TransactionCtx, publish: PublishSettings, owner: OwnerRights | undefined) => ({
  direct: publish.direct ? 1 : 0,
  ...limitToOwner(ctx, publish, owner),
  once: publish.once ? 1 : 0,
  max_downloads: publish.maxDownloads,
  handoff_message: publish.handoffMessage,
  notify: publish.notify === null ? null : Number(publish.notify),
  title: publish.title,
  message: publish.message,
});

/** Adds a file to a shipment. It belongs to the shipment's owner, who may have changed during the upload. */
async function joinShipment(
  ctx: TransactionCtx,
  actor: Actor,
  file: PublishFileInput,
  { publish, joined }: { readonly publish: PublishSettings; readonly joined: JoinedShipment },
): Promise<ShareRow> {
  if (file.short_id === joined.shortId) return await prolongPrivate(ctx, await getJoinedShipment(ctx, joined.shortId), { publish, file });
  const shipment = await getShipment(ctx, actor, joined);
  // Rejects a file with a price, because the price would end with the file's present share.
  if ((await findShare(ctx.db, file.short_id))?.price_cents != null)
    throw new AppError("CONFLICT", "This file has a price, so it cannot join a shipment. Remove its price first, or omit shareShortId.");
  const { short_id, owner_id } = shipment;
  // Nobody could remove the alias of a link that leads to the shipment of another account.
  if (owner_id !== ownerId(actor)) await removeAliases(ctx, [file.short_id]);
  await ctx.db.updateTable("files").set({ short_id, owner_id }).where("id", "=", file.id).execute();
  // Redirects only a share of one file, never a shipment: the file may have joined another shipment when its upload started.
  if (file.keepsLink) {
    const update = ctx.db.updateTable("shares").set({ redirect_to: short_id });
    await update.where("short_id", "=", file.short_id).where("kind", "=", "file").execute();
  } else await ctx.db.deleteFrom("shares").where("short_id", "=", file.short_id).where("kind", "=", "file").execute();
  return shipment;
}

/** Minimum increase of an expiry that is written, so that not every one of many files writes it. */
const PROLONG_STEP_MS = HOUR_MS;

/**
 * Extends the retention of received files, which starts with the sender's last file (requests, "Received files"). An expiry that their owner has
 * chosen remains.
 */
async function prolongPrivate(
  ctx: TransactionCtx,
  share: ShareRow,
  { publish, file }: { readonly publish: PublishSettings; readonly file: PublishFileInput },
): Promise<ShareRow> {
  const { expires_at: before, short_id } = share;
  if (share.is_private === 0 || share.is_expiry_chosen === 1 || before === null) return share;
  const { expires_at } = limitToOwner(ctx, publish, file.owner);
  if (expires_at !== null && expires_at < before + PROLONG_STEP_MS) return share;
  await ctx.db.updateTable("shares").set({ expires_at }).where("short_id", "=", short_id).execute();
  return { ...share, expires_at };
}
