import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";

/** A file whose bytes are not there, or not all of them. */
export interface MissingBytes {
  readonly fileId: string;
  readonly reason: string;
}

const PAGE = 1000;

/** Rows whose bytes are not there, or have another size, page by page. */
export async function* findMissing(ctx: Ctx): AsyncGenerator<MissingBytes> {
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
