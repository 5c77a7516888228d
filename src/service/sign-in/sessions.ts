import type { Ctx, RequestContext } from "../../context.ts";
import { AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser, type UserActor } from "../accounts/actor.ts";
import { requireProof } from "../accounts/proof-of-identity.ts";
import { recordAudit, recordAudits } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { hashPassword } from "./password-hash.ts";
import { hasPassword, isStillPassword, savePassword, tryPassword } from "./passwords.ts";
import { mailSecurityNotice } from "./security-notice.ts";

/** `POST /auth/sign-out`: ends the session that the request was sent with. */
export const signOut: Operation<"signOut"> = async (ctx, call) => {
  const actor = requireUser(call.actor);
  const id = requireSession(actor);
  return await commitResponse(ctx, call, async (ctx) => {
    await ctx.db.deleteFrom("sessions").where("id", "=", id).execute();
    await recordAudit(ctx, call, { action: "session.ended", subject: id, account: actor.userId });
    return { id };
  });
};

/** `GET /sessions`: lists the account's sessions, the most recently used first. */
export const listSessions: Operation<"listSessions"> = async (ctx, { actor }) => {
  const { userId, sessionId } = requireUser(actor);
  const rows = await ctx.db
    .selectFrom("sessions")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", ctx.now())
    .orderBy("updated_at", "desc")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    userAgent: row.user_agent ?? "",
    createdAt: toIso(row.created_at),
    lastUsedAt: toIso(row.updated_at),
    expiresAt: toIso(row.expires_at),
    isCurrent: row.id === sessionId,
  }));
};

/** `DELETE /sessions/{id}`: ends a session of the account. */
export const revokeSession: Operation<"revokeSession"> = async (ctx, call, { id }) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const { numDeletedRows } = await ctx.db.deleteFrom("sessions").where("id", "=", id).where("user_id", "=", userId).executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound("session", "List them with GET /sessions.", "in your account");
    await recordAudit(ctx, call, { action: "session.ended", subject: id, account: userId });
    return { id };
  });
};

/** `DELETE /sessions`: ends all sessions of the account except the request's session. */
export const revokeOtherSessions: Operation<"revokeOtherSessions"> = async (ctx, call) => {
  const { userId, sessionId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const others = ctx.db
      .deleteFrom("sessions")
      .where("user_id", "=", userId)
      .where("id", "<>", sessionId ?? "");
    const ended = await others.returning("id").execute();
    await recordAudits(
      ctx,
      call,
      ended.map(({ id }) => ({ action: "session.ended", subject: id, account: userId })),
    );
    return { endedSessions: ended.length };
  });
};

/** `POST /auth/password`: changes the password and ends all other sessions. An account without a password sets its first one after a proof. */
export const changePassword: Operation<"changePassword"> = async (ctx, call, { currentPassword, newPassword }) => {
  const actor = requireUser(call.actor);
  const sessionId = requireSession(actor);
  const oldHash = await tryCurrent(ctx, call, actor.userId, currentPassword ?? "");
  const hash = await hashPassword(newPassword);
  const response = await commitResponse(ctx, call, async (ctx) => {
    if (!(await isStillPassword(ctx.db, actor.userId, oldHash))) throw wrongPassword();
    await savePassword(ctx, actor.userId, hash);
    await mailSecurityNotice(ctx, actor.userId, "password");
    const others = ctx.db.deleteFrom("sessions").where("user_id", "=", actor.userId).where("id", "<>", sessionId);
    await recordAudit(ctx, call, { action: "account.password_changed", subject: actor.userId, account: actor.userId });
    return { endedSessions: Number((await others.executeTakeFirst()).numDeletedRows) };
  });
  ctx.wakeJobs();
  return response;
};

/**
 * Returns the hash of the current password; undefined for an account without a password, whose session has a proof. Throws FORBIDDEN, PROOF_REQUIRED.
 */
async function tryCurrent(ctx: Ctx, call: RequestContext, userId: string, password: string): Promise<string | undefined> {
  if (!(await hasPassword(ctx.db, userId))) {
    requireProof(ctx, call);
    return undefined;
  }
  const hash = await tryPassword(ctx, call, { userId, account: userId, password });
  if (hash === undefined) throw wrongPassword();
  return hash;
}

const wrongPassword = (): AppError => new AppError("FORBIDDEN", "The current password is wrong. Write it again.");

/** Returns the session of the request. Throws CONFLICT for a key. */
export function requireSession({ sessionId }: UserActor): string {
  if (sessionId !== null) return sessionId;
  throw new AppError("CONFLICT", "This request was sent with a key. Sign in, and send the session's token.");
}
