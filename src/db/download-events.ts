import { type SqlBool, sql } from "kysely";
import type { Db } from "./database.ts";
import type { EventRow } from "./tables/events.ts";

/** Between two events of a file; without `id`, after all events of that time. */
export interface EventPosition {
  readonly createdAtMs: number;
  readonly id: string | undefined;
}

export type DownloadEventRow = Pick<EventRow, "id" | "type" | "route" | "client_class" | "created_at">;

/** The downloads of a file, oldest first, after a position. */
export async function listDownloadEvents(
  db: Db,
  { fileId, after, limit }: { fileId: string; after: EventPosition | undefined; limit: number },
): Promise<DownloadEventRow[]> {
  return await db
    .selectFrom("events")
    .select(["id", "type", "route", "client_class", "created_at"])
    .where("file_id", "=", fileId)
    .where("type", "in", ["file.authorized", "file.downloaded"])
    .$if(after !== undefined, (query) => query.where(sql<SqlBool>`(created_at, id) > (${after?.createdAtMs}, ${after?.id ?? LAST_ID})`))
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Sorts after every id. */
const LAST_ID = "~";
