import type { RequestContext, TransactionCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { invalidField } from "../../errors.ts";
import { SHIPMENT_NAME } from "../../lib/formats/archive-names.ts";
import { newSecret, newShortId } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type Actor, checkAnonymousUploads, ownerId } from "../accounts/actor.ts";
import { consumeAddressRate } from "../accounts/rate-limits.ts";
import type { Output } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { countAliasRequest, setAlias, toLinks } from "./aliases.ts";
import type { PublishInput, SentPublish } from "./contract.ts";
import { newProtection } from "./credentials.ts";
import type { OwnerRights } from "./pro-limits.ts";
import { toShareColumns } from "./publish-file.ts";
import { type PublishSettings, resolvePublishSettings } from "./publish-settings.ts";
import { sealPassword } from "./share-password.ts";
import { newShareTokens } from "./share-tokens.ts";

const SHARE_TOKEN_TTL_MS = DAY_MS;

/** `POST /shares`: opens an empty shipment, to which uploads with its token add files (sharing, "Shipments"). */
export const createShare: Operation<"createShare"> = async (ctx, call, input) => {
  checkAnonymousUploads(ctx, call.actor, "Uploads");
  checkShareFields(input);
  if (input.alias) await countAliasRequest(ctx, call.actor);
  const publish = await sealPassword(ctx, call, input);
  return await commitResponse(ctx, call, (ctx) => insertShipment(ctx, call, publish));
};

/** Inserts an empty shipment. Throws RATE_LIMITED, and as `resolvePublishSettings` does. */
export async function insertShipment(
  ctx: TransactionCtx,
  { actor, address }: Pick<RequestContext, "actor" | "address">,
  input: PublishInput,
): Promise<Output<"createShare">> {
  const publish = resolvePublishSettings(input, { actor, limits: ctx.config.tiers[actor.tier], nowMs: ctx.now() });
  if (actor.kind === "anonymous") await consumeAddressRate(ctx, { name: "shares", address });
  const shareToken = newSecret(ctx.random, "share_");
  const tokens = newShareTokens(ctx.random, actor);
  const share = await insertShare(ctx, actor, publish, {
    kind: "shipment",
    name: SHIPMENT_NAME,
    ...tokens.columns,
    share_token_hash: hashToken(shareToken),
    share_token_expires_at: ctx.now() + SHARE_TOKEN_TTL_MS,
  });
  return { ...share, shareToken, ...tokens.shown };
}

type ShareColumns = Pick<ShareRow, "kind" | "name"> &
  Partial<Pick<ShareRow, "claim_hash" | "deletion_hash" | "share_token_hash" | "share_token_expires_at">>;

/** Inserts a share without files. */
export async function insertShare(
  ctx: TransactionCtx,
  actor: Actor,
  publish: PublishSettings,
  columns: ShareColumns,
): Promise<Omit<Output<"createShare">, "shareToken">> {
  const short_id = newShortId(ctx.random);
  const protection = publish.protect ? newProtection(ctx, short_id, publish.passwordHash) : undefined;
  const settings = toShareColumns(ctx, publish, await findOwnerRights(ctx, actor));
  const row = { short_id, owner_id: ownerId(actor), ...columns, ...settings, ...protection?.columns, created_at: ctx.now() };
  await ctx.db.insertInto("shares").values(row).execute();
  const { alias } = publish;
  if (alias !== null) await setAlias(ctx, actor, { short_id, alias: null }, alias);
  return {
    shortId: short_id,
    ...toLinks(ctx, { short_id, alias }),
    ...protection?.credentials,
    expiresAt: toIso(settings.expires_at),
  };
}

/**
 * Inserts an empty shipment that only its owner can open, with tokens to add and remove files. It expires by the owner's tier (requests, "Received
 * files").
 */
export async function insertPrivateShipment(
  ctx: TransactionCtx,
  owner: Actor,
  { shortId, shareToken, deletionToken }: { readonly shortId: string; readonly shareToken?: string; readonly deletionToken: string },
): Promise<void> {
  const publish = resolvePublishSettings({}, { actor: owner, limits: ctx.config.tiers[owner.tier], nowMs: ctx.now() });
  await ctx.db
    .insertInto("shares")
    .values({
      short_id: shortId,
      kind: "shipment",
      owner_id: ownerId(owner),
      name: SHIPMENT_NAME,
      ...toShareColumns(ctx, publish, await findOwnerRights(ctx, owner)),
      share_token_hash: shareToken === undefined ? null : hashToken(shareToken),
      deletion_hash: hashToken(deletionToken),
      is_private: 1,
      created_at: ctx.now(),
    })
    .execute();
}

/**
 * Reopens a private shipment that has expired or was deleted, for as long as a new one would be open. A shipment that was taken down stays closed
 * (requests, "Received files").
 */
export async function reopenPrivateShipment(ctx: TransactionCtx, owner: Actor, shortId: string): Promise<void> {
  const publish = resolvePublishSettings({}, { actor: owner, limits: ctx.config.tiers[owner.tier], nowMs: ctx.now() });
  await ctx.db
    .updateTable("shares")
    .set({ status: "active", ended_at: null, ...toShareColumns(ctx, publish, await findOwnerRights(ctx, owner)) })
    .where("short_id", "=", shortId)
    .where("is_private", "=", 1)
    .where("status", "in", ["expired", "deleted"])
    .execute();
}

/** Throws VALIDATION_FAILED for a field of a file, because an empty shipment has no file. */
function checkShareFields(input: SentPublish): void {
  const names = ["openShare", "shareShortId", "shareToken", "folderId", "relativePath", "modifiedAt", "executable", "runId"] as const;
  const field = names.find((name) => input[name]);
  if (field) throw invalidField(field, `A new shipment has no file yet, so ${field} has no meaning. Send it with the upload of a file.`);
}

async function findOwnerRights(ctx: TransactionCtx, actor: Actor): Promise<OwnerRights | undefined> {
  if (actor.kind === "anonymous") return undefined;
  return await ctx.db.selectFrom("users").select(["tier", "pro_until", "username"]).where("id", "=", actor.userId).executeTakeFirst();
}
