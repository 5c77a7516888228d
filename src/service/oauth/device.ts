import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { OAuthScope } from "../../contract/oauth-scopes.ts";
import { notFound } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { resourceUrls } from "../accounts/access-tokens.ts";
import { requireUser } from "../accounts/actor.ts";
import { consumeAddressRate } from "../accounts/rate-limits.ts";
import { includedScopes, requireConsentRights, toResource, withDefaults } from "./authorize.ts";
import { toStoredCode } from "./library-database.ts";
import { OAuthError, type OAuthResponse } from "./oauth-error.ts";
import { REFRESH_SCOPE } from "./provider.ts";
import { recordConnected } from "./record-connected.ts";

/**
 * `POST /oauth/device` (RFC 8628, 3.1): creates a code for the program, and a code that a person enters at `/device`. Throws OAuthError,
 * RATE_LIMITED.
 */
export async function startDevice(ctx: Ctx, { address }: Pick<RequestContext, "address">, form: URLSearchParams): Promise<OAuthResponse> {
  const clientId = form.get("client_id");
  if (!clientId) throw new OAuthError("invalid_request", "Send client_id.");
  const scope = `${withDefaults(form.get("scope") ?? "")} ${REFRESH_SCOPE}`;
  const resource = toResource(form.get("resource") || resourceUrls(ctx.urls).api);
  const body = new URLSearchParams({ client_id: clientId, scope, resource });
  const oauth = await ctx.oauth();
  return await ctx.transaction(async (ctx) => {
    await consumeAddressRate(ctx, { name: "deviceCodes", address });
    const response = await oauth.handle(ctx.db, { path: "/device/code", body });
    return { status: response.status, body: await response.json() };
  });
}

/** The request of a program on another device for an account's consent. */
export interface DeviceRequest {
  readonly name: string;
  readonly scopes: readonly OAuthScope[];
  /** The code that the device shows. */
  readonly userCode: string;
}

/** Finds a waiting request by the code that a person entered, and counts the attempt. Throws NOT_FOUND, RATE_LIMITED, and as `decide` does. */
export async function readDeviceRequest(ctx: Ctx, call: RequestContext, entered: string): Promise<DeviceRequest> {
  await countTry(ctx, call);
  return await ctx.transaction(async (ctx) => {
    const { name, scope } = await getPending(ctx, entered);
    return { name, scopes: includedScopes(scope.split(" ")), userCode: toUserCode(entered) };
  });
}

/** Approves or denies a waiting request. Throws as `readDeviceRequest` does. */
export async function decideDevice(ctx: Ctx, call: RequestContext, entered: string, allows: boolean): Promise<void> {
  await countTry(ctx, call);
  const { userId } = requireUser(call.actor);
  await ctx.transaction(async (ctx) => {
    const { id, client_id, scope, resources } = await getPending(ctx, entered);
    const status = allows ? "approved" : "denied";
    await ctx.db.updateTable("device_codes").set({ status, user_id: userId }).where("id", "=", id).execute();
    if (allows) await consent(ctx, call, { clientId: client_id, asked: scope.split(" "), resources });
  });
  ctx.wakeJobs();
}

/** Counts an attempt in a separate transaction, so that a wrong code counts too. */
async function countTry(ctx: Ctx, call: RequestContext): Promise<void> {
  requireConsentRights(ctx, call);
  await ctx.transaction((ctx) => consumeAddressRate(ctx, { name: "deviceTries", address: call.address }));
}

async function getPending({ db, now, keyring }: TransactionCtx, entered: string) {
  const row = await db
    .selectFrom("device_codes")
    .innerJoin("oauth_clients", "oauth_clients.client_id", "device_codes.client_id")
    .select(["device_codes.id", "device_codes.client_id", "device_codes.scope", "device_codes.resources", "oauth_clients.name"])
    .where("user_code", "=", toStoredCode(keyring, toUserCode(entered)))
    .where("status", "=", "pending")
    .where("expires_at", ">", now())
    .executeTakeFirst();
  if (!row) throw notFound("code", "Enter the code that the device shows now.", "or has expired");
  return row;
}

/** Converts an entered code to the form that devices show. */
function toUserCode(entered: string): string {
  const letters = entered.replace(/[^a-z0-9]/gi, "").toUpperCase();
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

interface Consented {
  readonly clientId: string;
  readonly asked: readonly string[];
  readonly resources: string;
}

async function consent(ctx: TransactionCtx, call: RequestContext, { clientId, asked, resources }: Consented): Promise<void> {
  const { userId } = requireUser(call.actor);
  const nowMs = ctx.now();
  const found = ctx.db
    .selectFrom("oauth_consents")
    .select(["id", "scopes"])
    .where("user_id", "=", userId)
    .where("client_id", "=", clientId);
  const earlier = await found.executeTakeFirst();
  const scopes = includedScopes([...asked, ...JSON.parse(earlier?.scopes ?? "[]")]);
  const id = earlier?.id ?? newUuid(ctx.random, nowMs);
  const values = { scopes: JSON.stringify([...scopes, REFRESH_SCOPE]), resources, updated_at: nowMs, used_at: nowMs };
  await ctx.db
    .insertInto("oauth_consents")
    .values({ id, client_id: clientId, user_id: userId, created_at: nowMs, ...values })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
    .execute();
  await recordConnected(ctx, call, { consentId: id, clientId, userId, scopes, redirectUri: null, isNew: earlier === undefined });
}
