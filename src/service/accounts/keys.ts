import type { ApiKeyRow } from "../../db/tables/accounts.ts";
import { AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import type { Output } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "./actor.ts";
import { newApiKey, newKeyRow, shownPrefix } from "./api-key.ts";
import { keysContract } from "./contract.ts";
import { insertKey, listLiveKeys, updateLiveKey } from "./queries.ts";
import { requireAsDefined } from "./requirements.ts";

const MAX_KEYS = 100;

/** `POST /keys`: creates a key for the caller's account, shown once. */
export const createKey: Operation<"createKey"> = async (ctx, call, { label, scope }) => {
  const { userId } = requireAsDefined(ctx, call, keysContract.createKey);
  const { key, row } = newKeyRow(ctx, { ownerId: userId, label, scope: scope ?? "full" });
  return await commitResponse(ctx, call, async (ctx) => {
    if ((await listLiveKeys(ctx.db, userId)).length >= MAX_KEYS) {
      throw new AppError("CONFLICT", `The account already has ${MAX_KEYS} keys. Revoke one that is no longer used.`);
    }
    await insertKey(ctx.db, row);
    await recordAudit(ctx, call, { action: "key.created", subject: row.id, account: userId, details: keyDetails(row) });
    return { ...toKeyView(row), key };
  });
};

/** `GET /keys`: lists the account's keys that are not revoked, oldest first. */
export const listKeys: Operation<"listKeys"> = async (ctx, { actor }) => {
  const keys = await listLiveKeys(ctx.db, requireUser(actor).userId);
  return keys.map(toKeyView);
};

/** `POST /keys/{id}/rotate`: replaces the secret of a key, shown once. The old secret stops working with the next request. */
export const rotateKey: Operation<"rotateKey"> = async (ctx, call, { id }) => {
  const { userId } = requireAsDefined(ctx, call, keysContract.rotateKey);
  const { key, ...columns } = newApiKey(ctx.random);
  return await commitResponse(ctx, call, async (ctx) => {
    const row = await updateLiveKey(ctx.db, { id, ownerId: userId }, { ...columns, last_used_at: null });
    if (!row) throw keyNotFound();
    // A key of the account must not obtain an administration key by rotating one.
    if (row.is_admin_key === 1) throw adminKeyNotRotatable();
    await recordAudit(ctx, call, { action: "key.rotated", subject: id, account: userId, details: keyDetails(row) });
    return { ...toKeyView(row), key };
  });
};

/** `DELETE /keys/{id}`: revokes a key, even the one that the request was sent with. It stops working with the next request. */
export const revokeKey: Operation<"revokeKey"> = async (ctx, call, { id }) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const key = await updateLiveKey(ctx.db, { id, ownerId: userId }, { revoked_at: ctx.now() });
    if (!key) throw keyNotFound();
    await recordAudit(ctx, call, { action: "key.revoked", subject: id, account: userId, details: keyDetails(key) });
    return { id };
  });
};

/** Returns the details of a key for the audit log. */
export const keyDetails = (key: Pick<ApiKeyRow, "prefix" | "scope" | "is_admin_key">) => ({
  prefix: shownPrefix(key),
  scope: key.scope,
  admin: key.is_admin_key === 1 || undefined,
});

/** Returns a key as its owner sees it. */
export function toKeyView(key: ApiKeyRow): Output<"listKeys">[number] {
  return {
    id: key.id,
    prefix: shownPrefix(key),
    label: key.label,
    scope: key.scope,
    createdAt: toIso(key.created_at),
    lastUsedAt: toIso(key.last_used_at),
  };
}

const adminKeyNotRotatable = (): AppError =>
  new AppError(
    "FORBIDDEN",
    "A key that may administer cannot be rotated. Create one with `filehost keys create --admin`, and revoke this one.",
  );

/** Returns the same error for an unknown key, a revoked key and another account's key, so that the error reveals nothing. */
const keyNotFound = (): AppError => notFound("key", "List your keys with GET /keys to find its ID.", "in your account");
