import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import { cacheUntilCommit } from "../../db/commit-cache.ts";
import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { SessionTable } from "../../db/tables/sign-in.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { DAY_MS, HOUR_MS } from "../../lib/text/duration.ts";
import { USER_PREFIX, type UserActor } from "./actor.ts";
import { type NoticeSettings, toNoticeSettings } from "./notice-choices.ts";
import { isUnverified, toUserActor } from "./user-actor.ts";
import { addressOf } from "./users.ts";

/** Prefix of session tokens, which distinguishes them from API keys. */
export const SESSION_PREFIX = "session_";

/** Lifetime of a session without a request (accounts, "Sessions"). */
export const SESSION_MS = 30 * DAY_MS;

/** A person who is signed in, with all rights of their account. */
export interface SignedIn {
  readonly actor: UserActor;
  readonly name: string;
  readonly username: string | null;
  /** The language of mails to the person. */
  readonly language: string | null;
  /** The person's address, if it needs to be verified. */
  readonly unverifiedEmail: string | undefined;
  /** Number of unread notices; 100 means 100 or more. */
  readonly unreadNotices: number;
  /** The notices that the person gets of shares and requests without their own choice. */
  readonly notices: NoticeSettings;
  readonly storage: StorageUse;
}

/** The storage of a person: bytes of stored files, and the bytes that the account may store. */
export interface StorageUse {
  readonly usedBytes: number;
  readonly allowedBytes: number;
}

/** Finds the person of a session; undefined if it has ended or the account is disabled. */
export async function findSignedIn(ctx: Ctx, token: string): Promise<SignedIn | undefined> {
  const session = await findSession(ctx.db, token);
  if (!session || session.expires_at <= ctx.now() || session.disabled_at !== null) return undefined;
  await recordSessionUse(ctx, session);
  const actor = toUserActor(
    ctx,
    { ...session, id: session.user_id },
    { scope: "full", sessionId: session.id, provedAtMs: session.proved_at },
  );
  const { name, username, language } = session;
  return {
    actor,
    name,
    username,
    language,
    unverifiedEmail: isUnverified(ctx, session) ? addressOf(session) : undefined,
    unreadNotices: session.unread,
    notices: toNoticeSettings(session),
    storage: { usedBytes: session.used_bytes ?? 0, allowedBytes: ctx.config.tiers[actor.tier].storageMaxBytes },
  };
}

/** Counts unread notices by an index, and at most 100 of them. */
const UNREAD = sql<number>`(SELECT count(*) FROM (SELECT 1 FROM notices WHERE notices.user_id = users.id AND read_at IS NULL LIMIT 100))`;

const USED_BYTES = sql<number | null>`(SELECT used_bytes FROM quotas WHERE quotas.owner = ${USER_PREFIX} || users.id)`;

/** Caches a session until the next commit, because most of a session's requests have no commit between them. */
const findSession = cacheUntilCommit((db, token) => sessionQuery.first(db, { tokenHash: hashToken(token) }));

const sessionQuery = preparedQuery((db, { tokenHash }: { tokenHash: string }) =>
  db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .leftJoin("notice_settings", "notice_settings.user_id", "users.id")
    .select(["sessions.id", "sessions.user_id", "sessions.expires_at", "sessions.updated_at", "sessions.proved_at"])
    .select(["users.name", "users.username", "users.tier", "users.pro_until", "users.disabled_at", "users.role", "users.agent_group"])
    .select(["users.email", "users.claimed_email", "users.email_verified", "users.language"])
    .select(["notice_settings.downloaded", "notice_settings.arrived", "notice_settings.expiring", "notice_settings.by_mail"])
    .select([UNREAD.as("unread"), USED_BYTES.as("used_bytes")])
    .where("sessions.token", "=", tokenHash),
);

/** Extends a session at most once an hour, so that most requests write nothing. */
async function recordSessionUse(ctx: Ctx, { id, updated_at }: Pick<SessionTable, "id" | "updated_at">): Promise<void> {
  const nowMs = ctx.now();
  if (nowMs - updated_at < HOUR_MS) return;
  await ctx.db
    .updateTable("sessions")
    .set({ updated_at: nowMs, expires_at: nowMs + SESSION_MS })
    .where("id", "=", id)
    .execute();
}

/** Stores the language of the person's last page, which mails use. */
export async function rememberLanguage({ db }: Pick<Ctx, "db">, { actor, language }: SignedIn, current: string): Promise<void> {
  if (language !== current) await db.updateTable("users").set({ language: current }).where("id", "=", actor.userId).execute();
}

/** Deletes all sessions of an account. Resolves to their number. */
export async function deleteSessions(db: Db, userId: string): Promise<number> {
  return Number((await db.deleteFrom("sessions").where("user_id", "=", userId).executeTakeFirst()).numDeletedRows);
}

/** Deletes expired sessions. */
export async function deleteExpiredSessions({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db.deleteFrom("sessions").where("expires_at", "<=", now()).execute();
}
