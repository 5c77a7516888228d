import type { Ctx } from "../../context.ts";
import { listWorkSubjects } from "../../jobs/queue.ts";
import { THUMBNAIL_JOB } from "../files/enqueue-thumbnail.ts";
import { fileIdOf } from "../files/places.ts";
import { allowsThumbnail } from "../files/thumbnail-rules.ts";
import type { FoundShare, ViewedFile } from "../shares/queries.ts";

/** Lists the IDs of those of a share's files whose thumbnail is being made, for a recipient who has unlocked the share and does not have to wait. */
export async function listUnfinishedThumbnails(
  ctx: Pick<Ctx, "db" | "now">,
  { files, share }: { readonly files: readonly ViewedFile[]; readonly share: FoundShare },
): Promise<ReadonlySet<string>> {
  const without = files.filter((file) => file.thumbnail_bytes === null && isImage(file) && allowsThumbnail(ctx, file, share));
  if (without.length === 0) return new Set();
  const subjects = await listWorkSubjects(ctx.db, { kind: THUMBNAIL_JOB, subjects: without.map(fileIdOf) });
  return new Set(without.filter((file) => subjects.has(fileIdOf(file))).map(({ id }) => id));
}

const isImage = ({ content_type }: ViewedFile): boolean => content_type.startsWith("image/");
