import type { Ctx } from "../../context.ts";
import { findSecretChecks, replaceSecretChecks } from "../../db/secret-checks.ts";

/**
 * Makes the database use the secret of this process, after `confirm` resolves (configuration, "The server's secret"). Returns whether it used another
 * one before. Rejects like `confirm`.
 */
export async function adoptSecret({ db, keyring }: Ctx, confirm: () => Promise<void>): Promise<boolean> {
  const known = await findSecretChecks(db);
  if (known.includes(keyring.check)) return false;
  await confirm();
  await replaceSecretChecks(db, keyring.check);
  return true;
}
