import type { Ctx, RequestContext } from "../../context.ts";
import { PART_SIZE } from "../../contract/scalars.ts";
import { AppError, invalidField } from "../../errors.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { abortInterruptedUpload } from "./abort-upload.ts";
import { completeUpload } from "./complete-multipart.ts";
import { createOpenUpload } from "./create-upload.ts";
import {
  applyDelegationOptions,
  checkUnused,
  type Delegation,
  getDelegation,
  markDelegationUsed,
  readDelegationResult,
} from "./delegation.ts";
import { choosePartSize } from "./part-size.ts";
import { batchPartUrls } from "./part-urls.ts";
import { findSession } from "./queries.ts";
import { isInterrupted, uploadNotFound } from "./session.ts";

/** `POST /files/upload-delegations/multipart/batch-urls`: returns signed URLs for parts. The first call creates the upload. */
export const batchDelegatedPartUrls: Operation<"batchDelegatedPartUrls"> = async (ctx, call, { delegationToken, ...input }) => {
  const delegation = await getDelegation(ctx, delegationToken);
  checkUnused(delegation.row);
  checkSession(delegation, input);
  if (!(await hasUpload(ctx, input.uploadId))) await createOnce(ctx, delegation, input.uploadId);
  return await batchPartUrls(ctx, { ...call, actor: delegation.actor }, input);
};

/** `POST /files/upload-delegations/multipart/complete`: publishes the file with the owner's settings, which the uploader cannot change. */
export const completeDelegatedMultipart: Operation<"completeDelegatedMultipart"> = async (ctx, call, { delegationToken, ...input }) => {
  const delegation = await getDelegation(ctx, delegationToken);
  checkSession(delegation, input);
  const result = readDelegationResult(ctx, delegation.row);
  if (result) return await commitResponse(ctx, call, async () => result);
  const { uploadId, key, parts, fileSize } = input;
  const fileName = delegation.row.name ?? input.fileName;
  const contentType = delegation.row.content_type ?? input.contentType;
  return await completeUpload(
    ctx,
    { ...call, actor: delegation.actor },
    { uploadId, key, parts, fileSize, fileName, contentType },
    (ctx, _upload, result) => markDelegationUsed(ctx, delegation.row, result),
  );
};

function checkSession({ row }: Delegation, { uploadId, key }: { uploadId: string; key?: string }): void {
  if (hashToken(uploadId) !== row.upload_id_hash || (key !== undefined && key !== row.session_key)) throw uploadNotFound();
}

/** Returns whether the delegation's upload exists and is not interrupted. */
async function hasUpload(ctx: Ctx, uploadId: string): Promise<boolean> {
  const session = await findSession(ctx.db, hashToken(uploadId));
  return session !== undefined && !(session.state === "open" && (await isInterrupted(ctx, session)));
}

/** Creates the upload, unless a concurrent call has created it. */
async function createOnce(ctx: Ctx, delegation: Delegation, uploadId: string): Promise<void> {
  await abortInterruptedUpload(ctx, delegation.row.short_id);
  try {
    await create(ctx, delegation, uploadId);
  } catch (error) {
    if (!(await hasUpload(ctx, uploadId))) throw error;
  }
}

async function create(ctx: Ctx, { row, actor, publish }: Delegation, uploadId: string): Promise<void> {
  if (row.size_bytes === null) {
    throw invalidField(
      "uploadId",
      "This delegation was created without sizeBytes, so it accepts no parts. PUT the file to its uploadUrl, or request a new delegation.",
    );
  }
  const partBytes = choosePartSize(row.size_bytes, PART_SIZE.defaultBytes);
  await createOpenUpload(ctx, actor, {
    name: row.name ?? "",
    sizeBytes: row.size_bytes,
    type: row.content_type,
    publish,
    parts: { sizeBytes: partBytes, total: Math.ceil(row.size_bytes / partBytes), allowsPresigned: true },
    ids: { uploadId, key: row.session_key, shortId: row.short_id },
    onCreated: (ctx, upload) => applyDelegationOptions(ctx, row, upload),
  });
}

/** `POST /files/upload-delegations/complete`: returns the upload's response again. */
export const completeDelegation: Operation<"completeDelegation"> = async (ctx, _call: RequestContext, { delegationToken, sha256 }) => {
  const { row } = await getDelegation(ctx, delegationToken);
  const data = readDelegationResult(ctx, row);
  if (!data) throw new AppError("UPLOAD_INCOMPLETE", "This delegation has no file yet. PUT the file to its uploadUrl first.");
  const file = await ctx.db.selectFrom("files").select("sha256").where("id", "=", data.id).executeTakeFirst();
  const fileSha256 = file?.sha256 ?? data.sha256;
  if (sha256 && fileSha256 !== null && sha256 !== fileSha256) {
    throw new AppError(
      "FILE_DIGEST_MISMATCH",
      "The uploaded file has another SHA-256. Request a new delegation and upload the file again.",
    );
  }
  return { ...data, sha256: fileSha256 };
};
