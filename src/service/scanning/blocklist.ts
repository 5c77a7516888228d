import { type SqlBool, sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { sha256Hex } from "../../contract/scalars.ts";
import { insertMany } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { BlockedDigestRow } from "../../db/tables/blocklist.ts";
import { AppError, notFound } from "../../errors.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/ids.ts";
import { toIso } from "../../lib/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { insertEvents } from "../events/outbox.ts";
import { transition } from "../files/file-state.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";

/** The kind of the jobs that block the files that already have a blocked digest. */
const BLOCK_JOB = "block";

/** What `scan_detail` says of a file whose digest is on the list. */
export const ON_BLOCKLIST = "its SHA-256 is on the blocklist";

const MAX_REASON_CHARACTERS = 1000;
/** Files that one transaction blocks. */
const BATCH_SIZE = 200;

export interface NewBlocks {
  readonly digests: readonly string[];
  readonly reason?: string | undefined;
}

export interface AddedBlocks {
  readonly added: readonly string[];
  /** Those that were on the list already, whose reason stays. */
  readonly known: readonly string[];
}

/** Adds digests to the blocklist and blocks the files that have them, by durable jobs. Safe to repeat. Throws VALIDATION_FAILED. */
export async function addBlocks(ctx: Ctx, origin: AuditOrigin, blocks: NewBlocks): Promise<AddedBlocks> {
  const digests = blocks.digests.map(parseDigest);
  if (blocks.reason !== undefined && [...blocks.reason].length > MAX_REASON_CHARACTERS)
    throw new AppError("VALIDATION_FAILED", `The reason is too long. Use at most ${MAX_REASON_CHARACTERS} characters.`);
  const added = await ctx.transaction((ctx) => insertBlocks(ctx, origin, { ...blocks, digests }));
  ctx.wakeJobs();
  return added;
}

/** Inserts the digests that are new, and enqueues the jobs for all. Call `ctx.wakeJobs()` afterwards. */
export async function insertBlocks(ctx: TransactionCtx, origin: AuditOrigin, { digests, reason }: NewBlocks): Promise<AddedBlocks> {
  const wanted = [...new Set(digests)];
  if (wanted.length === 0) return { added: [], known: [] };
  const known = new Set(
    (await ctx.db.selectFrom("blocked_digests").select("sha256").where("sha256", "in", wanted).execute()).map(({ sha256 }) => sha256),
  );
  const added = wanted.filter((sha256) => !known.has(sha256));
  const nowMs = ctx.now();
  const row = { reason: reason || null, added_by: toName(origin), created_at: nowMs };
  await insertMany(
    ctx.db,
    "blocked_digests",
    added.map((sha256) => ({ sha256, ...row })),
  );
  for (const sha256 of added) await recordAudit(ctx, origin, { action: "digest.blocked", subject: sha256, account: null });
  for (const sha256 of wanted)
    await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: BLOCK_JOB, subject: sha256, runAtMs: nowMs, nowMs });
  return { added, known: [...known] };
}

/** Who adds a digest: the ID of an account, or `command_line`. */
const toName = (origin: AuditOrigin): string =>
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

/** Lists the digests, the last added first. */
export async function listBlocks(
  ctx: Pick<Ctx, "db">,
  { cursor, limit = 50 }: { readonly cursor?: string | undefined; readonly limit?: number } = {},
): Promise<BlockPage> {
  const rows = await listBlockRows(ctx.db, { after: cursor, limit: limit + 1 });
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
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<(BlockedDigestRow & { readonly email: string | null })[]> {
  const [createdAt = "", sha256 = ""] = after?.split("_") ?? [];
  return await db
    .selectFrom("blocked_digests")
    .leftJoin("users", "users.id", "blocked_digests.added_by")
    .selectAll("blocked_digests")
    .select("users.email")
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(blocked_digests.created_at, sha256) < (${Number(createdAt)}, ${sha256})`),
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
export const listBlockedDigests: Operation<"listBlockedDigests"> = async (ctx, _call, { cursor, limit }) => {
  const { blocks, nextCursor } = await listBlocks(ctx, { cursor, limit: clampLimit(limit, { defaultLimit: 50, maxLimit: 200 }) });
  return { success: true, data: [...blocks], nextCursor };
};

/** `POST /admin/blocklist`. */
export const blockDigest: Operation<"blockDigest"> = async (ctx, call, { sha256, reason }) => {
  await addBlocks(ctx, call, { digests: [sha256], reason: reason ?? undefined });
  return { sha256 };
};

/** `DELETE /admin/blocklist/{sha256}`. */
export const unblockDigest: Operation<"unblockDigest"> = (ctx, call, { sha256 }) =>
  commitResponse(ctx, call, (ctx) => deleteBlock(ctx, call, sha256));

function parseDigest(text: string): string {
  const parsed = sha256Hex.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new AppError("VALIDATION_FAILED", "This is not a SHA-256. Give 64 hexadecimal digits.");
}

/** Blocks the files that have a digest which was added. Those that are being uploaded or scanned are blocked at the end of that. */
export const blockJob: JobKind<Ctx> = {
  name: BLOCK_JOB,
  slots: () => ({ total: 1 }),
  async run(ctx, job, signal) {
    for (let blocked = BATCH_SIZE; blocked === BATCH_SIZE; ) {
      signal.throwIfAborted();
      blocked = await ctx.transaction((ctx) => blockBatch(ctx, job.subject));
      ctx.wakeJobs();
    }
    return DONE;
  },
};

async function blockBatch(ctx: TransactionCtx, sha256: string): Promise<number> {
  const change = transition("failScan");
  // Not if the digest was removed meanwhile.
  const files = await ctx.db
    .selectFrom("files")
    .innerJoin("blocked_digests", "blocked_digests.sha256", "files.sha256")
    .selectAll("files")
    .where("files.sha256", "=", sha256)
    // Without a parameter: otherwise the partial index is not used.
    .where(sql<SqlBool>`files.status = 'active'`)
    .where("files.scan_status", "=", "clean")
    .where("files.blob_state", "=", "stored")
    .limit(BATCH_SIZE)
    .execute();
  if (files.length === 0) return 0;
  const nowMs = ctx.now();
  await ctx.db
    .updateTable("files")
    .set({ ...change.set, scan_reason: "scan_failed", failure: null, scan_detail: ON_BLOCKLIST })
    .where(
      "id",
      "in",
      files.map(({ id }) => id),
    )
    .where(change.where)
    .execute();
  await insertEvents(
    ctx.db,
    files.map((file) => ({ id: newUuid(ctx.random, nowMs), type: "file.failed", file, reason: "scan_failed", nowMs })),
  );
  ctx.log.warn({ sha256, files: files.length }, "files blocked by the blocklist");
  return files.length;
}
