import type { BlobArea, StagedBlob } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/schema.ts";
import { listLiving } from "../../instance.ts";

/** Bytes that no row speaks of, and rows whose bytes are not there. */
export interface Findings {
  readonly missing: readonly { readonly fileId: string; readonly reason: string }[];
  readonly orphans: readonly { readonly key: string; readonly where: BlobArea | "staging" }[];
}

/** The states in which a file has bytes in the store; they may change their area between being listed and being looked up. */
const IN_STORE = ["stored", "quarantined", "removing"] as const;

/**
 * Bytes without a row, page by page. The row is always written first and removed last, so what is listed and then has no row
 * is an orphan for certain; uploads under way are left alone while their process lives.
 */
export async function* findOrphans(ctx: Ctx): AsyncGenerator<Findings["orphans"][number] & { readonly staged?: StagedBlob }> {
  for (const area of ["visible", "quarantine"] as const) {
    for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
      const page = await ctx.blobs.list(area, after);
      const known = await keysOfFiles(
        ctx,
        page.items.map((blob) => blob.key),
        ["uploading", ...IN_STORE],
      );
      for (const blob of page.items) if (!known.has(blob.key)) yield { key: blob.key, where: area };
      after = page.next;
    }
  }
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const page = await ctx.blobs.listStaged(after);
    const keys = page.items.map((staged) => staged.key);
    // Sessions first: an upload that ends between the two questions is a file by the second.
    const live = await liveSessions(ctx, keys);
    const ended = await keysOfFiles(ctx, keys, IN_STORE);
    for (const staged of page.items)
      if (!live.has(staged.key) && !ended.has(staged.key)) yield { key: staged.key, where: "staging", staged };
    after = page.next;
  }
}

async function keysOfFiles(ctx: Ctx, keys: readonly string[], states: readonly FileRow["blob_state"][]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await ctx.db
    .selectFrom("files")
    .select("blob_key")
    .where("blob_key", "in", keys)
    .where("blob_state", "in", states)
    .execute();
  return new Set(rows.map((row) => row.blob_key));
}

async function liveSessions(ctx: Ctx, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const sessions = await ctx.db
    .selectFrom("upload_sessions")
    .select(["blob_key", "kind", "holder"])
    // By the file, which is there as long as its session is under way, and has an index on the name of its bytes.
    .where("file_id", "in", (query) => query.selectFrom("files").select("id").where("blob_key", "in", keys))
    .where("state", "<>", "completed")
    .execute();
  const living = await listLiving(ctx.db, ctx.now());
  const live = sessions.filter((session) => session.kind === "multipart" || (session.holder !== null && living.has(session.holder)));
  return new Set(live.map((session) => session.blob_key));
}

/** Removes what `findOrphans` finds. Resolves to how many. */
export async function removeOrphans(ctx: Ctx): Promise<number> {
  let removed = 0;
  for await (const orphan of findOrphans(ctx)) {
    if (orphan.staged) await ctx.blobs.discard(orphan.staged);
    else await ctx.blobs.remove(orphan.key);
    removed += 1;
  }
  return removed;
}

const PAGE = 1000;

/** Rows whose bytes are not there, or have another size, page by page. */
export async function* findMissing(ctx: Ctx): AsyncGenerator<Findings["missing"][number]> {
  for (let after = ""; ; ) {
    const rows = await ctx.db
      .selectFrom("files")
      .select(["id", "blob_key", "blob_state", "scan_reason", "size_bytes"])
      .where("id", ">", after)
      .where("blob_state", "in", ["stored", "quarantined"])
      .orderBy("id")
      .limit(PAGE)
      .execute();
    for (const row of rows) {
      const reason = await missingReason(ctx, row);
      if (reason && (await isStill(ctx, row))) yield { fileId: row.id, reason };
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

type CheckedRow = Pick<FileRow, "id" | "blob_key" | "blob_state" | "scan_reason" | "size_bytes">;

async function missingReason(ctx: Ctx, row: CheckedRow): Promise<string | undefined> {
  const sizeBytes = await sizeOf(ctx, row);
  if (sizeBytes === row.size_bytes) return undefined;
  return sizeBytes === undefined ? "no bytes" : `${sizeBytes} bytes instead of ${row.size_bytes}`;
}

/** Of an infected file that is still said to be stored, the bytes are on their way into quarantine or out of it. */
async function sizeOf(ctx: Ctx, row: CheckedRow): Promise<number | undefined> {
  if (row.blob_state === "quarantined") return await ctx.blobs.size(row.blob_key, "quarantine");
  const sizeBytes = await ctx.blobs.size(row.blob_key, "visible");
  return sizeBytes === undefined && row.scan_reason === "infected" ? await ctx.blobs.size(row.blob_key, "quarantine") : sizeBytes;
}

/** The file may have gone, or moved to quarantine, since the page was read. */
async function isStill(ctx: Ctx, row: CheckedRow): Promise<boolean> {
  const now = await ctx.db
    .selectFrom("files")
    .select(["id", "blob_key", "blob_state", "scan_reason", "size_bytes"])
    .where("id", "=", row.id)
    .executeTakeFirst();
  return now !== undefined && now.blob_state === row.blob_state && (await missingReason(ctx, now)) !== undefined;
}
