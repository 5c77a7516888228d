import type { Ctx } from "../../context.ts";
import { abandonUpload } from "../uploads/abandon-upload.ts";
import { isDead, stagedBlob } from "../uploads/session.ts";

/** Undoes the upload into a share whose process died, or whose bytes are in a store that this server has left, so that the delegation is free for another before the cleanup comes by. */
export async function abandonDeadUpload(ctx: Ctx, shortId: string): Promise<void> {
  const session = await ctx.db
    .selectFrom("upload_sessions")
    .innerJoin("files", "files.id", "upload_sessions.file_id")
    .selectAll("upload_sessions")
    .where("files.short_id", "=", shortId)
    .where("upload_sessions.state", "=", "open")
    .executeTakeFirst();
  if (!session) return;
  if (await isDead(ctx, session))
    await abandonUpload(ctx, { sessionId: session.id, fileId: session.file_id, shortId, staged: stagedBlob(session) });
}
