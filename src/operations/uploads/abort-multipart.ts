import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { abandonUpload } from "./abandon-upload.ts";
import { getSession, stagedBlob } from "./session.ts";

/** `POST /files/multipart/abort`: forgets the upload, its bytes and its share link. */
export const abortMultipart: Operation<"abortMultipart"> = async (ctx, { actor, remember }, input) => {
  const { session, file } = await getSession(ctx.db, actor, input);
  const answer = { success: true } as const;
  if (session.state !== "open") throw notOpen();
  const undone = await abandonUpload(ctx, {
    sessionId: session.id,
    fileId: file.id,
    shortId: file.short_id,
    staged: stagedBlob(session),
    onlyOpen: true,
    onUndone: async (ctx) => remember?.(ctx, answer),
  });
  if (!undone) throw notOpen();
  return answer;
};

const notOpen = (): AppError => new AppError("UPLOAD_CLOSED", "This upload is being completed, or was already. Delete the file instead.");
