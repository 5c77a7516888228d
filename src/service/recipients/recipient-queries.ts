import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { ShareRecipientRow } from "../../db/tables/recipients.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { RecipientView } from "./contract.ts";

/** A recipient, and whether one of their private links is valid. */
export interface RecipientRow extends ShareRecipientRow {
  readonly has_link: number;
}

/** Lists the recipients of a share, newest first, or only those with some addresses. */
export async function listRecipientRows(db: Db, shortId: string, addresses?: readonly string[]): Promise<RecipientRow[]> {
  return await db
    .selectFrom("share_recipients")
    .selectAll()
    .select(sql<number>`EXISTS (SELECT 1 FROM recipient_links WHERE recipient_links.recipient_id = share_recipients.id)`.as("has_link"))
    .where("short_id", "=", shortId)
    .$if(addresses !== undefined, (query) => query.where("address", "in", addresses ?? []))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

export const toRecipient = (row: RecipientRow): RecipientView => ({
  id: row.id,
  address: row.address,
  state: toState(row),
  failure: row.failure,
  failureDetail: row.failure_detail,
  createdAt: toIso(row.created_at),
  sentAt: toIso(row.sent_at),
  openedAt: toIso(row.opened_at),
  downloads: row.downloads,
  downloadedAt: toIso(row.downloaded_at),
  remind: row.reminder !== null,
  remindedAt: toIso(row.reminded_at),
});

const toState = ({ status, has_link }: RecipientRow): RecipientView["state"] =>
  has_link === 0 && (status === "sent" || status === "sending") ? "ended" : status;
