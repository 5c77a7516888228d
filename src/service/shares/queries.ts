import { type ExpressionBuilder, type NotNull, type SqlBool, sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { readAlias } from "../../contract/alias-form.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db, Schema } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { PRO_GRACE_MS } from "../accounts/pro-end.ts";
import { effectiveStatus } from "../effective-status.ts";
import { findRecipientLink, isRecipientToken } from "./recipient-links.ts";

/** A share with what its owner's account says of it. */
export interface FoundShare extends ShareRow {
  /** When the account was disabled; null if it is enabled or the share has no owner. */
  readonly owner_disabled_at: number | null;
  /**
   * The name that recipients see as the sender's (accounts, "The name that recipients see"). Null for a share without an account, for a received
   * submission, whose sender is somebody else, and for an account that shows no name or whose address is not verified.
   */
  readonly sender_name: string | null;
}

const selectShares = (db: Db) =>
  db
    .selectFrom("shares")
    .leftJoin("users", "users.id", "shares.owner_id")
    .selectAll("shares")
    .select("users.disabled_at as owner_disabled_at")
    .select(
      sql<string | null>`CASE WHEN users.show_name = 1 AND users.email_verified = 1 AND shares.is_private = 0 THEN users.name END`.as(
        "sender_name",
      ),
    );

const shareQuery = preparedQuery((db, { shortId }: { shortId: string }) => selectShares(db).where("shares.short_id", "=", shortId));

export async function findShare(db: Db, shortId: string): Promise<FoundShare | undefined> {
  return await shareQuery.first(db, { shortId });
}

/** Finds several shares, in any order. */
export async function findShares(db: Db, shortIds: readonly string[]): Promise<FoundShare[]> {
  return await selectShares(db).where("shares.short_id", "in", inJson(shortIds)).execute();
}

const aliasQuery = preparedQuery((db, { alias }: { alias: string }) =>
  selectShares(db).where("shares.short_id", "=", (query) =>
    query.selectFrom("share_aliases").select("share_aliases.short_id").where("share_aliases.alias", "=", alias),
  ),
);

/**
 * Finds the share of the ID in a link: a short ID or, in any case, an alias (sharing, "Aliases"). All operations that are sent such an ID find its
 * share here.
 */
export async function findShareOfLink(db: Db, id: string): Promise<FoundShare | undefined> {
  const alias = readAlias(id);
  return alias === undefined ? await findShare(db, id) : await aliasQuery.first(db, { alias });
}

/** Finds the share of a link, which may be the shipment that its file joined. */
export async function findLinkedShare(db: Db, id: string): Promise<FoundShare | undefined> {
  return await followRedirect(db, await findShareOfLink(db, id));
}

/** Finds the share of a short ID, which may be the shipment that its file joined. An alias is no short ID. */
export async function findShareOrShipment(db: Db, shortId: string): Promise<FoundShare | undefined> {
  return await followRedirect(db, await findShare(db, shortId));
}

const followRedirect = async (db: Db, share: FoundShare | undefined): Promise<FoundShare | undefined> =>
  share?.redirect_to ? await findShare(db, share.redirect_to) : share;

/** Finds a share by the token of its handoff link, or of the private link of a recipient. */
export async function findShareByToken(db: Db, token: string): Promise<FoundShare | undefined> {
  if (!isRecipientToken(token)) return await selectShares(db).where("shares.handoff_hash", "=", hashToken(token)).executeTakeFirst();
  const link = await findRecipientLink(db, token);
  return link && (await findShare(db, link.shortId));
}

const shareFilesQuery = preparedQuery((db, { shortId }: { shortId: string }) =>
  db.selectFrom("files").selectAll().where("short_id", "=", shortId).orderBy("created_at").orderBy("id"),
);

/** Lists a share's files, oldest first, in any state. */
export async function listShareFiles(db: Db, shortId: string): Promise<FileRow[]> {
  return await shareFilesQuery.all(db, { shortId });
}

/** The columns of a file that the page of its share shows. */
const VIEWED = [
  "id",
  "origin_id",
  "name",
  "relative_path",
  "size_bytes",
  "content_type",
  "sha256",
  "blob_key",
  "blob_state",
  "scan_status",
  "scan_reason",
  "scan_coverage",
  "is_encrypted",
  "failure",
  "download_count",
  "created_at",
  "thumbnail_bytes",
  "thumbnail_width",
  "thumbnail_height",
  "image_width",
  "image_height",
  "reduced_bytes",
] as const;

export type ViewedFile = Readonly<Pick<FileRow, (typeof VIEWED)[number] | "status">>;

const viewedFilesQuery = preparedQuery((db, { shortId }: { shortId: string }) =>
  db
    .selectFrom("files")
    .select(VIEWED)
    .select(effectiveStatus.as("status"))
    .where("short_id", "=", shortId)
    .orderBy("created_at")
    .orderBy("id"),
);

/** Lists a share's files for its page, oldest first, in any state. Selects few columns, because a share may have 10,000 files. */
export async function listViewedFiles(db: Db, shortId: string): Promise<ViewedFile[]> {
  return await viewedFilesQuery.all(db, { shortId });
}

/** Finds the share of an ID, which is a file's ID or a shipment's short ID, and the file in the first case. */
export async function findNamedShare(db: Db, id: string): Promise<{ file?: FileRow; share: FoundShare } | undefined> {
  const found = await findFileWithShare(db, id);
  if (found) return found;
  const share = await findLinkedShare(db, id);
  return share?.kind === "shipment" ? { share } : undefined;
}

/** Finds a file and its share. */
export async function findFileWithShare(db: Db, fileId: string): Promise<{ file: FileRow; share: FoundShare } | undefined> {
  const file = await db.selectFrom("files").selectAll().where("id", "=", fileId).executeTakeFirst();
  if (!file) return undefined;
  const share = await findShare(db, file.short_id);
  return share && { file, share };
}

/** Returns the condition of active shares that have expired. */
export const hasExpired = (nowMs: number) => (where: ExpressionBuilder<Schema, "shares">) =>
  where.and([where("shares.status", "=", "active"), where("shares.expires_at", "<=", nowMs)]);

/** Lists active shares that have expired, at most `limit`, or only the named one. */
export async function listExpiredShares(
  db: Db,
  { nowMs, limit, shortId }: { readonly nowMs: number; readonly limit: number; readonly shortId?: string | undefined },
): Promise<ShareRow[]> {
  return await db
    .selectFrom("shares")
    .selectAll()
    .where(hasExpired(nowMs))
    .$if(shortId !== undefined, (query) => query.where("short_id", "=", shortId ?? ""))
    .orderBy("expires_at")
    .limit(limit)
    .execute();
}

/** Counts active shares that have expired. */
export async function countExpiredShares(db: Db, nowMs: number): Promise<number> {
  const { count } = await db
    .selectFrom("shares")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where(hasExpired(nowMs))
    .executeTakeFirstOrThrow();
  return count;
}

/** A share that must expire because its owner's Pro has ended. */
export interface SharePastPro {
  readonly short_id: string;
  /** End of the owner's Pro. */
  readonly pro_until: number;
}

/**
 * Lists shares that would outlive their owner's ended Pro, at most `limit`, of one account if `ownerId` is set. These have no expiry, or a chosen one
 * after the grace period. Omits shares whose upload is not complete.
 */
export async function listSharesPastPro(db: Db, nowMs: number, limit: number, ownerId?: string): Promise<SharePastPro[]> {
  // This join order uses the index on owners whose Pro ends, then the indexes on their shares.
  const ofEnded = db
    .selectFrom("users")
    .crossJoin("shares")
    .where("users.pro_until", "<=", nowMs)
    .$if(ownerId !== undefined, (query) => query.where("users.id", "=", ownerId ?? ""))
    .whereRef("shares.owner_id", "=", "users.id");
  const unlimited = await ofEnded
    .select(["shares.short_id", "users.pro_until"])
    .where("shares.owner_id", "is not", null)
    .where("shares.status", "=", "active")
    .where("shares.expires_at", "is", null)
    // The share of an unfinished upload has no expiry yet.
    .where((where) =>
      where.or([
        where("shares.kind", "=", "shipment"),
        where.exists(
          where
            .selectFrom("files")
            .select("files.id")
            .whereRef("files.short_id", "=", "shares.short_id")
            .where("files.blob_state", "<>", "uploading"),
        ),
      ]),
    )
    .limit(limit)
    .$narrowType<{ pro_until: NotNull }>()
    .execute();
  const chosen = await ofEnded
    .select(["shares.short_id", "users.pro_until"])
    // The values are literals, because SQLite does not use the partial index for parameters.
    .where(sql<SqlBool>`shares.ends_with_pro = 1 AND shares.status = 'active'`)
    .where(sql<SqlBool>`shares.expires_at > users.pro_until + ${PRO_GRACE_MS}`)
    .limit(limit - unlimited.length)
    .$narrowType<{ pro_until: NotNull }>()
    .execute();
  return [...unlimited, ...chosen];
}

/** Ends the tokens that let others add files to an account's shares. */
export async function endShareTokens(db: Db, ownerId: string): Promise<void> {
  await db
    .updateTable("shares")
    .set({ share_token_hash: null })
    .where("owner_id", "=", ownerId)
    .where("share_token_hash", "is not", null)
    .execute();
}

/** Makes the public shares of an account unlisted. */
export async function unlistShares(db: Db, ownerId: string): Promise<void> {
  await db
    .updateTable("shares")
    .set({ visibility: "unlisted", retention: "ttl" })
    .where("owner_id", "=", ownerId)
    .where("visibility", "=", "public")
    .execute();
}

/** Makes shares expire with the grace period of their owner's Pro. Stores a chosen expiry, which applies again when Pro is renewed. */
export async function limitExpiryToPro(db: Db, shortIds: readonly string[]): Promise<void> {
  await db
    .updateTable("shares")
    .set({
      retention: "ttl",
      expires_at_before_cut: sql`coalesce(expires_at_before_cut, CASE is_expiry_chosen WHEN 1 THEN expires_at END)`,
      expires_at: sql`(SELECT pro_until FROM users WHERE users.id = shares.owner_id) + ${PRO_GRACE_MS}`,
      ends_with_pro: 1,
    })
    .where("short_id", "in", inJson(shortIds))
    .execute();
}

/**
 * Restores the expiry that an account's shares have with Pro: the chosen one, or none. `all` includes shares published without Pro, which then end
 * with Pro too.
 */
export async function restoreProExpiry(db: Db, { ownerId, all, nowMs }: { ownerId: string; all: boolean; nowMs: number }): Promise<void> {
  await db
    .updateTable("shares")
    .set({
      expires_at: sql`CASE is_expiry_chosen WHEN 1 THEN coalesce(expires_at_before_cut, expires_at) END`,
      expires_at_before_cut: null,
      ends_with_pro: 1,
    })
    .where("owner_id", "=", ownerId)
    .where("status", "=", "active")
    .where("expires_at", ">", nowMs)
    .$if(!all, (query) => query.where("ends_with_pro", "=", 1))
    .execute();
}

/** Closes a share and the links that redirect to it. Resolves to the number of rows that had another status. */
export async function closeShareRows(
  ctx: Pick<TransactionCtx, "db" | "now">,
  shortId: string,
  status: Exclude<ShareRow["status"], "active">,
): Promise<number> {
  const closed = await ctx.db
    .updateTable("shares")
    .set({ status, ended_at: ctx.now(), ...(status === "deleted" && { title: null, message: null, handoff_message: null }) })
    .where((where) => where.or([where("short_id", "=", shortId), where("redirect_to", "=", shortId)]))
    .where("status", "<>", status)
    .executeTakeFirst();
  return Number(closed.numUpdatedRows);
}

/** Selects the metadata of a share and its files in one query: one row per file, oldest first. */
export const shareMetadataQuery = preparedQuery((db, { shortId }: { shortId: string }) =>
  db
    .selectFrom("shares")
    .innerJoin("files", "files.short_id", "shares.short_id")
    .leftJoin("users", "users.id", "shares.owner_id")
    .select(["shares.short_id", "shares.kind", "shares.name", "shares.status as share_status", "shares.expires_at"])
    .select([
      "shares.unlock_hash",
      "shares.price_cents",
      "shares.direct",
      "shares.owner_id",
      "shares.max_downloads",
      "shares.title",
      "shares.message",
      "shares.handoff_hash",
      "shares.is_private",
      "files.id",
      "files.name as file_name",
      "files.relative_path",
      "files.size_bytes",
      "files.content_type",
      "files.sha256",
    ])
    .select([
      effectiveStatus.as("status"),
      "files.scan_status",
      "files.scan_reason",
      "files.failure",
      "files.scan_coverage",
      "files.is_encrypted",
      "files.blob_state",
      "files.modified_at",
      "files.is_executable",
    ])
    .select("users.disabled_at as owner_disabled_at")
    .where("shares.short_id", "=", shortId)
    .orderBy("files.created_at")
    .orderBy("files.id"),
);

export type ShareMetadataRow = Awaited<ReturnType<typeof shareMetadataQuery.all>>[number];

/** Returns the received bytes of files that are uploading in parts, by the ID of the file. */
export async function readReceivedBytes(db: Db, fileIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (fileIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("upload_sessions")
    .leftJoin("upload_parts", "upload_parts.session_id", "upload_sessions.id")
    .select(["upload_sessions.file_id", sql<number>`coalesce(sum(upload_parts.size_bytes), 0)`.as("bytes")])
    .where("upload_sessions.file_id", "in", inJson(fileIds))
    .where("upload_sessions.kind", "=", "multipart")
    .groupBy("upload_sessions.file_id")
    .execute();
  return new Map(rows.map(({ file_id, bytes }) => [file_id, bytes]));
}

/** Returns whether a shipment has never had a file, not even one that is uploading. */
export async function isEmptyShipment(db: Db, { short_id, kind }: Pick<ShareRow, "short_id" | "kind">): Promise<boolean> {
  if (kind !== "shipment") return false;
  return (await db.selectFrom("files").select("id").where("short_id", "=", short_id).limit(1).executeTakeFirst()) === undefined;
}

/** Lists the stored bytes and files of a share, by the quota that they count on. */
export async function listStoredBytes(
  db: Db,
  shortId: string,
): Promise<readonly { readonly owner: string; readonly bytes: number; readonly files: number }[]> {
  return await db
    .selectFrom("files")
    .select(["quota_owner as owner", sql<number>`sum(size_bytes)`.as("bytes"), sql<number>`count(*)`.as("files")])
    .where("short_id", "=", shortId)
    .where("blob_state", "not in", ["uploading", "removed"])
    .groupBy("quota_owner")
    .execute();
}
