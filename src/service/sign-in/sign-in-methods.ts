import type { TransactionDb } from "../../db/database.ts";

/** Deletes the password and the identities at providers with which an account signs in. */
export async function deleteSignInMethods(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("sign_in_methods").where("user_id", "=", userId).execute();
}
