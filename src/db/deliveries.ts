import type { Db } from "./database.ts";
import { keptQuery } from "./kept-query.ts";
import { keepRows } from "./row-cache.ts";
import type { FoundShare } from "./shares.ts";
import type { FileRow } from "./tables/files.ts";

/** What delivering a file needs to know of it. */
export type DeliverableFile = Readonly<
  Pick<
    FileRow,
    "id" | "short_id" | "owner_id" | "name" | "size_bytes" | "content_type" | "sha256" | "blob_key" | "blob_state" | "status" | "created_at"
  > &
    Pick<FileRow, "scan_status" | "scan_reason" | "failure">
>;

/** What an archive needs to know of a file. */
export type ArchivableFile = DeliverableFile & Pick<FileRow, "relative_path" | "scanned_at" | "ended_at">;

/** What a share says of who may have its files. */
export type SharePolicy = Readonly<
  Pick<
    FoundShare,
    | "short_id"
    | "status"
    | "expires_at"
    | "max_downloads"
    | "generation"
    | "unlock_hash"
    | "handoff_hash"
    | "price_cents"
    | "owner_disabled_at"
  >
>;

const DELIVERABLE = [
  "files.id",
  "files.short_id",
  "files.owner_id",
  "files.name",
  "files.size_bytes",
  "files.content_type",
  "files.sha256",
  "files.blob_key",
  "files.blob_state",
  "files.status",
  "files.created_at",
  "files.scan_status",
  "files.scan_reason",
  "files.failure",
] as const;

const query = keptQuery((db, { fileId }: { fileId: string }) =>
  db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .leftJoin("users", "users.id", "shares.owner_id")
    .select(DELIVERABLE)
    .select([
      "shares.status as share_status",
      "shares.expires_at",
      "shares.max_downloads",
      "shares.generation",
      "shares.unlock_hash",
      "shares.handoff_hash",
      "shares.price_cents",
    ])
    .select("users.disabled_at as owner_disabled_at")
    .where("files.id", "=", fileId),
);

export interface Deliverable {
  readonly file: DeliverableFile;
  readonly share: SharePolicy;
}

/** A file and its share's policy, in one look-up; kept, since players and resuming clients ask for one file many times. */
export const findDeliverable = keepRows<Deliverable>(async (db, fileId) => {
  const row = await query.first(db, { fileId });
  return row && { file: row, share: { ...row, status: row.share_status } };
});

/** A share's files, oldest first, without what an archive has no use for: there may be 10,000. */
export async function listArchivable(db: Db, shortId: string): Promise<ArchivableFile[]> {
  return await db
    .selectFrom("files")
    .select(DELIVERABLE)
    .select(["files.relative_path", "files.scanned_at", "files.ended_at"])
    .where("short_id", "=", shortId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}
