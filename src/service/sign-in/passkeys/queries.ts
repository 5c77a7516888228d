import type { Db } from "../../../db/database.ts";
import type { PasskeyRow } from "../../../db/tables/second-factors.ts";

/** Lists the passkeys of an account, oldest first. */
export async function listPasskeyRows(db: Db, userId: string): Promise<PasskeyRow[]> {
  return await db.selectFrom("passkeys").selectAll().where("user_id", "=", userId).orderBy("created_at").orderBy("id").execute();
}

/** Returns a passkey in the form of WebAuthn's lists of allowed or excluded passkeys. */
export const toDescriptor = ({ credential_id, transports }: PasskeyRow) => ({
  id: credential_id,
  transports: JSON.parse(transports) as string[],
});
