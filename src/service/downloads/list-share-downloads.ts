import { type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser } from "../accounts/actor.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { ownShareNotFound } from "../shares/list-shares.ts";
import { findLinkedShare } from "../shares/queries.ts";

/** `GET /shares/{shortId}/downloads`: lists the downloads of the caller's share, newest first, without data about recipients. */
export const listShareDownloads: Operation<"listShareDownloads"> = async (ctx, { actor }, { shortId, limit: requested, cursor }) => {
  const { userId } = requireUser(actor);
  const share = await findLinkedShare(ctx.db, shortId);
  if (share?.owner_id !== userId || share.status === "deleted") throw ownShareNotFound();
  const limit = clampLimit(requested, { defaultLimit: 50, maxLimit: 200 });
  const beforeMs = cursor === undefined ? undefined : Number(cursor);
  const rows = await listDownloadRows(ctx.db, { shortId: share.short_id, beforeMs, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    success: true,
    data: shown.map(({ created_at, channel, client_class, files, name }) => ({
      at: toIso(created_at),
      route: channel,
      client: client_class,
      files,
      name: name ?? "",
    })),
    nextCursor: last && rows.length > limit ? String(last.created_at) : null,
  };
};

/** Lists the counted downloads of a share before a time, newest first. Files that one request counted have the same time and form one row. */
export async function listDownloadRows(
  db: Db,
  { shortId, beforeMs, limit }: { shortId: string; beforeMs: number | undefined; limit: number },
) {
  return await db
    .selectFrom("events")
    .leftJoin("files", "files.id", "events.file_id")
    .select(["events.created_at", "events.channel", "events.client_class", "files.name"])
    .select((select) => select.fn.count<number>("events.file_id").distinct().as("files"))
    .where("events.short_id", "=", shortId)
    // The type is a literal, because SQLite does not use the partial index for a parameter.
    .where(sql<SqlBool>`events.type = 'file.authorized'`)
    .$if(beforeMs !== undefined, (query) => query.where("events.created_at", "<", beforeMs ?? 0))
    .groupBy("events.created_at")
    .orderBy("events.created_at", "desc")
    .limit(limit)
    .execute();
}
