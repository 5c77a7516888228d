import type { Ctx } from "../../context.ts";
import { invalidField } from "../../errors.ts";
import type { Actor } from "../accounts/actor.ts";
import type { PublishInput } from "../shares/contract.ts";
import type { AbortInput } from "./abort-upload.ts";
import { checkSessionOpen, getSession, toStagedBlob } from "./session.ts";

/**
 * The unfinished upload whose link a new one takes over (uploads, "A file that has changed"). Throws NOT_FOUND or UPLOAD_CLOSED, and
 * VALIDATION_FAILED if the file has no link of its own.
 */
export async function getReplaced(ctx: Ctx, actor: Actor, uploadId: string, publish: PublishInput): Promise<AbortInput> {
  const { session, file } = await getSession(ctx.db, actor, { uploadId });
  checkSessionOpen(ctx, session);
  const share = await ctx.db.selectFrom("shares").select("kind").where("short_id", "=", file.short_id).executeTakeFirst();
  if (share?.kind !== "file" || publish.shareShortId || publish.openShare || publish.requestToken)
    throw invalidField("replacesUploadId", "Only an upload of a single file has a link of its own. Omit it.");
  return { sessionId: session.id, fileId: file.id, shortId: file.short_id, staged: toStagedBlob(session) };
}
