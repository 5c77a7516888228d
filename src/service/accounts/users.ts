import { sql } from "kysely";
import { z } from "zod";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { parseTtl } from "../../lib/duration.ts";
import { newUuid } from "../../lib/ids.ts";
import { parseIsoTime, toIso } from "../../lib/iso-time.ts";
import { type AuditOrigin, asAccount, recordAudit } from "../audit-log/record-audit.ts";
import { USER_PREFIX } from "./actor.ts";
import { effectiveTier } from "./pro-end.ts";

/** An account to create. */
export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly username?: string | undefined;
  readonly tier: "free" | "pro";
  /** See `resolveProUntil`. */
  readonly until?: string | undefined;
  readonly isAdmin: boolean;
  /** Whether the address is known to be the person's; default: true. */
  readonly isVerified?: boolean | undefined;
  /** The language of the person's pages, if it is known. */
  readonly language?: string | undefined;
}

/** An account as an administrator sees it. */
export interface UserView {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly username: string | null;
  readonly role: UserRow["role"];
  /** The current tier. */
  readonly tier: UserRow["tier"];
  readonly proUntil: string | null;
  readonly disabledAt: string | null;
  readonly createdAt: string;
}

/** An account and the bytes that its files use. */
export interface ListedUser extends UserView {
  readonly usedBytes: number;
}

const emailAddress = z.email().max(254);
export const MAX_NAME_CHARACTERS = 100;

/** Creates an account, as `insertUser` does. */
export const createUser = (ctx: Ctx, origin: AuditOrigin, newUser: NewUser): Promise<UserView> =>
  ctx.transaction((ctx) => insertUser(ctx, origin, newUser));

/** Inserts an account; that of an anonymous caller is its own. Throws VALIDATION_FAILED, or CONFLICT if the email address or the username is taken. */
export async function insertUser(ctx: TransactionCtx, origin: AuditOrigin, newUser: NewUser): Promise<UserView> {
  const nowMs = ctx.now();
  const user = {
    id: newUuid(ctx.random, nowMs),
    name: checkName(newUser.name),
    email: checkEmail(newUser.email),
    email_verified: newUser.isVerified === false ? 0 : 1,
    image: null,
    username: newUser.username === undefined ? null : checkUsername(newUser.username),
    role: newUser.isAdmin ? "admin" : "user",
    tier: newUser.tier,
    pro_until: resolveProUntil(newUser.until, { tier: newUser.tier, nowMs }),
    disabled_at: null,
    deleted_at: null,
    agent_group: null,
    language: newUser.language ?? null,
    created_at: nowMs,
    updated_at: nowMs,
  } as const;
  await checkUserFree(ctx, user);
  await ctx.db.insertInto("users").values(user).execute();
  const isOwn = typeof origin === "object" && origin.actor.kind === "anonymous";
  const details = { role: user.role, tier: user.tier, username: user.username ?? undefined };
  await recordAudit(ctx, isOwn ? asAccount(user.id, origin) : origin, {
    action: "account.created",
    subject: user.id,
    account: user.id,
    details,
  });
  return toUserView(user, nowMs);
}

/** Marks the address of an account as its owner's, unless the account has another by now. */
export async function markVerified({ db, now }: TransactionCtx, userId: string, email: string | null): Promise<void> {
  await db.updateTable("users").set({ email_verified: 1, updated_at: now() }).where("id", "=", userId).where("email", "=", email).execute();
}

/** Lists all accounts, oldest first. */
export async function listUsers(ctx: Ctx): Promise<ListedUser[]> {
  const users = await ctx.db
    .selectFrom("users")
    .leftJoin("quotas", (join) => join.on("quotas.owner", "=", sql<string>`${USER_PREFIX} || users.id`))
    .selectAll("users")
    .select("quotas.used_bytes")
    .where("users.deleted_at", "is", null)
    .orderBy("users.created_at")
    .orderBy("users.id")
    .execute();
  return users.map((user) => ({ ...toUserView(user, ctx.now()), usedBytes: user.used_bytes ?? 0 }));
}

/** Gets an account by its ID, email address or username. Throws NOT_FOUND. */
export async function getUser(db: Db, identifier: string): Promise<UserRow> {
  const text = identifier.trim().toLowerCase();
  const user = await db
    .selectFrom("users")
    .selectAll()
    .where((where) => where.or([where("id", "=", text), where("email", "=", text), where("username", "=", text)]))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (user) return user;
  throw new AppError("NOT_FOUND", `There is no account ${identifier}. Use an ID, email address or username.`);
}

/** Changes columns of an account. Resolves to its new row. */
export async function updateUserRow(ctx: Pick<Ctx, "db" | "now">, user: UserRow, update: Partial<UserRow>): Promise<UserRow> {
  const updated = { ...update, updated_at: ctx.now() };
  await ctx.db.updateTable("users").set(updated).where("id", "=", user.id).execute();
  return { ...user, ...updated };
}

/** An email address in lower case. Throws VALIDATION_FAILED. */
export function checkEmail(text: string): string {
  const parsed = emailAddress.safeParse(text.trim().toLowerCase());
  if (parsed.success) return parsed.data;
  throw new AppError("VALIDATION_FAILED", `"${text}" is not an email address. Write one such as ada@example.org.`);
}

/** A name of one line, without space around it. Throws VALIDATION_FAILED. */
export function checkName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= MAX_NAME_CHARACTERS && !/\p{Cc}/u.test(name)) return name;
  throw new AppError("VALIDATION_FAILED", `The name is not valid. Use 1 to ${MAX_NAME_CHARACTERS} characters on one line.`);
}

async function checkUserFree(ctx: TransactionCtx, { id, email, username }: Pick<UserRow, "id" | "email" | "username">): Promise<void> {
  if (await ctx.db.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst()) {
    throw new AppError("CONFLICT", `An account with the address ${email} already exists. Choose another address, or use that account.`);
  }
  if (username !== null) await checkUsernameFree(ctx, username, id);
}

const USERNAME = /^[a-z0-9_-]{3,30}$/;

/** Returns a valid username unchanged. Throws VALIDATION_FAILED. */
export function checkUsername(text: string): string {
  if (USERNAME.test(text)) return text;
  throw new AppError("VALIDATION_FAILED", `The username "${text}" is not valid. Use 3 to 30 of a-z, 0-9, - and _.`);
}

/** Throws CONFLICT if an account other than `userId` has the username. */
export async function checkUsernameFree(ctx: TransactionCtx, username: string, userId: string): Promise<void> {
  const owner = await ctx.db.selectFrom("users").select("id").where("username", "=", username).executeTakeFirst();
  if (owner && owner.id !== userId) throw new AppError("CONFLICT", `The username ${username} is taken. Choose another.`);
}

/**
 * When Pro ends, in milliseconds since 1970; null for never. `until` is an ISO date (its start, in UTC), an ISO time (in UTC without an
 * offset) or a duration from now such as `30d`. It may be in the past: the grace counts from it. Throws VALIDATION_FAILED for anything else,
 * and for the tier free.
 */
export function resolveProUntil(until: string | undefined, { tier, nowMs }: { tier: "free" | "pro"; nowMs: number }): number | null {
  if (until === undefined) return null;
  if (tier === "free") throw new AppError("VALIDATION_FAILED", "Only the tier pro has an end. Omit --until, or choose pro.");
  const durationMs = parseTtl(until);
  const expiresAtMs = durationMs === undefined ? parseIsoTime(until) : nowMs + durationMs;
  if (expiresAtMs === undefined)
    throw new AppError("VALIDATION_FAILED", `"${until}" is not a time. Write a date such as 2030-01-31, or a duration such as 30d or 52w.`);
  return expiresAtMs;
}

export function toUserView(user: UserRow, nowMs: number): UserView {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    username: user.username,
    role: user.role,
    tier: effectiveTier(user, nowMs),
    proUntil: user.tier === "pro" ? toIso(user.pro_until) : null,
    disabledAt: toIso(user.disabled_at),
    createdAt: toIso(user.created_at),
  };
}
