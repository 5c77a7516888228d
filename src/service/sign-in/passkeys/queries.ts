import type { Db } from "../../../db/database.ts";
import type { PasskeyRow } from "../../../db/tables/sign-in.ts";

/** The passkeys of an account, oldest first. */
export async function listPasskeyRows(db: Db, userId: string): Promise<PasskeyRow[]> {
  return await db.selectFrom("passkeys").selectAll().where("user_id", "=", userId).orderBy("created_at").orderBy("id").execute();
}

/** A passkey as WebAuthn names it in lists of those that a browser may or must not use. */
export const toDescriptor = ({ credential_id, transports }: PasskeyRow) => ({
  id: credential_id,
  transports: JSON.parse(transports) as string[],
});
