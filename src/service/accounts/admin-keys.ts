import type { Ctx, TransactionCtx } from "../../context.ts";
import { AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import type { Scope } from "./actor.ts";
import { newKeyRow, shownPrefix } from "./api-key.ts";
import { keyDetails } from "./keys.ts";
import { getNamedUser, getTrustedUser } from "./named-user.ts";
import { insertKey, listLiveKeys } from "./queries.ts";
import { addressOf, isAddressVerified } from "./users.ts";

/** A new key, as the command line prints it. */
export interface CreatedKey {
  readonly id: string;
  /** The key, which is shown only once. */
  readonly key: string;
  readonly prefix: string;
  readonly scope: Scope;
  readonly isAdminKey: boolean;
  readonly label: string | null;
  readonly userId: string;
  readonly createdAt: string;
}

const MAX_LABEL_CHARACTERS = 120;

export interface NewUserKey {
  /** ID, username or verified address, which `getTrustedUser` resolves. */
  readonly user: string;
  readonly scope: Scope;
  readonly label?: string | undefined;
  /** Whether the key may administer the server. Only an administrator's account may have such a key, with the scope `full`. */
  readonly isAdminKey?: boolean;
}

/**
 * Creates an API key for an account. Throws NOT_FOUND, VALIDATION_FAILED, or CONFLICT if the account is disabled or must not have such a key.
 */
export async function createUserKey(
  ctx: Ctx,
  origin: AuditOrigin,
  { user: named, scope, label, isAdminKey = false }: NewUserKey,
): Promise<CreatedKey> {
  if (label !== undefined && label.length > MAX_LABEL_CHARACTERS)
    throw new AppError("VALIDATION_FAILED", `The label is too long. Use at most ${MAX_LABEL_CHARACTERS} characters.`);
  const { key, row } = await ctx.transaction(async (ctx) => {
    const user = await getTrustedUser(ctx.db, named);
    if (user.disabled_at !== null)
      throw new AppError(
        "CONFLICT",
        `The account of ${addressOf(user)} is disabled, so a new key would not work. Enable the account first.`,
      );
    if (isAdminKey && user.role !== "admin")
      throw new AppError("CONFLICT", `The account of ${addressOf(user)} is not an administrator's. Make it one first, or omit --admin.`);
    if (isAdminKey && scope !== "full")
      throw new AppError("VALIDATION_FAILED", "A key that may administer has the scope full. Omit --scope.");
    const created = newKeyRow(ctx, { ownerId: user.id, label, scope, isAdminKey });
    await insertKey(ctx.db, created.row);
    await recordAudit(ctx, origin, { action: "key.created", subject: created.row.id, account: user.id, details: keyDetails(created.row) });
    return created;
  });
  const { id, owner_id: userId, created_at } = row;
  return { id, key, prefix: shownPrefix(row), scope, isAdminKey, label: row.label, userId, createdAt: toIso(created_at) };
}

/** A key as an administrator sees it, without its secret. */
export interface AdminKeyView {
  readonly id: string;
  readonly prefix: string;
  readonly scope: Scope;
  readonly isAdminKey: boolean;
  readonly label: string | null;
  readonly userId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

interface KeyFilter {
  readonly id?: string;
  /** The ID, username or email address of the account, read by `getNamedUser`. */
  readonly user?: string | undefined;
}

/** Lists the key with an ID, the keys of one account, or all, revoked ones included, oldest first. Throws NOT_FOUND for an unknown account. */
export async function listAllKeys(ctx: Ctx, { id, user: named }: KeyFilter = {}): Promise<AdminKeyView[]> {
  const owner = named === undefined ? undefined : (await getNamedUser(ctx.db, named)).id;
  const keys = await ctx.db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_id")
    .selectAll("api_keys")
    .select(["users.email", "users.claimed_email", "users.email_verified", "users.role"])
    .$if(id !== undefined, (query) => query.where("api_keys.id", "=", id ?? ""))
    .$if(owner !== undefined, (query) => query.where("api_keys.owner_id", "=", owner ?? ""))
    .orderBy("api_keys.created_at")
    .orderBy("api_keys.id")
    .execute();
  return keys.map((key) => ({
    id: key.id,
    prefix: shownPrefix(key),
    scope: key.scope,
    isAdminKey: key.is_admin_key === 1,
    label: key.label,
    userId: key.owner_id,
    email: addressOf(key),
    emailVerified: isAddressVerified(key),
    createdAt: toIso(key.created_at),
    lastUsedAt: toIso(key.last_used_at),
    revokedAt: toIso(key.revoked_at),
  }));
}

/** Revokes a key in a transaction, given its ID, its prefix or the whole key. Revoking it again changes nothing. Throws NOT_FOUND. */
export async function revokeNamedKey(ctx: TransactionCtx, origin: AuditOrigin, identifier: string): Promise<{ readonly id: string }> {
  const prefix = /^(?:bc_)?([0-9A-Za-z]{8})(?:_[\w-]+)?$/.exec(identifier)?.[1] ?? "";
  const key = await ctx.db
    .selectFrom("api_keys")
    .selectAll()
    .where((where) => where.or([where("id", "=", identifier), where("prefix", "=", prefix)]))
    .executeTakeFirst();
  if (!key) throw notFound("key", "Use its ID or its prefix, such as bc_AbCd1234.");
  if (key.revoked_at === null) {
    await ctx.db.updateTable("api_keys").set({ revoked_at: ctx.now() }).where("id", "=", key.id).execute();
    await recordAudit(ctx, origin, { action: "key.revoked", subject: key.id, account: key.owner_id, details: keyDetails(key) });
  }
  return { id: key.id };
}

/** Revokes the administration keys of an account that is no longer an administrator's. */
export async function revokeAdminKeys(ctx: TransactionCtx, origin: AuditOrigin, userId: string): Promise<void> {
  for (const key of await listLiveKeys(ctx.db, userId)) if (key.is_admin_key === 1) await revokeNamedKey(ctx, origin, key.id);
}
