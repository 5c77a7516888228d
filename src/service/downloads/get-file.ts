import type { Ctx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser } from "../accounts/actor.ts";
import type { Output } from "../contract.ts";
import { toFileItem, toLinkView } from "../files/file-view.ts";
import { type FileLink, MAX_LINKS, readLinks } from "../files/links.ts";
import { LISTED_PLACE } from "../files/listing-queries.ts";
import type { Operation } from "../operation.ts";
import { findFileWithShare } from "../shares/queries.ts";
import { unlockKind } from "../shares/share-password.ts";
import { isOpenToOwner } from "../shares/share-state.ts";
import { type OfferedPreview, offerPreview } from "./preview-rules.ts";

type FileDetails = Output<"getFile">;

/** `GET /files/{fileId}/details`: returns a file of the caller, the settings of its share, and its lineage (listing, "A file"). */
export const getFile: Operation<"getFile"> = async (ctx, { actor }, { fileId }) => {
  const user = requireUser(actor);
  const found = await findFileWithShare(ctx.db, fileId);
  const isFound = found?.file.owner_id === user.userId && found.file.status !== "deleted" && found.file.status !== "expired";
  if (!isFound || found.file.blob_state === "uploading") throw notFound("file", "List your files to find its ID.", "in your account");
  const { file, share } = found;
  const links = (await readLinks(ctx, [found], MAX_LINKS.details)).get(fileId);
  const preview = isOpenToOwner(ctx, share) ? toPreview(offerPreview(ctx, found, { isUnlocked: true, hasWaited: true }), file) : null;
  return {
    ...toFileItem(ctx, found, links),
    links: links?.links.map((link) => toLinkDetails(ctx, link)) ?? [],
    scanCoverage: file.scan_coverage,
    preview,
    share: {
      kind: share.kind,
      files: await countShareFiles(ctx.db, share.short_id),
      title: share.title,
      message: share.message,
      alias: share.alias,
      handoffMessage: share.handoff_message,
      latestExpiresAt: toIso(ctx.now() + ctx.config.tiers[user.tier].retentionMs),
      priceCents: share.price_cents,
      priceThumbnails: share.price_thumbnails === 1,
      maxDownloads: share.max_downloads,
      retention: share.retention,
      direct: share.direct === 1,
      notify: share.notify === null ? null : share.notify === 1,
    },
    madeFrom: await listRelated(ctx.db, user.userId, { of: "file_id", id: fileId, related: "upstream_id" }),
    usedIn: await listRelated(ctx.db, user.userId, { of: "upstream_id", id: fileId, related: "file_id" }),
  };
};

/** Returns a link of a file with its settings. */
const toLinkDetails = (ctx: Pick<Ctx, "urls">, { place, share }: FileLink): FileDetails["links"][number] => ({
  ...toLinkView(ctx, place.id, share),
  kind: share.kind,
  createdAt: toIso(place.placed_at ?? place.created_at),
  expiresAt: toIso(share.expires_at),
  visibility: share.visibility,
  unlockRequired: share.unlock_hash !== null,
  unlockKind: unlockKind(share),
  downloads: place.download_count,
  maxDownloads: share.max_downloads,
  priceCents: share.price_cents,
  immutable: place.immutable === 1,
});

const toPreview = (
  offered: OfferedPreview | undefined,
  { image_placeholder }: Pick<FileRow, "image_placeholder">,
): FileDetails["preview"] => (offered ? { ...offered, placeholder: image_placeholder } : null);

async function countShareFiles(db: Db, shortId: string): Promise<number> {
  const { files } = await db
    .selectFrom("files")
    .select((select) => select.fn.countAll<number>().as("files"))
    .where("short_id", "=", shortId)
    .where("status", "=", "active")
    .executeTakeFirstOrThrow();
  return files;
}

const MAX_RELATED = 100;

interface Relation {
  readonly of: "file_id" | "upstream_id";
  readonly id: string;
  readonly related: "file_id" | "upstream_id";
}

/** Lists the files of an account that a file was made from, or that were made from the file. */
async function listRelated(db: Db, ownerId: string, { of, id, related }: Relation): Promise<FileDetails["madeFrom"]> {
  const rows = await db.selectFrom("file_lineage").select(`${related} as id`).where(of, "=", id).limit(MAX_RELATED).execute();
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  return await db
    .selectFrom("files")
    .select(["files.id", "files.name"])
    .where("files.id", "in", inJson(ids))
    .where("files.owner_id", "=", ownerId)
    .where(LISTED_PLACE)
    .orderBy("files.name_order")
    .execute();
}
