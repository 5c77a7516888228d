import { PART_SIZE } from "../../contract/scalars.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { resolveUploader } from "../requests/uploader.ts";
import { abortOnError } from "./abort-upload.ts";
import { createUpload, openUpload } from "./create-upload.ts";
import { choosePartSize } from "./part-size.ts";
import { replaceUpload } from "./replace-upload.ts";
import { getSession, toSessionFields } from "./session.ts";

/** `POST /files/multipart/init`: reserves the storage and creates the share, whose link works immediately. */
export const initMultipart: Operation<"initMultipart"> = async (ctx, call, input) => {
  const { fileName, fileSize, fileType, partSize, sha256, replacesUploadId, ...publish } = input;
  const partBytes = choosePartSize(fileSize, Math.max(partSize ?? PART_SIZE.defaultBytes, ctx.blobs.minPartBytes ?? 0));
  const file = {
    name: fileName,
    sizeBytes: fileSize,
    type: fileType,
    expectedSha256: sha256,
    parts: { sizeBytes: partBytes, total: Math.ceil(fileSize / partBytes), allowsPresigned: true },
  };
  if (replacesUploadId) return await replaceUpload(ctx, call, replacesUploadId, publish, file);
  const uploader = await resolveUploader(ctx, call, publish);
  const upload = await createUpload(ctx, uploader.actor, { ...file, publish: uploader.publish, submission: uploader.submission });
  return await abortOnError(ctx, upload, () =>
    commitResponse(ctx, call, async (ctx) => {
      await openUpload(ctx, upload);
      return await toSessionFields(ctx, upload.uploadId, await getSession(ctx.db, uploader.actor, upload));
    }),
  );
};
