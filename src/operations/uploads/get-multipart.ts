import type { Operation } from "../operation.ts";
import { listArrived } from "./arrived-parts.ts";
import { checkStillHere, getSession, toSessionFields } from "./session.ts";

/** `GET /files/multipart/{uploadId}`: what has arrived, so that any client can go on. */
export const getMultipart: Operation<"getMultipart"> = async (ctx, { actor }, { uploadId }) => {
  const owned = await getSession(ctx.db, actor, { uploadId });
  checkStillHere(ctx, owned.session);
  const { parts } = await listArrived(ctx, owned);
  return {
    success: true,
    data: {
      ...toSessionFields(ctx, uploadId, owned),
      parts: parts.map((part) => ({ partNumber: part.part_number, size: part.size_bytes, sha256: part.sha256, etag: part.etag })),
    },
  };
};
