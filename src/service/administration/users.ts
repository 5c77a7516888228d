import { sql } from "kysely";
import { sqlAddressVerified } from "../../db/account-address.ts";
import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { USER_PREFIX } from "../accounts/actor.ts";
import { revokeNamedKey } from "../accounts/admin-keys.ts";
import { shownPrefix } from "../accounts/api-key.ts";
import { getNamedUser, getTrustedUser } from "../accounts/named-user.ts";
import { listLiveKeys } from "../accounts/queries.ts";
import { getQuota } from "../accounts/quotas.ts";
import { toUserActor } from "../accounts/user-actor.ts";
import { type AccountDetails, checkUsername, getUser, isAddressVerified, toUserView } from "../accounts/users.ts";
import type { Input } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { limitSharesPastPro } from "../shares/pro-limits.ts";
import { insertAccount } from "../sign-in/addresses.ts";
import { insertResetLink } from "../sign-in/password-reset.ts";
import { hasSecondFactor } from "../sign-in/second-factor.ts";
import { countEndpoints } from "../webhooks/queries.ts";
import { changeRole, changeTier, changeUsername, endAllSessions, setDisabled } from "./change-user.ts";

const toVersionedView = (user: UserRow, nowMs: number): AccountDetails & { readonly version: number } => ({
  ...toUserView(user, nowMs),
  version: versionOf(user),
});

/** Returns a digest of the columns that `changeUser` changes, as a number. The person's own changes do not alter it, so they cause no conflict. */
const versionOf = ({ role, tier, pro_until, username, disabled_at }: UserRow): number =>
  Number.parseInt(hashToken(JSON.stringify([role, tier, pro_until, username, disabled_at])).slice(0, VERSION_DIGITS), 16);

/** Number of hexadecimal digits that a JSON number represents exactly. */
const VERSION_DIGITS = 12;

/** `GET /admin/users`: lists accounts, newest first; a search lists accounts with a verified address first. `nextCursor` is null on the last page. */
export const searchUsers: AdministratorOperation<"searchUsers"> = async (ctx, _call, { limit, ...search }) => {
  const pageSize = clampLimit(limit, { defaultLimit: 50, maxLimit: 200 });
  const rows = await findUsers(ctx.db, { ...search, count: pageSize + 1 });
  const page = rows.slice(0, pageSize);
  const data = page.map(({ used_bytes, ...user }) => ({ ...toVersionedView(user, ctx.now()), usedBytes: used_bytes ?? 0 }));
  return { success: true, data, nextCursor: rows.length > pageSize ? toCursor(page.at(-1), search.search) : null };
};

/** Returns the position after an account: its ID and, in a search, whether its address is verified. */
const toCursor = (user: UserRow | undefined, search: string | undefined): string | null =>
  user === undefined ? null : isSearch(search) ? `${isAddressVerified(user) ? 1 : 0}.${user.id}` : user.id;

const isSearch = (search: string | undefined): boolean => search !== undefined && search.trim() !== "";

type Search = Omit<Input<"searchUsers">, "limit"> & { readonly count: number };

async function findUsers(db: Db, { search, filter, cursor, count }: Search) {
  const text = search?.trim().toLowerCase() ?? "";
  const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  return await db
    .selectFrom("users")
    .leftJoin("quotas", (join) => join.on("quotas.owner", "=", sql<string>`${USER_PREFIX} || users.id`))
    .selectAll("users")
    .select("quotas.used_bytes")
    .where("deleted_at", "is", null)
    .$if(filter === "people", (query) => query.where("role", "<>", "agent"))
    .$if(filter === "administrators", (query) => query.where("role", "=", "admin"))
    .$if(filter === "agents", (query) => query.where("role", "=", "agent"))
    .$if(filter === "disabled", (query) => query.where("disabled_at", "is not", null))
    .$if(cursor !== undefined, (query) => query.where(after(cursor ?? "")))
    .$if(isSearch(search), (query) => query.orderBy(sqlAddressVerified("users"), "desc"))
    .$if(text !== "", (query) =>
      query.where(
        sql<boolean>`(users.id = ${text} OR users.email LIKE ${pattern} ESCAPE '\\' OR users.claimed_email LIKE ${pattern} ESCAPE '\\' OR users.name LIKE ${pattern} ESCAPE '\\' OR users.username LIKE ${pattern} ESCAPE '\\')`,
      ),
    )
    .orderBy("users.id", "desc")
    .limit(count)
    .execute();
}

/** Compares with a cursor of `toCursor`. */
function after(cursor: string) {
  const [verified = "", id] = cursor.split(".");
  if (id === undefined) return sql<boolean>`users.id < ${cursor}`;
  return sql<boolean>`(${sqlAddressVerified("users")}, users.id) < (${Number(verified)}, ${id})`;
}

/**
 * `POST /admin/users`: creates an account whose address counts as verified. Throws VALIDATION_FAILED, and CONFLICT if the address or the username is
 * taken.
 */
export const addUser: AdministratorOperation<"addUser"> = (ctx, call, { email, name, username, tier = "free", proEnd, role }) =>
  commitResponse(ctx, call, async (ctx) => {
    const created = await insertAccount(ctx, call, {
      email,
      name,
      username: username ?? undefined,
      tier,
      until: proEnd ?? undefined,
      isAdmin: role === "admin",
      trust: "proved",
    });
    return toVersionedView(await getUser(ctx.db, created.id), ctx.now());
  });

/** `GET /admin/users/{id}`. Throws NOT_FOUND. */
export const getUserDetails: AdministratorOperation<"getUserDetails"> = async (ctx, _call, { id }) => {
  const user = await getNamedUser(ctx.db, id);
  const nowMs = ctx.now();
  const { tier, quotaOwner } = toUserActor(ctx, user, { scope: "files_read" });
  const [quota, shares, webhooks, sessions, keys, hasTwoFactor] = await Promise.all([
    getQuota(ctx.db, quotaOwner),
    countShares(ctx.db, user.id),
    countEndpoints(ctx.db, user.id),
    ctx.db
      .selectFrom("sessions")
      .selectAll()
      .where("user_id", "=", user.id)
      .where("expires_at", ">", nowMs)
      .orderBy("updated_at", "desc")
      .execute(),
    listLiveKeys(ctx.db, user.id),
    hasSecondFactor(ctx.db, user.id),
  ]);
  return {
    ...toVersionedView(user, nowMs),
    storage: { usedBytes: quota.usedBytes, allowedBytes: ctx.config.tiers[tier].storageMaxBytes, files: quota.files },
    shares,
    webhooks,
    sessions: sessions.map((session) => ({
      id: session.id,
      userAgent: session.user_agent ?? "",
      createdAt: toIso(session.created_at),
      lastUsedAt: toIso(session.updated_at),
    })),
    hasTwoFactor,
    keys: keys.map((key) => ({
      id: key.id,
      prefix: shownPrefix(key),
      label: key.label,
      scope: key.scope,
      isAdminKey: key.is_admin_key === 1,
      createdAt: toIso(key.created_at),
      lastUsedAt: toIso(key.last_used_at),
    })),
  };
};

async function countShares(db: Db, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom("shares")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("owner_id", "=", ownerId)
    .where("status", "=", "active")
    .executeTakeFirstOrThrow();
  return count;
}

/** `PATCH /admin/users/{id}`: makes all changes or none. Throws CONFLICT if the account has changed since the caller read it. */
export const changeUser: AdministratorOperation<"changeUser"> = async (
  ctx,
  call,
  { id, version, tier, proEnd, role, username, isDisabled },
) => {
  const changed = await commitResponse(ctx, call, async (ctx) => {
    const isRaised = tier === "pro" || role === "admin" || username != null || isDisabled === false;
    let user = isRaised ? await getTrustedUser(ctx.db, id) : await getNamedUser(ctx.db, id);
    if (version !== undefined && version !== versionOf(user)) throw changedMeanwhile();
    if (tier !== undefined) user = await changeTier(ctx, call, user, { tier, until: proEnd ?? undefined });
    if (role !== undefined) user = await changeRole(ctx, call, user, role);
    if (username !== undefined) user = await changeUsername(ctx, call, user, username === null ? null : checkUsername(username));
    if (isDisabled !== undefined) user = await setDisabled(ctx, call, user, { isDisabled });
    return toVersionedView(user, ctx.now());
  });
  if (tier !== undefined) await limitSharesPastPro(ctx, changed.id);
  if (isDisabled !== undefined) ctx.wakeJobs();
  return changed;
};

const changedMeanwhile = (): AppError =>
  new AppError("PRECONDITION_FAILED", "The account was changed meanwhile. Get it again, then decide on its new state.");

/** `DELETE /admin/users/{id}/sessions`. */
export const signOutUser: AdministratorOperation<"signOutUser"> = (ctx, call, { id }) =>
  commitResponse(ctx, call, async (ctx) => await endAllSessions(ctx, call, await getNamedUser(ctx.db, id)));

/** `DELETE /admin/keys/{id}`. */
export const revokeUserKey: AdministratorOperation<"revokeUserKey"> = (ctx, call, { id }) =>
  commitResponse(ctx, call, (ctx) => revokeNamedKey(ctx, call, id));

/** `POST /admin/users/{id}/reset-link`: creates a link that resets a password. Only this response contains the link. */
export const createUserResetLink: AdministratorOperation<"createUserResetLink"> = (ctx, call, { id }) =>
  commitResponse(ctx, call, (ctx) => insertResetLink(ctx, call, id));
