import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { FIRST_FILE, toFirstFile } from "../share-names.ts";

/** Maximum remaining lifetime of a share that is listed as expiring (listing, "Shares"). */
const EXPIRING_MS = 3 * DAY_MS;

export type ShareListName = "active" | "expiring" | "ended";

/** A position in a list: after the share with this time and ID. */
export interface SharePosition {
  readonly timeMs: number;
  readonly shortId: string;
}

interface ListFilter {
  readonly ownerId: string;
  readonly list: ShareListName;
  readonly search?: string | undefined;
  readonly nowMs: number;
}

export interface ShareListFilter extends ListFilter {
  readonly after?: SharePosition | undefined;
  readonly limit: number;
}

interface ListOrder {
  /** The condition, which repeats the partial indexes without parameters; otherwise SQLite does not use those indexes. */
  readonly condition: RawBuilder<SqlBool>;
  readonly column: "created_at" | "expires_at" | "ended_at";
  readonly direction: "asc" | "desc";
}

const ACTIVE = sql<SqlBool>`shares.owner_id IS NOT NULL AND shares.status = 'active' AND shares.redirect_to IS NULL`;

const ORDERS: Readonly<Record<ShareListName, ListOrder>> = {
  active: { condition: ACTIVE, column: "created_at", direction: "desc" },
  expiring: { condition: ACTIVE, column: "expires_at", direction: "asc" },
  ended: {
    condition: sql<SqlBool>`shares.owner_id IS NOT NULL AND shares.status IN ('expired', 'dmca_removed') AND shares.redirect_to IS NULL
      AND shares.is_off_list = 0`,
    column: "ended_at",
    direction: "desc",
  },
};

/** Lists one page of an account's shares. */
export async function listShareRows(db: Db, { after, limit, ...filter }: ShareListFilter): Promise<ShareRow[]> {
  const { column, direction } = ORDERS[filter.list];
  const time = sql.ref(`shares.${column}`);
  const isAfter = direction === "asc" ? sql`>` : sql`<`;
  return await ofList(db, filter)
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(${time}, shares.short_id) ${isAfter} (${after?.timeMs}, ${after?.shortId})`),
    )
    .orderBy(column, direction)
    .orderBy("short_id", direction)
    .limit(limit)
    .execute();
}

/** Counts the shares of each list of an account, `max` at most in each. */
export async function countShares(
  db: Db,
  { max, ...filter }: Omit<ListFilter, "list" | "search"> & { readonly max: number },
): Promise<Readonly<Record<ShareListName, number>>> {
  const count = async (list: ShareListName): Promise<number> =>
    (
      await ofList(db, { ...filter, list })
        .select("shares.short_id")
        .limit(max)
        .execute()
    ).length;
  return { active: await count("active"), expiring: await count("expiring"), ended: await count("ended") };
}

/** Selects the shares of a list. */
const ofList = (db: Db, { ownerId, list, search, nowMs }: ListFilter) =>
  db
    .selectFrom("shares")
    .where("shares.owner_id", "=", ownerId)
    .where("shares.is_private", "=", 0)
    .where(ORDERS[list].condition)
    .$if(list === "expiring", (query) => query.where("shares.expires_at", ">", nowMs).where("shares.expires_at", "<=", nowMs + EXPIRING_MS))
    .$if(search !== undefined, (query) => query.where(mentions(search ?? "")));

export interface PublicShareFilter {
  readonly ownerId: string;
  readonly after?: SharePosition | undefined;
  readonly nowMs: number;
  readonly limit: number;
}

/**
 * Lists the shares of an account's public page, newest first: public, not expired, unprotected, without a price, and with files that can all be
 * downloaded (sharing, "The public page").
 */
export async function listPublicRows(db: Db, { ownerId, after, nowMs, limit }: PublicShareFilter): Promise<ShareRow[]> {
  return await db
    .selectFrom("shares")
    .selectAll()
    .where("shares.owner_id", "=", ownerId)
    // The values are literals, because SQLite does not use the partial indexes for parameters.
    .where(sql<SqlBool>`shares.visibility = 'public' AND shares.status = 'active' AND shares.redirect_to IS NULL`)
    .where("shares.is_private", "=", 0)
    .where("shares.unlock_hash", "is", null)
    // The sign keeps SQLite from using the index of all shares without a handoff link.
    .where(sql<SqlBool>`+shares.handoff_hash IS NULL`)
    .where("shares.price_cents", "is", null)
    .where((where) => where.or([where("shares.expires_at", "is", null), where("shares.expires_at", ">", nowMs)]))
    .where(sql<SqlBool>`EXISTS (SELECT 1 FROM files WHERE files.short_id = shares.short_id AND files.status = 'active')`)
    .where(sql<SqlBool>`NOT EXISTS (SELECT 1 FROM files WHERE files.short_id = shares.short_id
      AND files.status = 'active' AND (files.scan_status <> 'clean' OR files.blob_state <> 'stored'))`)
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(shares.created_at, shares.short_id) < (${after?.timeMs}, ${after?.shortId})`),
    )
    .orderBy("created_at", "desc")
    .orderBy("short_id", "desc")
    .limit(limit)
    .execute();
}

/** Returns the position of a share in a list. */
export const positionOf = (list: ShareListName, share: ShareRow): SharePosition => ({
  timeMs: share[ORDERS[list].column] ?? 0,
  shortId: share.short_id,
});

/** Returns the SQL that tells whether the title of a share, or the name of a file in it, contains a text. */
function mentions(part: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${contains(sql`shares.title`, part)} OR EXISTS (
    SELECT 1 FROM files WHERE files.short_id = shares.short_id AND files.status <> 'deleted' AND ${contains(sql`files.name`, part)}))`;
}

/** Returns the SQL that compares without case. SQLite folds only ASCII letters, so other letters are compared in their three usual spellings. */
function contains(column: RawBuilder<unknown>, part: string): RawBuilder<SqlBool> {
  const lower = part.normalize("NFC").toLowerCase();
  const spellings = new Set([lower, lower.toUpperCase(), lower.replace(/^./u, (letter) => letter.toUpperCase())].map(foldAscii));
  return sql<SqlBool>`(${sql.join(
    [...spellings].map((spelling) => sql`instr(lower(coalesce(${column}, '')), ${spelling}) > 0`),
    sql` OR `,
  )})`;
}

const foldAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** A summary of a share's files for a list. */
export interface ShareFilesSummary {
  readonly short_id: string;
  readonly files: number;
  readonly bytes: number;
  readonly downloads: number;
  readonly uploading: number;
  readonly immutable: number;
  /** The scan statuses of the files in the form of `toScanStatus`, separated by commas. */
  readonly scan_statuses: string;
  /** The number of encrypted files. */
  readonly encrypted: number;
  /** The name and type of the first file by name. */
  readonly name: FileRow["name"];
  readonly content_type: FileRow["content_type"];
}

/** The SQL of the distinct scan statuses of a share's files in the form of `toScanStatus`, separated by commas. */
export const SCAN_STATUSES = sql<string>`group_concat(DISTINCT CASE WHEN scan_status = 'clean' AND sha256 IS NULL THEN 'pending' ELSE scan_status END)`;

/** Summarizes the files of shares, by the short ID of the share. Shares without files are absent; for the public, only active files count. */
export async function summarizeFiles(
  db: Db,
  shortIds: readonly string[],
  { isPublic = false }: { readonly isPublic?: boolean } = {},
): Promise<ReadonlyMap<string, ShareFilesSummary>> {
  if (shortIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("files")
    .select("short_id")
    .select([
      FIRST_FILE.as("first"),
      sql<number>`count(*)`.as("files"),
      sql<number>`sum(size_bytes)`.as("bytes"),
      sql<number>`max(download_count)`.as("downloads"),
      sql<number>`sum(blob_state = 'uploading')`.as("uploading"),
      sql<number>`sum(immutable)`.as("immutable"),
      sql<number>`sum(is_encrypted)`.as("encrypted"),
      SCAN_STATUSES.as("scan_statuses"),
    ])
    .where("short_id", "in", [...shortIds])
    .where("status", isPublic ? "=" : "<>", isPublic ? "active" : "deleted")
    .groupBy("short_id")
    .execute();
  return new Map(
    rows.map(({ first, ...row }) => {
      const { name, contentType } = toFirstFile(first);
      return [row.short_id, { ...row, name, content_type: contentType }];
    }),
  );
}
