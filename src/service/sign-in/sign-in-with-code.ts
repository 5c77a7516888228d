import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { newSecret } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { countAttempt } from "./attempts.ts";
import { countCode, useCode } from "./second-factor.ts";
import { startSession } from "./start-session.ts";

/** Maximum time between the first step of a sign-in and its code. */
export const PENDING_MS = 5 * MINUTE_MS;

/** Records a sign-in that waits for its code. */
export async function insertPending(
  { db, now, random }: TransactionCtx,
  userId: string,
): Promise<{ signInToken: string; expiresAtMs: number }> {
  const nowMs = now();
  const signInToken = newSecret(random, "signin_");
  const expiresAtMs = nowMs + PENDING_MS;
  const row = { token_hash: hashToken(signInToken), user_id: userId, created_at: nowMs, expires_at: expiresAtMs };
  await db.insertInto("pending_sign_ins").values(row).execute();
  return { signInToken, expiresAtMs };
}

/** Creates the error for a sign-in with a right password that waits for a code. It contains the token for the code. */
export async function awaitCode(ctx: TransactionCtx, userId: string): Promise<AppError> {
  const { signInToken, expiresAtMs } = await insertPending(ctx, userId);
  return new AppError("SECOND_FACTOR_REQUIRED", "This account also needs a code. Send it with the token to POST /auth/sign-in/code.", {
    fields: { signInToken, expiresAt: toIso(expiresAtMs) },
  });
}

/** `POST /auth/sign-in/code`: completes a sign-in with a code of the authenticator app, or a recovery code. */
export const signInWithCode: Operation<"signInWithCode"> = async (ctx, call, { signInToken, code }) => {
  const waiting = await findPending(ctx.db, signInToken, ctx.now());
  if (!waiting) {
    await countAttempt(ctx, { kind: "code", account: hashToken(signInToken), address: call.address });
    throw pendingEnded();
  }
  await countCode(ctx, call, waiting.id);
  return await commitResponse(ctx, call, async (ctx) => {
    // Reads the sign-in again, because the account may have changed and another request may have used the token.
    const user = await findPending(ctx.db, signInToken, ctx.now());
    if (!user) throw pendingEnded();
    await useCode(ctx, user.id, code);
    await ctx.db.deleteFrom("pending_sign_ins").where("token_hash", "=", hashToken(signInToken)).execute();
    return await startSession(ctx, call, user);
  });
};

/**
 * Finds the account of a sign-in that waits for its code; undefined once it has expired or its account is disabled. A change of the password ends it.
 */
async function findPending(db: Db, token: string, nowMs: number): Promise<UserRow | undefined> {
  return await db
    .selectFrom("pending_sign_ins as pending")
    .innerJoin("users", "users.id", "pending.user_id")
    .selectAll("users")
    .where("pending.token_hash", "=", hashToken(token))
    .where("pending.expires_at", ">", nowMs)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
}

/** Deletes expired sign-ins that wait for their code. */
export async function deleteExpiredSignIns({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db.deleteFrom("pending_sign_ins").where("expires_at", "<=", now()).execute();
}

const pendingEnded = (): AppError => new AppError("UNAUTHENTICATED", "This sign-in has expired. Start again.");
