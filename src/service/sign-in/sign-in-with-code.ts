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

/** How long after the password or the provider the code may be sent. */
export const PENDING_MS = 5 * MINUTE_MS;

/** Begins to wait for the code of a sign-in. */
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

/** The error of a sign-in whose password was right and that waits for a code; has the token for it. */
export async function awaitCode(ctx: TransactionCtx, userId: string): Promise<AppError> {
  const { signInToken, expiresAtMs } = await insertPending(ctx, userId);
  return new AppError("SECOND_FACTOR_REQUIRED", "This account also needs a code. Send it with the token to POST /auth/sign-in/code.", {
    fields: { signInToken, expiresAt: toIso(expiresAtMs) },
  });
}

/** `POST /auth/sign-in/code`: ends a sign-in with a code of the authenticator app, or a recovery code. */
export const signInWithCode: Operation<"signInWithCode"> = async (ctx, call, { signInToken, code }) => {
  const waiting = await findPending(ctx.db, signInToken, ctx.now());
  if (!waiting) {
    await countAttempt(ctx, { kind: "code", account: hashToken(signInToken), address: call.address });
    throw pendingEnded();
  }
  await countCode(ctx, call, waiting.id);
  return await commitResponse(ctx, call, async (ctx) => {
    // The account may have been changed meanwhile, and another request may have used the token.
    const user = await findPending(ctx.db, signInToken, ctx.now());
    if (!user) throw pendingEnded();
    await useCode(ctx, user.id, code);
    await ctx.db.deleteFrom("pending_sign_ins").where("token_hash", "=", hashToken(signInToken)).execute();
    return await startSession(ctx, call, user);
  });
};

/** The account of a sign-in that waits; undefined once it has expired or its account is disabled. A change of the password ends it. */
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

/** Deletes sign-ins whose code never came. */
export async function deleteExpiredSignIns({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db.deleteFrom("pending_sign_ins").where("expires_at", "<=", now()).execute();
}

const pendingEnded = (): AppError => new AppError("UNAUTHENTICATED", "This sign-in has expired. Start again.");
