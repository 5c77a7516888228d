import type { Db } from "./database.ts";
import { findServerState, saveServerState } from "./server-state.ts";

const NAME = "secret_checks";

/** Parses the stored check values of the secrets with which the database is used (`Keyring.check`); empty before the first. */
export const parseSecretChecks = (stored: string | undefined): readonly string[] =>
  stored === undefined ? [] : (JSON.parse(stored) as readonly string[]);

/** Returns the check values that the database has; empty before a server was started with it. */
export const findSecretChecks = async (db: Db): Promise<readonly string[]> => parseSecretChecks(await findServerState(db, NAME));

/** Returns whether the database is used with the secret of `check`, which it is from now on if it was used with none. */
export async function confirmSecret(db: Db, check: string): Promise<boolean> {
  await db
    .insertInto("server_state")
    .values({ name: NAME, value: JSON.stringify([check]) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findSecretChecks(db)).includes(check);
}

/** Records that the database is used with the secret of `check`, and with no other. */
export async function replaceSecretChecks(db: Db, check: string): Promise<void> {
  await saveServerState(db, NAME, JSON.stringify([check]));
}
