import type { TransactionCtx } from "../../context.ts";
import { newRecoveryCode } from "../../lib/secrets/ids.ts";

/** Number of recovery codes that an account gets. */
const COUNT = 10;

/** Replaces the recovery codes of an account. Returns the new ones, of which only keyed hashes are stored. */
export async function replaceRecoveryCodes(ctx: TransactionCtx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, () => newRecoveryCode(ctx.random));
  await ctx.db.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  await ctx.db
    .insertInto("recovery_codes")
    .values(codes.map((code) => ({ user_id: userId, code_hash: toHash(ctx, userId, code) })))
    .execute();
  return codes;
}

/** Uses up a recovery code in any spelling. Resolves to false if the account does not have it. */
export async function useRecoveryCode(ctx: TransactionCtx, userId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom("recovery_codes")
    .where("user_id", "=", userId)
    .where("code_hash", "=", toHash(ctx, userId, code))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Computes a keyed hash, because a code is short enough to be guessed from a plain hash. */
const toHash = ({ keyring }: Pick<TransactionCtx, "keyring">, userId: string, code: string): string =>
  keyring.sign(`recovery-code:${userId}:${code.toUpperCase().replaceAll(/[^0-9A-Z]/g, "")}`);
