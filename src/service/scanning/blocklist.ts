import { type SqlBool, sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { sha256Hex } from "../../contract/scalars.ts";
import { inJson, insertMany } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { BlockedDigestRow } from "../../db/tables/moderation.ts";
import { AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type AuditOrigin, recordAudit, toAuthor } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { blockFiles } from "./block-files.ts";

interface AddedBlocks {
  readonly added: readonly string[];
  /** Digests that were already on the list and keep their reason. */
  readonly known: readonly string[];
}

interface InsertedBlocks {
  readonly digests: readonly string[];
  readonly reason?: string | undefined;
  /** The author of the entry, if it is not the origin. */
  readonly addedBy?: string;
  /** The file with this digest, for the audit log. */
  readonly ofFile?: string;
}

/** Inserts the new digests, and blocks the files of all given digests. Call `ctx.wakeJobs()` afterwards. */
export async function insertBlocks(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { digests, reason, addedBy = toAuthor(origin), ofFile }: InsertedBlocks,
): Promise<AddedBlocks> {
  const wanted = [...new Set(digests)];
  if (wanted.length === 0) return { added: [], known: [] };
  const known = new Set(
    (await ctx.db.selectFrom("blocked_digests").select("sha256").where("sha256", "in", inJson(wanted)).execute()).map(
      ({ sha256 }) => sha256,
    ),
  );
  const added = wanted.filter((sha256) => !known.has(sha256));
  const row = { reason: reason || null, added_by: addedBy, created_at: ctx.now() };
  await insertMany(
    ctx.db,
    "blocked_digests",
    added.map((sha256) => ({ sha256, ...row })),
  );
  for (const sha256 of added)
    await recordAudit(ctx, origin, { action: "digest.blocked", subject: sha256, account: null, details: { file: ofFile } });
  await blockFiles(ctx, wanted);
  return { added, known: [...known] };
}

/** Counts the digests on the list. */
export async function countBlocks(db: Ctx["db"]): Promise<number> {
  const digests = db.selectFrom("blocked_digests").select((select) => select.fn.countAll<number>().as("count"));
  return (await digests.executeTakeFirstOrThrow()).count;
}

/** `GET /admin/blocklist`: lists the digests, newest first. `nextCursor` is null on the last page. */
export const listBlockedDigests: AdministratorOperation<"listBlockedDigests"> = async (ctx, _call, { search, cursor, limit }) => {
  const pageSize = clampLimit(limit, { defaultLimit: 50, maxLimit: 200 });
  const rows = await listBlockRows(ctx.db, { search, after: cursor, limit: pageSize + 1 });
  const page = rows.slice(0, pageSize);
  const last = page.at(-1);
  return {
    success: true,
    data: page.map(({ sha256, reason, added_by, email, created_at }) => ({
      sha256,
      reason,
      addedBy: email ?? added_by,
      createdAt: toIso(created_at),
    })),
    nextCursor: last && rows.length > pageSize ? `${last.created_at}_${last.sha256}` : null,
  };
};

interface BlockSearch {
  /** The start of a digest, or a part of the reason. */
  readonly search: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

async function listBlockRows(
  db: Db,
  { search, after, limit }: BlockSearch,
): Promise<(BlockedDigestRow & { readonly email: string | null })[]> {
  const [createdAt = "", sha256 = ""] = after?.split("_") ?? [];
  const text = (search ?? "").trim().replace(/[\\%_]/g, "\\$&");
  return await db
    .selectFrom("blocked_digests")
    .leftJoin("users", "users.id", "blocked_digests.added_by")
    .selectAll("blocked_digests")
    .select("users.email")
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(blocked_digests.created_at, sha256) < (${Number(createdAt)}, ${sha256})`),
    )
    .$if(text !== "", (query) =>
      query.where(sql<SqlBool>`(sha256 LIKE ${`${text}%`} ESCAPE '\\' OR reason LIKE ${`%${text}%`} ESCAPE '\\')`),
    )
    .orderBy("blocked_digests.created_at", "desc")
    .orderBy("sha256", "desc")
    .limit(limit)
    .execute();
}

/** `POST /admin/blocklist`. */
export const blockDigests: AdministratorOperation<"blockDigests"> = async (ctx, call, { digests, reason }) => {
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { added, known } = await insertBlocks(ctx, call, { digests, reason: reason ?? undefined });
    return { added: [...added], known: [...known] };
  });
  ctx.wakeJobs();
  return response;
};

/**
 * `DELETE /admin/blocklist/{sha256}`: removes a digest. Files that it blocked stay blocked until they are scanned again (`rescan`). Throws NOT_FOUND.
 */
export const unblockDigest: AdministratorOperation<"unblockDigest"> = (ctx, call, input) =>
  commitResponse(ctx, call, async (ctx) => {
    const sha256 = parseDigest(input.sha256);
    const { numDeletedRows } = await ctx.db.deleteFrom("blocked_digests").where("sha256", "=", sha256).executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound("digest", "List the blocklist to find it.");
    await recordAudit(ctx, call, { action: "digest.unblocked", subject: sha256, account: null });
    return { sha256 };
  });

/** Returns a digest in lower case. Throws VALIDATION_FAILED with the text. */
export function parseDigest(text: string): string {
  const parsed = sha256Hex.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new AppError("VALIDATION_FAILED", `"${text.slice(0, 80)}" is not a SHA-256. Give 64 hexadecimal digits.`);
}
