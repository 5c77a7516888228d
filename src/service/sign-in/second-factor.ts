import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { countAttempt, forgetAttempts } from "./attempts.ts";
import { useRecoveryCode } from "./recovery-codes.ts";
import { findTotpStep } from "./totp.ts";

/** Returns whether signing in to the account also requires a code. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom("authenticators")
    .select("user_id")
    .where("user_id", "=", userId)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the authenticator app of an account, even during its set-up, and its recovery codes. */
export async function deleteFactor(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("authenticators").where("user_id", "=", userId).execute();
  await db.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}

/**
 * Returns whether an account needs a code after a sign-in at the provider. It does not if the operator states that the provider asks for a second
 * step itself.
 */
export const needsCodeAfterProvider = async (
  { db, config }: Pick<Ctx, "db" | "config"> | Pick<TransactionCtx, "db" | "config">,
  userId: string,
): Promise<boolean> => config.oidc?.hasTwoStep !== true && (await hasSecondFactor(db, userId));

/** Counts an attempt with a code before its comparison (accounts, "Attempts"). Throws RATE_LIMITED. */
export const countCode = (ctx: Ctx, { address }: Pick<RequestContext, "address">, userId: string): Promise<void> =>
  countAttempt(ctx, { kind: "code", account: userId, address });

/**
 * Uses up a code of the account's authenticator app, or a recovery code; call `countCode` before. Only one of several concurrent attempts succeeds.
 * Throws FORBIDDEN for any other code.
 */
export async function useCode(ctx: TransactionCtx, userId: string, code: string): Promise<void> {
  const isUsed = /^[\d\s-]{6,}$/.test(code) && (await useAppCode(ctx, userId, code));
  if (!isUsed && !(await useRecoveryCode(ctx, userId, code))) throw wrongCode();
  await forgetAttempts(ctx, { kind: "code", account: userId });
}

/** Uses up a code of the authenticator app. Refuses a repeated code and a code that is older than the last one (RFC 6238, 5.2). */
async function useAppCode({ db, keyring, now }: TransactionCtx, userId: string, code: string): Promise<boolean> {
  const row = await db.selectFrom("authenticators").select("secret").where("user_id", "=", userId).executeTakeFirst();
  const step = row && findTotpStep(keyring.decrypt(row.secret), code.replaceAll(/[\s-]/g, ""), now());
  if (step === undefined) return false;
  const { numUpdatedRows } = await db
    .updateTable("authenticators")
    .set({ last_step: step })
    .where("user_id", "=", userId)
    .where("last_step", "<", step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const wrongCode = (): AppError =>
  new AppError("FORBIDDEN", "The code is wrong or was used before. Send the one that your authenticator app shows now.");
