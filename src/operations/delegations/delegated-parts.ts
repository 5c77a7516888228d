import { hashToken } from "../../auth/secrets.ts";
import type { Call, Ctx } from "../../context.ts";
import { PART_SIZE } from "../../contract/scalars.ts";
import { findSession } from "../../db/upload-sessions.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { batchPartUrls } from "../uploads/batch-part-urls.ts";
import { beginUpload } from "../uploads/begin-upload.ts";
import { completeMultipart } from "../uploads/complete-multipart.ts";
import { partSizeFor } from "../uploads/part-size.ts";
import { isDead, unknownUpload } from "../uploads/session.ts";
import { abandonDeadUpload } from "./abandon-dead.ts";
import { checkUnused, type Delegation, equip, getDelegation, readDelegationResult, toDelegatedCall } from "./delegation.ts";

/** `POST /files/upload-delegations/multipart/batch-urls`: the first call begins the upload. */
export const batchDelegatedPartUrls: Operation<"batchDelegatedPartUrls"> = async (ctx, call, { delegationToken, ...input }) => {
  const delegation = await getDelegation(ctx, delegationToken);
  checkUnused(delegation.row);
  checkNames(delegation, input);
  if (!(await hasBegun(ctx, input.uploadId))) await beginOnce(ctx, delegation, input.uploadId);
  return await batchPartUrls(ctx, toDelegatedCall(call, delegation), input);
};

/** `POST /files/upload-delegations/multipart/complete`: as the owner asked for it; what the worker says of the share is ignored. */
export const completeDelegatedMultipart: Operation<"completeDelegatedMultipart"> = async (ctx, call, { delegationToken, ...input }) => {
  const delegation = await getDelegation(ctx, delegationToken);
  checkNames(delegation, input);
  const before = readDelegationResult(ctx, delegation.row);
  if (before) return { success: true, file: before, data: before };
  const { uploadId, key, parts, fileSize } = input;
  const fileName = delegation.row.name ?? input.fileName;
  const contentType = delegation.row.content_type ?? input.contentType;
  return await completeMultipart(ctx, toDelegatedCall(call, delegation), { uploadId, key, parts, fileSize, fileName, contentType });
};

function checkNames({ row }: Delegation, { uploadId, key }: { uploadId: string; key?: string }): void {
  if (hashToken(uploadId) !== row.upload_id_hash || (key !== undefined && key !== row.session_key)) throw unknownUpload();
}

async function hasBegun(ctx: Ctx, uploadId: string): Promise<boolean> {
  const session = await findSession(ctx.db, hashToken(uploadId));
  return session !== undefined && !(session.state === "open" && (await isDead(ctx, session)));
}

/** Of two first calls at once, one begins the upload, and both go on with it. */
async function beginOnce(ctx: Ctx, delegation: Delegation, uploadId: string): Promise<void> {
  await abandonDeadUpload(ctx, delegation.row.short_id);
  try {
    await begin(ctx, delegation, uploadId);
  } catch (error) {
    if (!(await hasBegun(ctx, uploadId))) throw error;
  }
}

async function begin(ctx: Ctx, { row, actor, publish }: Delegation, uploadId: string): Promise<void> {
  if (row.size_bytes === null) {
    const message =
      "This delegation does not say its size, so it takes one PUT to its uploadUrl. Ask for one with sizeBytes to send parts.";
    throw new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "uploadId", message }] } });
  }
  const sizeBytes = partSizeFor(row.size_bytes, PART_SIZE.defaultBytes);
  await beginUpload(ctx, actor, {
    name: row.name ?? "",
    sizeBytes: row.size_bytes,
    type: row.content_type,
    publish,
    parts: { sizeBytes, total: Math.ceil(row.size_bytes / sizeBytes), openToSenders: true },
    names: { uploadId, key: row.session_key, shortId: row.short_id },
    onBegun: (ctx, begun) => equip(ctx, row, begun),
  });
}

/** `POST /files/upload-delegations/complete`: the upload's response again. */
export const completeDelegation: Operation<"completeDelegation"> = async (ctx, _call: Call, { delegationToken, sha256 }) => {
  const { row } = await getDelegation(ctx, delegationToken);
  const data = readDelegationResult(ctx, row);
  if (!data)
    throw new AppError("UPLOAD_INCOMPLETE", "Nothing has been uploaded with this delegation yet. PUT the file to its uploadUrl first.");
  const file = await ctx.db.selectFrom("files").select("sha256").where("id", "=", data.id).executeTakeFirst();
  const known = file?.sha256 ?? data.sha256;
  if (sha256 && known !== null && sha256 !== known) {
    throw new AppError(
      "FILE_DIGEST_MISMATCH",
      "The file that was uploaded has another SHA-256 than this. Ask for a new delegation and upload it again.",
    );
  }
  return { success: true, file: { ...data, sha256: known }, data: { ...data, sha256: known } };
};
