import type { Ctx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { Output } from "../contract.ts";
import type { Operation } from "../operation.ts";
import { requireUser, type UserActor } from "./actor.ts";
import { accountImportUse } from "./import-rate.ts";
import { toKeyView } from "./keys.ts";
import { countOpenSessions, getQuota, MAX_OPEN_UPLOADS, type QuotaUse } from "./quotas.ts";
import { getRate } from "./rate-limits.ts";
import { addressOf } from "./users.ts";

/** `GET /me`: the account of the key, its scope, its usage and what is left of its limits. */
export const getMe: Operation<"getMe"> = async (ctx, { actor: caller }) => {
  const actor = requireUser(caller);
  const user = await ctx.db.selectFrom("users").selectAll().where("id", "=", actor.userId).executeTakeFirstOrThrow();
  const key =
    actor.keyId === null ? null : await ctx.db.selectFrom("api_keys").selectAll().where("id", "=", actor.keyId).executeTakeFirstOrThrow();
  const quota = await getQuota(ctx.db, actor.quotaOwner);
  const keyTier = actor.tier === "pro" ? "premium" : key?.is_agent_key === 1 ? "bootstrap" : "free";
  return {
    owner: toOwnerView(user),
    tier: actor.tier,
    proUntil: user.tier === "pro" ? toIso(user.pro_until) : null,
    scope: actor.scope,
    key: key && { ...toKeyView(key), tier: keyTier },
    storage: describeStorage(ctx, actor, quota),
    limits: await describeLimits(ctx, actor, quota),
  };
};

/** Returns an account as its owner sees it. Agents have no email address. */
export const toOwnerView = (user: UserRow): Output<"getMe">["owner"] => ({
  id: user.id,
  name: user.name,
  showName: user.show_name === 1,
  email: user.role === "agent" ? null : addressOf(user),
  emailVerified: user.email_verified === 1,
  username: user.username,
  role: user.role,
});

function describeStorage(ctx: Ctx, actor: UserActor, { usedBytes, reservedBytes }: QuotaUse) {
  const { storageBytes, storageMaxBytes } = ctx.config.tiers[actor.tier];
  return {
    usedBytes,
    reservedBytes,
    includedBytes: storageBytes,
    allowedBytes: storageMaxBytes,
    leftBytes: Math.max(0, storageMaxBytes - usedBytes - reservedBytes),
    isPastIncluded: usedBytes > storageBytes,
    isShared: actor.poolBytes !== undefined,
  };
}

async function describeLimits(ctx: Ctx, actor: UserActor, quota: QuotaUse) {
  const { fileBytes, files, retentionMs } = ctx.config.tiers[actor.tier];
  const importUse = accountImportUse(ctx, actor);
  const imports = importUse && (await getRate(ctx.db, importUse));
  return {
    fileBytes,
    maxTtlSeconds: retentionMs / 1000,
    requestsPerMinute: ctx.config.rates[actor.tier].limit,
    importsPerHour: importUse ? importUse.rate.limit : null,
    importsLeft: imports ? imports.remaining : null,
    files,
    filesLeft: Math.max(0, files - quota.files),
    openUploads: MAX_OPEN_UPLOADS,
    openUploadsLeft: Math.max(0, MAX_OPEN_UPLOADS - (await countOpenSessions(ctx.db, actor.quotaOwner))),
  };
}
