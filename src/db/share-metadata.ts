import { keptQuery } from "./kept-query.ts";

/** What anyone may know of a share and its files, in one look-up: a row a file, oldest first. */
export const shareMetadataQuery = keptQuery((db, { shortId }: { shortId: string }) =>
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
      "files.id",
      "files.name as file_name",
      "files.relative_path",
      "files.size_bytes",
      "files.content_type",
      "files.sha256",
    ])
    .select(["files.status", "files.scan_status", "files.scan_reason", "files.failure", "files.scan_coverage", "files.blob_state"])
    .select("users.disabled_at as owner_disabled_at")
    .where("shares.short_id", "=", shortId)
    .orderBy("files.created_at")
    .orderBy("files.id"),
);

export type ShareMetadataRow = Awaited<ReturnType<typeof shareMetadataQuery.all>>[number];
