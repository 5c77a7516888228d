import type { TransactionDb } from "../../db/database.ts";

/** Deletes the password, the identities at providers and the one-time links with which an account signs in, and what waits for its code. */
export async function deleteSignInMethods(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("sign_in_methods").where("user_id", "=", userId).execute();
  await db.deleteFrom("account_links").where("user_id", "=", userId).execute();
  await db.deleteFrom("pending_sign_ins").where("user_id", "=", userId).execute();
}
