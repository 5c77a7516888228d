import { type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { EventRow } from "../../db/tables/events.ts";
import { notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser } from "../accounts/actor.ts";
import type { Output } from "../contract.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";

type DownloadEvent = Output<"listDownloadEvents">["events"][number];

/** `GET /files/{fileId}/download-events`: lists the downloads of the caller's file, oldest first, without data about recipients. */
export const listDownloadEvents: Operation<"listDownloadEvents"> = async (ctx, { actor }, { fileId, limit: requested, cursor }) => {
  const ownerId = requireUser(actor).userId;
  const after = cursor === undefined ? undefined : parseCursor(cursor);
  const file = await ctx.db.selectFrom("files").select(["owner_id", "status"]).where("id", "=", fileId).executeTakeFirst();
  if (file?.owner_id !== ownerId || file.status === "deleted") throw notFound("file", "List your files to find its ID.", "in your account");
  const limit = clampLimit(requested, { defaultLimit: 50, maxLimit: 200 });
  const rows = await listEventRows(ctx.db, { fileId, after, limit: limit + 1 });
  const events = rows.slice(0, limit);
  const last = events.at(-1);
  return {
    success: true,
    events: events.map(
      (row): DownloadEvent => ({
        id: row.id,
        created_at: toIso(row.created_at),
        event_kind: row.type === "file.authorized" ? "authorized" : "completed",
        route: row.channel,
        client_ua_class: row.client_class,
      }),
    ),
    nextCursor: last && rows.length > limit ? `${last.created_at}_${last.id}` : null,
  };
};

/** Parses a `nextCursor`, or the time of the last event that the caller knows. */
function parseCursor(cursor: string): EventPosition {
  const [, ms, id] = /^(\d{1,15})_([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (ms && id) return { createdAtMs: Number(ms), id };
  return { createdAtMs: Date.parse(cursor), id: undefined };
}

/** A position between two events; without `id`, after all events of its time. */
export interface EventPosition {
  readonly createdAtMs: number;
  readonly id: string | undefined;
}

/** A text that sorts after every ID. */
const LAST_ID = "~";

type DownloadEventRow = Pick<EventRow, "id" | "type" | "channel" | "client_class" | "created_at">;

/** Lists the downloads of a file after a position, oldest first. */
export async function listEventRows(
  db: Db,
  { fileId, after, limit }: { fileId: string; after: EventPosition | undefined; limit: number },
): Promise<DownloadEventRow[]> {
  return await db
    .selectFrom("events")
    .select(["id", "type", "channel", "client_class", "created_at"])
    .where("file_id", "=", fileId)
    .where("type", "in", ["file.authorized", "file.downloaded"])
    .$if(after !== undefined, (query) => query.where(sql<SqlBool>`(created_at, id) > (${after?.createdAtMs}, ${after?.id ?? LAST_ID})`))
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}
