import { z } from "zod";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError, invalidField } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { parseTtl } from "../../lib/text/duration.ts";
import { parseIsoTime, toIso } from "../../lib/text/iso-time.ts";
import { type AuditOrigin, asAccount, recordAudit } from "../audit-log/record-audit.ts";
import { effectiveTier } from "./pro-end.ts";

/** An account to create. */
export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly username?: string | undefined;
  readonly tier: "free" | "pro";
  /** The end of Pro, in a form that `resolveProUntil` accepts. */
  readonly until?: string | undefined;
  readonly isAdmin: boolean;
  /**
   * The trust in the address. With `entered`, a taken address also creates an account, without the address, so that the caller does not learn that it
   * is taken.
   */
  readonly trust: AddressTrust;
  /** The language of the person's pages; undefined if unknown. */
  readonly language?: string | undefined;
  /** Whether recipients of the account's shares see its name, which the person wrote for this purpose too. */
  readonly showName?: boolean;
}

/**
 * The trust in an email address (sign in, "Verified and proved"): its owner has proved it, somebody trusted has vouched for it, or anybody may have
 * entered it.
 */
export type AddressTrust = "proved" | "trusted" | "entered";

/** An account as an administrator sees it. */
export interface AccountDetails {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly username: string | null;
  readonly role: UserRow["role"];
  /** The current tier. */
  readonly tier: UserRow["tier"];
  readonly proUntil: string | null;
  readonly disabledAt: string | null;
  readonly createdAt: string;
}

const emailAddress = z.email().max(254);
export const MAX_NAME_CHARACTERS = 100;

/**
 * Inserts an account, which is the author of its creation in the audit log if the caller is anonymous. Throws VALIDATION_FAILED, or CONFLICT if
 * the email address or the username is taken.
 */
export async function insertUser(ctx: TransactionCtx, origin: AuditOrigin, newUser: NewUser): Promise<AccountDetails> {
  const nowMs = ctx.now();
  const id = newUuid(ctx.random, nowMs);
  const email = checkEmail(newUser.email);
  const isClaim = newUser.trust === "entered" && (await findOwner(ctx.db, email)) !== undefined;
  const user = {
    id,
    name: checkName(newUser.name),
    ...(isClaim ? claimColumns(id, email) : { email, claimed_email: null }),
    ...trustColumns(newUser.trust, nowMs),
    image: null,
    username: newUser.username === undefined ? null : checkUsername(newUser.username),
    role: newUser.isAdmin ? "admin" : "user",
    tier: newUser.tier,
    pro_until: resolveProUntil(newUser.until, { tier: newUser.tier, nowMs }),
    disabled_at: null,
    deleted_at: null,
    agent_group: null,
    language: newUser.language ?? null,
    show_name: newUser.showName ? 1 : 0,
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

/** Returns the address of an account as its owner knows it. */
export const addressOf = ({ email, claimed_email }: Pick<UserRow, "email"> & Partial<Pick<UserRow, "claimed_email">>): string =>
  claimed_email ?? email;

/** Returns the columns that record the trust in an account's address. */
export const trustColumns = (trust: AddressTrust, nowMs: number) =>
  ({ email_verified: trust === "entered" ? 0 : 1, email_proved_at: trust === "proved" ? nowMs : null }) as const;

/**
 * Returns whether the address belongs to the account's owner; otherwise a stranger may have signed up with it. True for agents, whose address the
 * server generated.
 */
export const isAddressVerified = ({ email_verified, role }: Pick<UserRow, "email_verified" | "role">): boolean =>
  email_verified === 1 || role === "agent";

/** Returns the columns of an account whose address another account has. */
export const claimColumns = (userId: string, email: string) => ({ email: `claimed-${userId}`, claimed_email: email });

/** Finds the account with an address. */
export const findOwner = async (db: Db, email: string): Promise<UserRow | undefined> =>
  await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();

/** Gets an account by its ID, email address or username. Throws NOT_FOUND. */
export async function getUser(db: Db, identifier: string): Promise<UserRow> {
  const user = await findUser(db, identifier);
  if (user) return user;
  throw new AppError("NOT_FOUND", `There is no account ${identifier}. Use an ID, email address or username.`);
}

/** Finds the account with an ID, email address or username. */
export async function findUser(db: Db, identifier: string): Promise<UserRow | undefined> {
  const text = identifier.trim().toLowerCase();
  return await db
    .selectFrom("users")
    .selectAll()
    .where((where) => where.or([where("id", "=", text), where("email", "=", text), where("username", "=", text)]))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

/** Updates columns of an account. Resolves to the new row. */
export async function updateUserRow(ctx: Pick<Ctx, "db" | "now">, user: UserRow, update: Partial<UserRow>): Promise<UserRow> {
  const updated = { ...update, updated_at: ctx.now() };
  await ctx.db.updateTable("users").set(updated).where("id", "=", user.id).execute();
  return { ...user, ...updated };
}

/** Returns an email address in lower case. Throws VALIDATION_FAILED. */
export function checkEmail(text: string): string {
  const parsed = emailAddress.safeParse(text.trim().toLowerCase());
  if (parsed.success) return parsed.data;
  throw invalidField("email", `"${text}" is not an email address. Write one such as ada@example.org.`);
}

/** Returns a name as one line without surrounding space. Throws VALIDATION_FAILED. */
export function checkName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= MAX_NAME_CHARACTERS && !/\p{Cc}/u.test(name)) return name;
  throw invalidField("name", `The name is not valid. Use 1 to ${MAX_NAME_CHARACTERS} characters on one line.`);
}

async function checkUserFree(ctx: TransactionCtx, { id, email, username }: Pick<UserRow, "id" | "email" | "username">): Promise<void> {
  if (await findOwner(ctx.db, email)) {
    throw new AppError(
      "CONFLICT",
      `An account with the address ${email} already exists. Choose another address, or use that account if you know whose it is.`,
    );
  }
  if (username !== null) await checkUsernameFree(ctx, username, id);
}

const USERNAME = /^[a-z0-9_-]{3,30}$/;

/** Returns a valid username unchanged. Throws VALIDATION_FAILED. */
export function checkUsername(text: string): string {
  if (USERNAME.test(text)) return text;
  throw invalidField("username", `The username "${text}" is not valid. Use 3 to 30 of a-z, 0-9, - and _.`);
}

/** Throws CONFLICT if an account other than `userId` has the username. */
export async function checkUsernameFree(ctx: TransactionCtx, username: string, userId: string): Promise<void> {
  const owner = await ctx.db.selectFrom("users").select("id").where("username", "=", username).executeTakeFirst();
  if (owner && owner.id !== userId) throw new AppError("CONFLICT", `The username ${username} is taken. Choose another.`);
}

/**
 * Returns the end of Pro in milliseconds since 1970; null for never. `until` is an ISO date (its start, in UTC), an ISO time or a duration such as
 * `30d`, and may be in the past; throws VALIDATION_FAILED for other texts and for the tier free.
 */
export function resolveProUntil(until: string | undefined, { tier, nowMs }: { tier: "free" | "pro"; nowMs: number }): number | null {
  if (until === undefined) return null;
  if (tier === "free") throw invalidField("proEnd", "Only the tier pro has an end. Omit --until, or choose pro.");
  const durationMs = parseTtl(until);
  const expiresAtMs = durationMs === undefined ? parseIsoTime(until) : nowMs + durationMs;
  if (expiresAtMs === undefined)
    throw invalidField("proEnd", `"${until}" is not a time. Write a date such as 2030-01-31, or a duration such as 30d or 52w.`);
  return expiresAtMs;
}

export function toUserView(user: UserRow, nowMs: number): AccountDetails {
  return {
    id: user.id,
    email: addressOf(user),
    emailVerified: isAddressVerified(user),
    name: user.name,
    username: user.username,
    role: user.role,
    tier: effectiveTier(user, nowMs),
    proUntil: user.tier === "pro" ? toIso(user.pro_until) : null,
    disabledAt: toIso(user.disabled_at),
    createdAt: toIso(user.created_at),
  };
}
