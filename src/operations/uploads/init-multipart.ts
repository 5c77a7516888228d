import { PART_SIZE } from "../../contract/scalars.ts";
import type { Operation } from "../operation.ts";
import { beginUpload } from "./begin-upload.ts";
import { getSession, toSessionFields } from "./session.ts";

/** `POST /files/multipart/init`: reserves the space; the share link works from now on. */
export const initMultipart: Operation<"initMultipart"> = async (ctx, { actor }, input) => {
  const { fileName, fileSize, fileType, partSize, sha256, ...publish } = input;
  const sizeBytes = partSizeFor(fileSize, Math.max(partSize ?? PART_SIZE.defaultBytes, ctx.blobs.minPartBytes ?? 0));
  const begun = await beginUpload(ctx, actor, {
    name: fileName,
    sizeBytes: fileSize,
    type: fileType,
    publish,
    expectedSha256: sha256,
    parts: { sizeBytes, total: Math.ceil(fileSize / sizeBytes) },
  });
  const data = toSessionFields(ctx, begun.uploadId, await getSession(ctx.db, actor, begun));
  return { success: true, ...data, data };
};

/** The wished part size, or, where the file would need more than 10,000 of them, the next whole MB that is enough. */
export function partSizeFor(fileBytes: number, wishedBytes: number): number {
  const least = Math.ceil(fileBytes / PART_SIZE.maxParts);
  return least <= wishedBytes ? wishedBytes : Math.ceil(least / PART_SIZE.minBytes) * PART_SIZE.minBytes;
}
