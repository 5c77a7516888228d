import { type SqlBool, sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { sha256Hex } from "../../contract/scalars.ts";
import { inJson, insertMany } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { BlockedDigestRow } from "../../db/tables/blocklist.ts";
import { AppError, notFound } from "../../errors.ts";
import { inBatches } from "../../lib/batches.ts";
import { toIso } from "../../lib/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { blockFiles } from "./block-files.ts";
import { MAX_NEW_DIGESTS } from "./contract.ts";

const MAX_REASON_CHARACTERS = 1000;

export interface NewBlocks {
  readonly digests: readonly string[];
  readonly reason?: string | undefined;
}

export interface AddedBlocks {
  readonly added: readonly string[];
  /** Digests that were on the list already, whose reason stays. */
  readonly known: readonly string[];
}

/** Adds digests to the blocklist, as many as there are, and blocks the files that have them. Safe to repeat. Throws VALIDATION_FAILED. */
export async function addBlocks(ctx: Ctx, origin: AuditOrigin, blocks: NewBlocks): Promise<AddedBlocks> {
  const digests = blocks.digests.map(parseDigest);
  if (blocks.reason !== undefined && [...blocks.reason].length > MAX_REASON_CHARACTERS)
    throw new AppError("VALIDATION_FAILED", `The reason is too long. Use at most ${MAX_REASON_CHARACTERS} characters.`);
  const results: AddedBlocks[] = [];
  for await (const batch of inBatches(digests, MAX_NEW_DIGESTS))
    results.push(await ctx.transaction((ctx) => insertBlocks(ctx, origin, { ...blocks, digests: batch })));
  ctx.wakeJobs();
  return { added: results.flatMap(({ added }) => added), known: results.flatMap(({ known }) => known) };
}

interface InsertedBlocks extends NewBlocks {
  /** Who adds them, if not the origin. */
  readonly addedBy?: string;
  /** The file that they are of, for the audit log. */
  readonly ofFile?: string;
}

/** Inserts the digests that are new, and blocks the files of all. Call `ctx.wakeJobs()` afterwards. */
export async function insertBlocks(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { digests, reason, addedBy = toAddedBy(origin), ofFile }: InsertedBlocks,
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

/** Who adds a digest: the ID of an account, or `command_line`. */
export const toAddedBy = (origin: AuditOrigin): string =>
  typeof origin === "string" ? origin : origin.actor.kind === "user" ? origin.actor.userId : "anonymous";

/** A digest of the list. `createdAt` is ISO 8601; `addedBy` an account's email address or ID, or `command_line`. */
export interface BlockView {
  readonly sha256: string;
  readonly reason: string | null;
  readonly addedBy: string;
  readonly createdAt: string;
}

export interface BlockPage {
  readonly blocks: readonly BlockView[];
  /** Where the next page begins; null: this is the last. */
  readonly nextCursor: string | null;
}

interface BlockSearch {
  /** The start of a digest, or a part of the reason. */
  readonly search?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Counts the digests on the list. */
export async function countBlocks(db: Ctx["db"]): Promise<number> {
  const digests = db.selectFrom("blocked_digests").select((select) => select.fn.countAll<number>().as("count"));
  return (await digests.executeTakeFirstOrThrow()).count;
}

/** Lists the digests, the last added first. */
export async function listBlocks(ctx: Pick<Ctx, "db">, { search, cursor, limit }: BlockSearch): Promise<BlockPage> {
  const rows = await listBlockRows(ctx.db, { search, after: cursor, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    blocks: shown.map(({ sha256, reason, added_by, email, created_at }) => ({
      sha256,
      reason,
      addedBy: email ?? added_by,
      createdAt: toIso(created_at),
    })),
    nextCursor: last && rows.length > limit ? `${last.created_at}_${last.sha256}` : null,
  };
}

async function listBlockRows(
  db: Db,
  { search, after, limit }: Omit<BlockSearch, "cursor"> & { readonly after: string | undefined },
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

/** Removes a digest. Files that it blocked stay blocked until they are scanned again (`rescan`). Throws NOT_FOUND. */
export const removeBlock = (ctx: Ctx, origin: AuditOrigin, digest: string): Promise<{ readonly sha256: string }> =>
  ctx.transaction((ctx) => deleteBlock(ctx, origin, digest));

async function deleteBlock(ctx: TransactionCtx, origin: AuditOrigin, digest: string): Promise<{ sha256: string }> {
  const sha256 = parseDigest(digest);
  const { numDeletedRows } = await ctx.db.deleteFrom("blocked_digests").where("sha256", "=", sha256).executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound("digest", "List the blocklist to find it.");
  await recordAudit(ctx, origin, { action: "digest.unblocked", subject: sha256, account: null });
  return { sha256 };
}

/** `GET /admin/blocklist`. */
export const listBlockedDigests: Operation<"listBlockedDigests"> = async (ctx, _call, { limit, ...search }) => {
  const { blocks, nextCursor } = await listBlocks(ctx, { ...search, limit: clampLimit(limit, { defaultLimit: 50, maxLimit: 200 }) });
  return { success: true, data: [...blocks], nextCursor };
};

/** `POST /admin/blocklist`. */
export const blockDigests: Operation<"blockDigests"> = async (ctx, call, { digests, reason }) => {
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { added, known } = await insertBlocks(ctx, call, { digests, reason: reason ?? undefined });
    return { added: [...added], known: [...known] };
  });
  ctx.wakeJobs();
  return response;
};

/** `DELETE /admin/blocklist/{sha256}`. */
export const unblockDigest: Operation<"unblockDigest"> = (ctx, call, { sha256 }) =>
  commitResponse(ctx, call, (ctx) => deleteBlock(ctx, call, sha256));

function parseDigest(text: string): string {
  const parsed = sha256Hex.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new AppError("VALIDATION_FAILED", `"${text.slice(0, 80)}" is not a SHA-256. Give 64 hexadecimal digits.`);
}
