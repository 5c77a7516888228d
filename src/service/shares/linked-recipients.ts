import { sql } from "kysely";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { LinkedRecipients } from "./contract.ts";

/** Finds, of some shares, the recipients with valid private links, by short ID. Shares without any are not in the map. */
export async function findLinkedRecipients(db: Db, shortIds: readonly string[]): Promise<Map<string, LinkedRecipients>> {
  const rows = await db
    .selectFrom("share_recipients")
    .select(["short_id", "address", sql<number>`max(created_at)`.as("newest"), sql<number>`count(*)`.as("count")])
    .where("short_id", "in", inJson(shortIds))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("recipient_links").select("recipient_id").whereRef("recipient_id", "=", "share_recipients.id")),
    )
    .groupBy("short_id")
    .execute();
  return new Map(rows.map(({ short_id, address, count }) => [short_id, { address, others: Number(count) - 1 }]));
}
