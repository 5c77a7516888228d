import type { BlobArea, StagedBlob, Stranger } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { listLiving } from "../../instance.ts";

/** Bytes that no row speaks of. */
export interface Orphan {
  readonly key: string;
  readonly where: BlobArea | "staging";
  /** Of an upload's bytes: what `discard` takes. */
  readonly staged?: StagedBlob;
  /** Of a file that is no blob: its key is its path. */
  readonly stranger?: Stranger;
}

/** The states in which a file has bytes in the store; they may change their area between being listed and being looked up. */
const IN_STORE = ["stored", "quarantined", "removing"] as const;

/**
 * Bytes without a row, page by page. The row is always written first and removed last, so what is listed and then has no row
 * is an orphan for certain; uploads under way are left alone while their process lives.
 */
export async function* findOrphans(ctx: Ctx): AsyncGenerator<Orphan> {
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
  for await (const stranger of ctx.blobs.listStrangers?.() ?? []) yield { key: stranger.path, where: stranger.where, stranger };
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

/** Removes what `findOrphans` finds; files by other names than ours only where a person asks for it. Resolves to how many. */
export async function removeOrphans(ctx: Ctx, { strangers }: { readonly strangers: boolean }): Promise<number> {
  let removed = 0;
  for await (const orphan of findOrphans(ctx)) {
    if (orphan.stranger && !strangers) continue;
    if (orphan.stranger) await ctx.blobs.removeStranger?.(orphan.stranger);
    else if (orphan.staged) await ctx.blobs.discard(orphan.staged);
    else await ctx.blobs.remove(orphan.key);
    removed += 1;
  }
  return removed;
}
