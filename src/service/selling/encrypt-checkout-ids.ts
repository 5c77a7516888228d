import { sql } from "kysely";
import type { TransactionDb } from "../../db/database.ts";
import type { Keyring } from "../../lib/secrets/secrets.ts";
import { toSessionColumns } from "./purchase-rows.ts";

const BATCH_SIZE = 500;

/** Replaces checkout IDs that earlier versions stored in plain text. Runs before the server reads any of them. */
export async function encryptStoredCheckoutIds({ keyring, transaction }: HidingCtx): Promise<void> {
  while ((await transaction(({ db }) => encryptBatch(keyring, db))) === BATCH_SIZE);
}

interface HidingCtx {
  readonly keyring: Keyring;
  readonly transaction: <T>(work: (ctx: { readonly db: TransactionDb }) => Promise<T>) => Promise<T>;
}

async function encryptBatch(keyring: Keyring, db: TransactionDb): Promise<number> {
  // The condition repeats the condition of an index.
  const rows = await db
    .selectFrom("purchases")
    .select(["id", sql<string>`session_hash`.as("sessionId")])
    .where(sql<boolean>`session IS NULL AND session_hash IS NOT NULL`)
    .limit(BATCH_SIZE)
    .execute();
  for (const { id, sessionId } of rows)
    await db.updateTable("purchases").set(toSessionColumns(keyring, sessionId)).where("id", "=", id).execute();
  return rows.length;
}
