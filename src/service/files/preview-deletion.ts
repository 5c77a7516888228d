import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import { requireUser } from "../accounts/actor.ts";
import type { Operation } from "../operation.ts";
import { findCommonFolders } from "../share-names.ts";
import { toLinks } from "../shares/aliases.ts";
import { findLinkedRecipients } from "../shares/linked-recipients.ts";
import { summarizeFiles } from "../shares/share-list-queries.ts";
import { listInside } from "./folder-queries.ts";
import { isLink, MAX_LINKS } from "./links.ts";
import { LISTED } from "./listing-queries.ts";

/** `POST /files/delete-many/preview`: returns which links lose files if files and folders are deleted, and changes nothing. */
export const previewDeletion: Operation<"previewDeletion"> = async (ctx, { actor }, { fileIds = [], folderIds = [] }) => {
  const { userId } = requireUser(actor);
  const inside = await listFilesIn(ctx.db, userId, folderIds);
  const losses = await listLosses(ctx, userId, [...fileIds, ...inside]);
  const named = losses.slice(0, MAX_LINKS.list).map(({ shortId }) => shortId);
  const shares = await ctx.db.selectFrom("shares").selectAll().where("short_id", "in", inJson(named)).execute();
  const shareOf = new Map(shares.map((share) => [share.short_id, share]));
  const summaries = await summarizeFiles(ctx.db, named, { isPublic: true });
  const folders = await findCommonFolders(ctx.db, named);
  const recipients = await findLinkedRecipients(ctx.db, named);
  return {
    filesInside: inside.length,
    ending: losses.filter(({ remaining }) => remaining === 0).length,
    shrinking: losses.filter(({ remaining }) => remaining > 0).length,
    links: losses.flatMap(({ shortId, remaining }) => {
      const share = shareOf.get(shortId);
      const summary = summaries.get(shortId);
      if (!share || !summary) return [];
      return {
        shortId,
        ...toLinks(ctx, share),
        title: share.title,
        name: summary.name,
        folder: folders.get(shortId) ?? null,
        files: summary.files,
        encrypted: summary.encrypted > 0,
        visibility: share.visibility,
        recipients: recipients.get(shortId) ?? null,
        remaining,
      };
    }),
  };
};

/** Lists the IDs of the active files of an account in folders, at every depth, each once. */
async function listFilesIn(db: Db, ownerId: string, folderIds: readonly string[]): Promise<readonly string[]> {
  const inside = new Set<string>();
  // A folder inside of another chosen one is read with it.
  for (const id of folderIds) if (!inside.has(id)) for (const found of await listInside(db, id)) inside.add(found);
  if (inside.size === 0) return [];
  const files = await db
    .selectFrom("files")
    .select("id")
    .where("folder_id", "in", inJson([...inside]))
    .where("owner_id", "=", ownerId)
    .where(LISTED)
    .where("status", "=", "active")
    .execute();
  return files.map(({ id }) => id);
}

/** A share that loses files, and the number of its files that stay. */
interface Loss {
  readonly shortId: string;
  readonly remaining: number;
}

/**
 * Lists the open shares that contain files of an account, first those that contain no others. Among these, those sent by mail are the first, then
 * public ones, shipments, and the newest.
 */
export async function listLosses({ db, now }: Pick<Ctx, "db" | "now">, ownerId: string, fileIds: readonly string[]): Promise<Loss[]> {
  const chosen = sql`SELECT id FROM files WHERE id IN ${inJson(fileIds)} AND owner_id = ${ownerId}`;
  const origins = sql`SELECT origin_id FROM files WHERE id IN ${inJson(fileIds)} AND owner_id = ${ownerId} AND origin_id IS NOT NULL`;
  return await db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .select("files.short_id as shortId")
    .select(
      sql<number>`(SELECT count(*) FROM files AS own WHERE own.short_id = files.short_id AND own.status = 'active') - count(*)`.as(
        "remaining",
      ),
    )
    .where(sql<boolean>`files.id IN (${chosen} UNION SELECT id FROM files WHERE origin_id IN (${origins}))`)
    .where(isLink(now()))
    .groupBy("files.short_id")
    .orderBy(sql`remaining = 0`, "desc")
    .orderBy(
      sql`EXISTS (SELECT 1 FROM share_recipients JOIN recipient_links ON recipient_links.recipient_id = share_recipients.id
        WHERE share_recipients.short_id = shares.short_id)`,
      "desc",
    )
    .orderBy(sql`shares.visibility = 'public'`, "desc")
    .orderBy(sql`shares.kind = 'shipment'`, "desc")
    .orderBy("shares.created_at", "desc")
    .orderBy("shares.short_id")
    .execute();
}
