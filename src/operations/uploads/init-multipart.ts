import type { TxCtx } from "../../context.ts";
import { PART_SIZE } from "../../contract/scalars.ts";
import type { Operation } from "../operation.ts";
import { type BegunUpload, beginUpload } from "./begin-upload.ts";
import { partSizeFor } from "./part-size.ts";
import { getSession, toSessionFields } from "./session.ts";

/** `POST /files/multipart/init`: reserves the space; the share link works from now on. */
export const initMultipart: Operation<"initMultipart"> = async (ctx, { actor, remember }, input) => {
  const { fileName, fileSize, fileType, partSize, sha256, ...publish } = input;
  const sizeBytes = partSizeFor(fileSize, Math.max(partSize ?? PART_SIZE.defaultBytes, ctx.blobs.minPartBytes ?? 0));
  const toAnswer = async (ctx: Pick<TxCtx, "db" | "addresses">, begun: BegunUpload) => {
    const data = toSessionFields(ctx, begun.uploadId, await getSession(ctx.db, actor, begun));
    return { success: true, ...data, data } as const;
  };
  const begun = await beginUpload(ctx, actor, {
    name: fileName,
    sizeBytes: fileSize,
    type: fileType,
    publish,
    expectedSha256: sha256,
    parts: { sizeBytes, total: Math.ceil(fileSize / sizeBytes), openToSenders: true },
    onStaged: async (ctx, begun) => remember?.(ctx, await toAnswer(ctx, begun)),
  });
  return await toAnswer(ctx, begun);
};
