import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { findOrphans, type Orphan } from "./orphans.ts";

/** A file whose bytes are missing or have another size. */
export interface MissingBytes {
  readonly fileId: string;
  readonly reason: string;
}

/** The result of an audit: files without bytes, and bytes without a file. */
export interface AuditReport {
  readonly missing: readonly MissingBytes[];
  readonly orphans: readonly Pick<Orphan, "key" | "where">[];
}

/** Compares the database with the blob store in both directions. Changes nothing, and is safe while a server runs. */
export async function audit(ctx: Ctx): Promise<AuditReport> {
  const missing: MissingBytes[] = [];
  const orphans: Pick<Orphan, "key" | "where">[] = [];
  for await (const file of findMissing(ctx)) missing.push(file);
  for await (const { key, where } of findOrphans(ctx)) orphans.push({ key, where });
  return { missing, orphans };
}

const PAGE_SIZE = 1000;

async function* findMissing(ctx: Ctx): AsyncGenerator<MissingBytes> {
  for (let after = ""; ; ) {
    const rows = await ctx.db
      .selectFrom("files")
      .select(["id", "blob_key", "blob_state", "scan_reason", "size_bytes"])
      .where("id", ">", after)
      .where("blob_state", "in", ["stored", "quarantined"])
      .orderBy("id")
      .limit(PAGE_SIZE)
      .execute();
    for (const row of rows) {
      const reason = await missingReason(ctx, row);
      if (reason && (await isStillMissing(ctx, row))) yield { fileId: row.id, reason };
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

/** Returns the size of a file's bytes. Checks both areas, because an infected file with the state `stored` is being moved to or from quarantine. */
async function sizeOf(ctx: Ctx, row: CheckedRow): Promise<number | undefined> {
  if (row.blob_state === "quarantined") return await ctx.blobs.size(row.blob_key, "quarantine");
  const sizeBytes = await ctx.blobs.size(row.blob_key, "visible");
  return sizeBytes === undefined && row.scan_reason === "infected" ? await ctx.blobs.size(row.blob_key, "quarantine") : sizeBytes;
}

/** Checks a file again, because it may have been deleted or moved since the page was read. */
async function isStillMissing(ctx: Ctx, row: CheckedRow): Promise<boolean> {
  const now = await ctx.db
    .selectFrom("files")
    .select(["id", "blob_key", "blob_state", "scan_reason", "size_bytes"])
    .where("id", "=", row.id)
    .executeTakeFirst();
  return now !== undefined && now.blob_state === row.blob_state && (await missingReason(ctx, now)) !== undefined;
}
