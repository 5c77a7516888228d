import type { RequestContext, TransactionCtx } from "../../context.ts";
import { invalidField } from "../../errors.ts";
import { DAY_MS } from "../../lib/duration.ts";
import { newSecret, newShortId } from "../../lib/ids.ts";
import { toIso } from "../../lib/iso-time.ts";
import { hashToken } from "../../lib/secrets.ts";
import { type Actor, checkAnonymousUploads, ownerId } from "../accounts/actor.ts";
import { consumeAddressRate } from "../accounts/rate-limits.ts";
import type { Output } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import type { PublishInput } from "./contract.ts";
import { newProtection } from "./credentials.ts";
import type { OwnerRights } from "./expiry.ts";
import { SHIPMENT_NAME, toShareColumns } from "./publish-file.ts";
import { resolvePublishSettings } from "./publish-settings.ts";
import { newShareTokens } from "./share-tokens.ts";

const SHARE_TOKEN_TTL_MS = DAY_MS;

/** `POST /shares`: opens an empty shipment, to which uploads add files by its token (sharing, "Shipments"). */
export const createShare: Operation<"createShare"> = async (ctx, call, input) => {
  checkAnonymousUploads(ctx, call.actor, "Uploads");
  checkShareFields(input);
  return await commitResponse(ctx, call, (ctx) => insertShipment(ctx, call, input));
};

/** Inserts an empty shipment. Throws RATE_LIMITED, and as `resolvePublishSettings` does. */
export async function insertShipment(
  ctx: TransactionCtx,
  { actor, address }: Pick<RequestContext, "actor" | "address">,
  input: PublishInput,
): Promise<Output<"createShare">> {
  const publish = resolvePublishSettings(input, { actor, limits: ctx.config.tiers[actor.tier], nowMs: ctx.now() });
  if (actor.kind === "anonymous") await consumeAddressRate(ctx, { name: "shares", address });
  const nowMs = ctx.now();
  const short_id = newShortId(ctx.random);
  const shareToken = newSecret(ctx.random, "share_");
  const tokens = newShareTokens(ctx.random, actor);
  const protection = publish.protect ? newProtection(ctx, short_id) : undefined;
  const columns = toShareColumns(ctx, publish, await findOwnerRights(ctx, actor));
  await ctx.db
    .insertInto("shares")
    .values({
      short_id,
      kind: "shipment",
      owner_id: ownerId(actor),
      name: SHIPMENT_NAME,
      ...columns,
      ...tokens.columns,
      ...protection?.columns,
      share_token_hash: hashToken(shareToken),
      share_token_expires_at: nowMs + SHARE_TOKEN_TTL_MS,
      created_at: nowMs,
    })
    .execute();
  return {
    shortId: short_id,
    shareUrl: `${ctx.urls.siteUrl}/d/${short_id}`,
    sharePath: `/d/${short_id}`,
    shareToken,
    ...tokens.shown,
    ...protection?.credentials,
    expiresAt: toIso(columns.expires_at),
  };
}

/** Throws VALIDATION_FAILED for a field of a file, which an empty shipment does not have. */
function checkShareFields(input: PublishInput): void {
  const names = ["openShare", "shareShortId", "shareToken", "folderId", "relativePath", "runId"] as const;
  const field = names.find((name) => input[name]);
  if (field) throw invalidField(field, `A new shipment has no file yet, so ${field} has no meaning. Send it with the upload of a file.`);
}

async function findOwnerRights(ctx: TransactionCtx, actor: Actor): Promise<OwnerRights | undefined> {
  if (actor.kind === "anonymous") return undefined;
  return await ctx.db.selectFrom("users").select(["tier", "pro_until", "username"]).where("id", "=", actor.userId).executeTakeFirst();
}
