import type { Ctx } from "../context.ts";
import { type Actor, anonymousQuotaOwner, type Scope, scopeAllows } from "../domain/actor.ts";
import { HOUR_MS } from "../domain/ttl.ts";
import { AppError } from "../errors.ts";
import { addressSubject, wideAddressSubject } from "./address-subject.ts";
import { matchesApiKey, parseApiKey } from "./api-key.ts";
import { toUserActor } from "./user-actor.ts";

/** The key that a request carries, in any of the documented headers; undefined where it carries none (interface, "Authentication"). */
export function readSentKey(headers: Headers): string | undefined {
  const authorization = headers.get("authorization")?.trim();
  if (authorization) return authorization.replace(/^bearer\s+/i, "");
  return headers.get("x-service-api-key")?.trim() || undefined;
}

/** Who is calling. Throws UNAUTHENTICATED for a key that is not valid, also where a key is optional. */
export async function authenticate(ctx: Ctx, { key, address }: { key: string | undefined; address: string }): Promise<Actor> {
  if (key === undefined) return anonymousActor(ctx, address);
  const parsed = parseApiKey(key);
  const row = parsed && (await findKey(ctx, parsed.prefix));
  if (!parsed || !row || !matchesApiKey(parsed.secret, row) || row.revoked_at !== null || row.disabled_at !== null) throw invalidKey();
  await noteUse(ctx, row);
  return toUserActor(ctx, { ...row, id: row.owner_id }, row);
}

/** Few requests without a key ask whose storage they count against, so that is worked out when they do. */
function anonymousActor(ctx: Ctx, address: string): Actor {
  return {
    kind: "anonymous",
    tier: "anonymous",
    get quotaOwner() {
      return anonymousQuotaOwner({ own: addressSubject(ctx.keyring, address), wide: wideAddressSubject(ctx.keyring, address) });
    },
  };
}

/** Throws UNAUTHENTICATED where a key is needed and missing, INSUFFICIENT_SCOPE where its scope is not enough. */
export function requireScope(actor: Actor, needed: Scope): void {
  if (actor.kind === "anonymous")
    throw new AppError("UNAUTHENTICATED", "This needs an API key. Send one as `Authorization: Bearer <key>`.");
  if (!scopeAllows(actor.scope, needed)) {
    throw new AppError("INSUFFICIENT_SCOPE", `This needs a key with the scope ${needed}; yours has ${actor.scope}.`);
  }
}

async function findKey(ctx: Ctx, prefix: string) {
  return await ctx.db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_id")
    .select([
      "api_keys.id",
      "api_keys.owner_id",
      "api_keys.salt",
      "api_keys.hash",
      "api_keys.scope",
      "api_keys.revoked_at",
      "api_keys.last_used_at",
    ])
    .select(["users.username", "users.tier", "users.pro_until", "users.disabled_at", "users.role", "users.agent_group"])
    .where("api_keys.prefix", "=", prefix)
    .executeTakeFirst();
}

/** At most one write an hour and key, so that a read stays a read. */
async function noteUse(ctx: Ctx, row: { id: string; last_used_at: number | null }): Promise<void> {
  const nowMs = ctx.now();
  if (row.last_used_at !== null && nowMs - row.last_used_at < HOUR_MS) return;
  await ctx.db.updateTable("api_keys").set({ last_used_at: nowMs }).where("id", "=", row.id).execute();
}

const invalidKey = (): AppError =>
  new AppError("UNAUTHENTICATED", "This API key is not valid: it is unknown, revoked, or its account is disabled.");
