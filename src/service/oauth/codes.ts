import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";

/** An application that an account has connected. */
export interface ApplicationConnection {
  readonly clientId: string;
  readonly userId: string;
}

/** Deletes the codes that an application has not exchanged, because another consent must not make them valid again. */
export async function deleteCodes(db: TransactionCtx["db"], { clientId, userId }: ApplicationConnection): Promise<void> {
  await db.deleteFrom("verifications").where(inCode("$.userId"), "=", userId).where(inCode("$.query.client_id"), "=", clientId).execute();
  await db.deleteFrom("device_codes").where("client_id", "=", clientId).where("user_id", "=", userId).execute();
}

/** Returns the SQL of a member of the data that the library stores with a code. */
const inCode = (path: string) => sql<string | null>`CASE WHEN json_valid(value) THEN json_extract(value, ${path}) END`;

/** Deletes codes that expired at or before `expiredByMs`. */
export async function deleteExpiredCodes(db: Db, expiredByMs: number): Promise<void> {
  await db.deleteFrom("verifications").where("expires_at", "<=", expiredByMs).execute();
  await db.deleteFrom("device_codes").where("expires_at", "<=", expiredByMs).execute();
}
