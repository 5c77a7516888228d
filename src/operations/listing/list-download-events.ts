import type { Output } from "../../contract/index.ts";
import { type EventPosition, listDownloadEvents as listEventRows } from "../../db/download-events.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { requireUser } from "../require-user.ts";

type DownloadEvent = Output<"listDownloadEvents">["events"][number];

/** `GET /files/{fileId}/download-events`: of the caller's own file, oldest first, after a position; nothing of who downloaded. */
export const listDownloadEvents: Operation<"listDownloadEvents"> = async (ctx, { actor }, { fileId, limit: asked, cursor }) => {
  const ownerId = requireUser(actor).userId;
  const after = cursor === undefined ? undefined : parseCursor(cursor);
  const file = await ctx.db.selectFrom("files").select(["owner_id", "status"]).where("id", "=", fileId).executeTakeFirst();
  if (file?.owner_id !== ownerId || file.status === "deleted")
    throw new AppError("NOT_FOUND", "There is no such file, or it is not yours.");
  const limit = clampLimit(asked, { standard: 50, most: 200 });
  const rows = await listEventRows(ctx.db, { fileId, after, limit: limit + 1 });
  const events = rows.slice(0, limit);
  const last = events.at(-1);
  return {
    success: true,
    events: events.map(
      (row): DownloadEvent => ({
        id: row.id,
        created_at: new Date(row.created_at).toISOString(),
        event_kind: row.type === "file.authorized" ? "authorized" : "completed",
        route: row.route,
        client_ua_class: row.client_class,
      }),
    ),
    nextCursor: last && rows.length > limit ? `${last.created_at}_${last.id}` : null,
  };
};

/** A `nextCursor`, or the time of the last event seen. */
function parseCursor(cursor: string): EventPosition {
  const [, ms, id] = /^(\d{1,15})_([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (ms && id) return { createdAtMs: Number(ms), id };
  return { createdAtMs: Date.parse(cursor), id: undefined };
}
