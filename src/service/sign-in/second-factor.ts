import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { countAttempt, forgetAttempts } from "./attempts.ts";
import { useRecoveryCode } from "./recovery-codes.ts";
import { findTotpStep } from "./totp.ts";

/** Whether signing in to the account needs a code as well. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom("authenticators")
    .select("user_id")
    .where("user_id", "=", userId)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the authenticator app of an account, also one that is being set up, and its recovery codes. */
export async function deleteFactor(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("authenticators").where("user_id", "=", userId).execute();
  await db.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}

/** Whether an account needs a code after the provider: unless the operator says that the provider asks for a second step itself. */
export const needsCodeAfterProvider = async (
  { db, config }: Pick<Ctx, "db" | "config"> | Pick<TransactionCtx, "db" | "config">,
  userId: string,
): Promise<boolean> => config.oidc?.hasTwoStep !== true && (await hasSecondFactor(db, userId));

/** Counts a try of a code, before it is compared (accounts, "Attempts"). Throws RATE_LIMITED. */
export const countCode = (ctx: Ctx, { address }: Pick<RequestContext, "address">, userId: string): Promise<void> =>
  countAttempt(ctx, { kind: "code", account: userId, address });

/**
 * Uses up a code of the account's authenticator app, or a recovery code; call `countCode` before. Of several tries at the same time one gets
 * it. Throws FORBIDDEN for any other code.
 */
export async function useCode(ctx: TransactionCtx, userId: string, code: string): Promise<void> {
  const isUsed = /^[\d\s-]{6,}$/.test(code) && (await useAppCode(ctx, userId, code));
  if (!isUsed && !(await useRecoveryCode(ctx, userId, code))) throw wrongCode();
  await forgetAttempts(ctx, { kind: "code", account: userId });
}

/** A code is not accepted twice, nor one that is older than the last one (RFC 6238, 5.2). */
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
