import { type ExpressionBuilder, sql } from "kysely";
import type { Ctx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db, Schema } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { isActive } from "../shares/share-state.ts";
import { isAmongOldest } from "./places.ts";

/** Maximum number of links of one file in a list, and in its details (listing, "Links of a file"). */
export const MAX_LINKS = { list: 20, details: 1000 } as const;

/** An active place of a file in an open share that others can open. */
export interface FileLink {
  readonly place: Pick<FileRow, "id" | "origin_id" | "download_count" | "immutable" | "placed_at" | "created_at">;
  readonly share: ShareRow;
}

/** The links of a file, oldest first: at most `MAX_LINKS`, and the number of all. */
export interface FileLinks {
  readonly links: readonly FileLink[];
  readonly total: number;
}

/** Reads the links of files, by the ID of the named place. A file that has had one place only needs no query. */
export async function readLinks(
  ctx: Pick<Ctx, "db" | "now">,
  files: readonly { readonly file: FileRow; readonly share: ShareRow }[],
  max: number = MAX_LINKS.list,
): Promise<ReadonlyMap<string, FileLinks>> {
  const origins = [...new Set(files.flatMap(({ file }) => file.origin_id ?? []))];
  const found = Map.groupBy(await listPlaces(ctx.db, origins, max), ({ place }) => place.origin_id);
  const full = origins.filter((origin) => (found.get(origin)?.length ?? 0) === max);
  const totals = await countLinks(ctx, full);
  return new Map(
    files.map(({ file, share }) => {
      const places = file.origin_id === null ? [{ place: file, share, status: file.status }] : (found.get(file.origin_id) ?? []);
      const links = places.filter((link) => link.status === "active" && link.share.is_private === 0 && isActive(ctx, link.share));
      return [file.id, { links, total: totals.get(file.origin_id ?? "") ?? links.length }];
    }),
  );
}

type Place = FileLink & { readonly status: FileRow["status"] };

const PLACE = ["id", "origin_id", "status", "download_count", "immutable", "placed_at", "created_at"] as const;

async function listPlaces(db: Db, originIds: readonly string[], max: number): Promise<Place[]> {
  if (originIds.length === 0) return [];
  const places = await db
    .selectFrom("files")
    .select(PLACE)
    .select("short_id")
    .where(isAmongOldest(originIds, max))
    .orderBy("placed_at")
    .orderBy("id")
    .execute();
  const shares = await db
    .selectFrom("shares")
    .selectAll()
    .where("short_id", "in", inJson(places.map(({ short_id }) => short_id)))
    .execute();
  const shareOf = new Map(shares.map((share) => [share.short_id, share]));
  return places.flatMap(({ short_id, status, ...place }) => {
    const share = shareOf.get(short_id);
    return share ? [{ place, share, status }] : [];
  });
}

/** Returns which of these files have other links than that of the named place. */
export async function findLinked({ db, now }: Pick<Ctx, "db" | "now">, ids: readonly string[]): Promise<string[]> {
  const files = await db
    .selectFrom("files as named")
    .select("named.id")
    .where("named.id", "in", inJson(ids))
    .where("named.origin_id", "is not", null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("files")
          .innerJoin("shares", "shares.short_id", "files.short_id")
          .select("files.id")
          .whereRef("files.origin_id", "=", "named.origin_id")
          .whereRef("files.id", "<>", "named.id")
          .where(isLink(now())),
      ),
    )
    .orderBy("named.name_order")
    .orderBy("named.id")
    .execute();
  return files.map(({ id }) => id);
}

/** An open share, and whether one of its files is encrypted. */
interface OpenShare {
  readonly share: ShareRow;
  readonly isEncrypted: boolean;
}

/** Finds the links to exactly these files, oldest first, at most `MAX_LINKS.list`. */
export async function findLinksTo({ db, now }: Pick<Ctx, "db" | "now">, ids: readonly string[]): Promise<OpenShare[]> {
  const [first] = ids;
  if (first === undefined) return [];
  const named = await db.selectFrom("files").select("origin_id").where("id", "=", first).executeTakeFirst();
  const originId = named?.origin_id ?? null;
  const links = await db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .select("shares.short_id")
    .where((where) => (originId === null ? where("files.id", "=", first) : where("files.origin_id", "=", originId)))
    .where(isLink(now()))
    .orderBy("files.placed_at")
    .orderBy("files.id")
    .limit(MAX_LINKS.list)
    .execute();
  const shortIds = [...new Set(links.map(({ short_id }) => short_id))];
  if (shortIds.length === 0) return [];
  const chosen = sql`SELECT coalesce(origin_id, id) FROM files WHERE id IN ${inJson(ids)}`;
  const sums = await db
    .selectFrom("files")
    .select("short_id")
    .select([
      sql<number>`count(*)`.as("places"),
      sql<number>`count(DISTINCT coalesce(origin_id, id))`.as("files"),
      sql<number>`sum(coalesce(origin_id, id) IN (${chosen}))`.as("chosen"),
      sql<number>`max(is_encrypted)`.as("encrypted"),
    ])
    .where("short_id", "in", inJson(shortIds))
    .where("status", "=", "active")
    .groupBy("short_id")
    .execute();
  const exact = new Map(
    sums.filter(({ places, files, chosen }) => files === ids.length && chosen === places).map((sum) => [sum.short_id, sum]),
  );
  const shares = await db
    .selectFrom("shares")
    .selectAll()
    .where("short_id", "in", inJson([...exact.keys()]))
    .execute();
  const shareOf = new Map(shares.map((share) => [share.short_id, share]));
  return shortIds.flatMap((shortId) => {
    const share = shareOf.get(shortId);
    return share ? [{ share, isEncrypted: exact.get(shortId)?.encrypted === 1 }] : [];
  });
}

/** Returns the condition of places that recipients can open. */
export const isLink = (nowMs: number) => (where: ExpressionBuilder<Schema, "files" | "shares">) =>
  where.and([
    where("files.status", "=", "active"),
    where("shares.status", "=", "active"),
    where("shares.is_private", "=", 0),
    where.or([where("shares.expires_at", "is", null), where("shares.expires_at", ">", nowMs)]),
  ]);

/** Counts all links of files. A file without links is missing. */
async function countLinks({ db, now }: Pick<Ctx, "db" | "now">, originIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (originIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .select((select) => ["files.origin_id", select.fn.countAll<number>().as("links")])
    .where("files.origin_id", "in", inJson(originIds))
    .where(isLink(now()))
    .groupBy("files.origin_id")
    .execute();
  return new Map(rows.map(({ origin_id, links }) => [origin_id ?? "", links]));
}
