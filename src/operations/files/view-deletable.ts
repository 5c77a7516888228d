import { matchesHash } from "../../auth/secrets.ts";
import type { Ctx } from "../../context.ts";

export interface Deletable {
  readonly name: string;
  readonly sizeBytes: number | null;
}

/** The anonymous upload that a deletion token removes; undefined where there is none, or the token is not its own. */
export async function viewDeletable(ctx: Ctx, { fileId, token }: { fileId: string; token: string }): Promise<Deletable | undefined> {
  const file = await ctx.db
    .selectFrom("files")
    .select(["name", "size_bytes", "status", "blob_state", "owner_id", "deletion_hash"])
    .where("id", "=", fileId)
    .executeTakeFirst();
  if (!file || file.status !== "active" || file.blob_state === "uploading" || file.owner_id !== null) return undefined;
  return matchesHash(token, file.deletion_hash) ? { name: file.name, sizeBytes: file.size_bytes } : undefined;
}
