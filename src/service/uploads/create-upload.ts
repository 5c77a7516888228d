import type { StagedBlob } from "../../blobs/store.ts";
import type { TierLimits } from "../../config/tiers.ts";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError } from "../../errors.ts";
import { newBlobKey, newFileId, newSecret, newSessionKey, newShortId } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { toFileName } from "../../lib/text/file-name.ts";
import { type Actor, checkAnonymousUploads, ownerId } from "../accounts/actor.ts";
import { checkFileSize, countOpenSessions, MAX_OPEN_UPLOADS, reserveStorage, reserveUpTo } from "../accounts/quotas.ts";
import { INITIAL_STATE } from "../files/file-state.ts";
import { limitToRequest, reserveForOwner, reserveReceived } from "../requests/limits.ts";
import { prepareSubmission, type SubmissionUpload } from "../requests/uploader.ts";
import { countAliasRequest, setAlias } from "../shares/aliases.ts";
import type { PublishInput } from "../shares/contract.ts";
import { type PublishSettings, resolvePublishSettings } from "../shares/publish-settings.ts";
import { type FoundShare, findShare } from "../shares/queries.ts";
import { abortOnError, insertOrAbort } from "./abort-upload.ts";
import { checkDestination } from "./check-destination.ts";
import { declaredType } from "./content-type.ts";
import { countSubmissionSessions, insertSession } from "./queries.ts";
import { memoryGroups, spaceGroups } from "./space-groups.ts";

/** The first reservation of an upload of unknown size, in bytes. */
export const UNKNOWN_SIZE_STEP_BYTES = 16 * 1024 ** 2;

export interface CreateUploadInput {
  readonly name: string;
  /** The size in bytes; undefined if the client did not send it. */
  readonly sizeBytes: number | undefined;
  readonly type: string | null | undefined;
  readonly publish: PublishInput;
  readonly expectedSha256?: string | null;
  /** The submission, of a request, to which the file is added. */
  readonly submission?: SubmissionUpload | undefined;
  /** A step of the transaction that creates the upload. */
  readonly onCreated?: (ctx: TransactionCtx, upload: CreatedUpload) => Promise<void>;
  /** IDs that a client already has; others are generated. A file with a `shortId` joins a shipment when its upload completes. */
  readonly ids?: { readonly uploadId?: string; readonly key?: string; readonly shortId?: string };
  /** The parts of a multipart upload; undefined for a direct upload. */
  readonly parts?: {
    readonly sizeBytes: number;
    readonly total: number;
    /** Whether the client asks for URLs of the parts, which may be presigned URLs of the store. */
    readonly allowsPresigned?: boolean;
  };
}

export interface CreatedUpload {
  /** The session's ID in the database: the hash of `uploadId`. */
  readonly sessionId: string;
  /** The secret ID, with which anybody can continue the upload. */
  readonly uploadId: string;
  readonly key: string;
  readonly fileId: string;
  readonly shortId: string;
  readonly name: string;
  readonly staged: StagedBlob;
  readonly quotaOwner: string;
  readonly reservedBytes: number;
  readonly submission?: SubmissionUpload | undefined;
}

/**
 * Checks the caller's rights and limits, reserves the storage and inserts the rows of share, file and session before the first byte is read (storage,
 * "Rows and bytes"). The caller then calls `finalizeUpload` or `abortUpload`; for a multipart upload, `openUpload` first.
 */
export async function createUpload(ctx: Ctx, actor: Actor, input: CreateUploadInput): Promise<CreatedUpload> {
  const publish = checkUpload(ctx, actor, input);
  if (publish.alias !== null) await countAliasRequest(ctx, actor);
  const upload = await insertOrAbort(ctx, async (ctx, inserted) => {
    if (input.submission) await prepareSubmission(ctx, actor, input.submission);
    const joined = await checkDestination(ctx, actor, publish, { joinsLater: input.parts?.allowsPresigned });
    const upload = await insertUpload(ctx, actor, input, { publish, joined });
    inserted.push(upload);
    return upload;
  });
  return await stageUpload(ctx, upload, input);
}

/** Runs the checks of `createUpload` that precede its transaction. */
export function checkUpload(ctx: Pick<Ctx, "config" | "now">, actor: Actor, input: CreateUploadInput): PublishSettings {
  const limits = ctx.config.tiers[actor.tier];
  checkAnonymousUploads(ctx, actor, "Uploads");
  const publish = resolvePublishSettings(input.publish, { actor, limits, nowMs: ctx.now() });
  if (input.sizeBytes !== undefined) checkFileSize(input.sizeBytes, limits, actor.tier);
  return publish;
}

/** The results of `checkUpload` and `checkDestination`. */
interface Destination {
  readonly publish: PublishSettings;
  readonly joined: FoundShare | undefined;
}

/** Reserves the storage and inserts the rows of a checked upload. The caller then calls `stageUpload`. */
export async function insertUpload(
  ctx: TransactionCtx,
  actor: Actor,
  input: CreateUploadInput,
  { publish, joined }: Destination,
): Promise<CreatedUpload> {
  await checkOpenUploads(ctx, actor, input);
  const shortId = input.ids?.shortId ?? joined?.short_id ?? newShortId(ctx.random);
  const uploadId = input.ids?.uploadId ?? newSecret(ctx.random, "");
  const upload = {
    sessionId: hashToken(uploadId),
    uploadId,
    key: input.ids?.key ?? newSessionKey(ctx.random),
    fileId: newFileId(ctx.random),
    shortId,
    name: toFileName(input.name),
    staged: { key: newBlobKey(ctx.random), ref: "" },
    quotaOwner: actor.quotaOwner,
    reservedBytes: await reserve(ctx, actor, input),
    submission: input.submission,
  };
  await insertRows(ctx, { actor, input, publish, upload, shipment: shortId === joined?.short_id ? joined : undefined });
  await input.onCreated?.(ctx, upload);
  return upload;
}

/** Stages the blob of an inserted upload. Aborts the upload if that fails. */
export async function stageUpload(ctx: Ctx, upload: CreatedUpload, input: CreateUploadInput): Promise<CreatedUpload> {
  return {
    ...upload,
    staged: await abortOnError(ctx, upload, () => stageBlob(ctx, { key: upload.staged.key, quotaOwner: upload.quotaOwner }, input)),
  };
}

/** Creates a multipart upload as `createUpload` does, and opens it. */
export async function createOpenUpload(ctx: Ctx, actor: Actor, input: CreateUploadInput): Promise<CreatedUpload> {
  const upload = await createUpload(ctx, actor, input);
  await abortOnError(ctx, upload, () => ctx.transaction((ctx) => openUpload(ctx, upload)));
  return upload;
}

/** Opens a multipart upload for its parts. Any server instance can then receive them, and the upload no longer depends on this one. */
export async function openUpload(ctx: TransactionCtx, { sessionId, staged }: Pick<CreatedUpload, "sessionId" | "staged">): Promise<void> {
  await ctx.db
    .updateTable("upload_sessions")
    .set({ staged_ref: staged.ref || null, lease_holder: null })
    .where("id", "=", sessionId)
    .execute();
}

async function checkOpenUploads(ctx: TransactionCtx, actor: Actor, input: CreateUploadInput): Promise<void> {
  if (!input.parts) return;
  const { submission } = input;
  const open = await (submission ? countSubmissionSessions(ctx.db, submission.submissionId) : countOpenSessions(ctx.db, actor.quotaOwner));
  if (open < MAX_OPEN_UPLOADS) return;
  throw new AppError("TOO_MANY_UPLOADS", `You already have ${MAX_OPEN_UPLOADS} unfinished uploads. Complete or abort one first.`, {
    retryAfterSeconds: 60,
  });
}

async function reserve(ctx: TransactionCtx, actor: Actor, input: CreateUploadInput): Promise<number> {
  const tier = ctx.config.tiers[actor.tier];
  const { sizeBytes, submission } = input;
  const limits = submission ? await limitToRequest(ctx, submission, { limits: tier, ownBytes: 0, sizeBytes: 0 }) : tier;
  if (!submission) return await reserveQuotaOf(ctx, actor, limits, sizeBytes);
  const bytes = await reserveForOwner(() => reserveQuotaOf(ctx, actor, limits, sizeBytes));
  await reserveReceived(ctx, submission, bytes);
  return bytes;
}

async function reserveQuotaOf(ctx: TransactionCtx, actor: Actor, limits: TierLimits, sizeBytes: number | undefined): Promise<number> {
  if (sizeBytes === undefined) {
    const wantedBytes = Math.min(UNKNOWN_SIZE_STEP_BYTES, limits.fileBytes);
    return await reserveUpTo(ctx.db, actor, limits, { wantedBytes, minBytes: 0, files: 1 });
  }
  await reserveStorage(ctx.db, actor, limits, { bytes: sizeBytes, files: 1 });
  return sizeBytes;
}

interface NewRows {
  readonly actor: Actor;
  readonly input: CreateUploadInput;
  readonly publish: PublishSettings;
  readonly upload: CreatedUpload;
  /** The shipment that the file joins now, whose page shows the upload. */
  readonly shipment: FoundShare | undefined;
}

async function insertRows(ctx: TransactionCtx, { actor, input, publish, upload, shipment }: NewRows): Promise<void> {
  const nowMs = ctx.now();
  if (input.ids?.shortId !== undefined && (await findShare(ctx.db, input.ids.shortId))) throw uploadInProgress();
  const owner_id = shipment ? shipment.owner_id : ownerId(actor);
  if (!shipment) {
    const share = { short_id: upload.shortId, owner_id, name: upload.name, created_at: nowMs };
    await insertShareQuery.run(ctx.db, share);
    // The alias is taken now, so that nobody waits for an upload whose alias is refused.
    if (publish.alias !== null) await setAlias(ctx, actor, { short_id: upload.shortId, alias: null }, publish.alias);
  }
  await insertFileQuery.run(ctx.db, {
    id: upload.fileId,
    short_id: upload.shortId,
    owner_id,
    quota_owner: upload.quotaOwner,
    name: upload.name,
    relative_path: publish.relativePath,
    size_bytes: input.sizeBytes ?? 0,
    content_type: declaredType(input.type),
    expected_sha256: input.expectedSha256 ?? null,
    blob_key: upload.staged.key,
    created_at: nowMs,
    request_id: input.submission?.requestId ?? null,
    submission_id: input.submission?.submissionId ?? null,
  });
  await insertSession(ctx.db, {
    id: upload.sessionId,
    session_key: upload.key,
    kind: input.parts ? "multipart" : "direct",
    state: "open",
    file_id: upload.fileId,
    quota_owner: upload.quotaOwner,
    reserved_bytes: upload.reservedBytes,
    size_bytes: input.sizeBytes ?? null,
    part_size_bytes: input.parts?.sizeBytes ?? null,
    total_parts: input.parts?.total ?? null,
    blob_key: upload.staged.key,
    // Omits the token, which is used once and never stored, and the alias, which the share has already.
    publish_fields: JSON.stringify({ ...input.publish, shareToken: null, alias: null }),
    // `openUpload` clears the lease. Until then, the upload is aborted if this instance stops.
    lease_holder: ctx.instanceId,
    last_byte_at: nowMs,
    created_at: nowMs,
    uploader_id: ownerId(actor),
    submission_id: input.submission?.submissionId ?? null,
  });
}

type NewFile = Pick<
  FileRow,
  | "id"
  | "short_id"
  | "owner_id"
  | "quota_owner"
  | "name"
  | "relative_path"
  | "size_bytes"
  | "content_type"
  | "expected_sha256"
  | "blob_key"
  | "created_at"
  | "request_id"
  | "submission_id"
>;

const insertShareQuery = preparedQuery((db, share: Pick<ShareRow, "short_id" | "owner_id" | "name" | "created_at">) =>
  db.insertInto("shares").values({
    short_id: share.short_id,
    kind: "file",
    owner_id: share.owner_id,
    name: share.name,
    created_at: share.created_at,
  }),
);

const insertFileQuery = preparedQuery((db, file: NewFile) =>
  db.insertInto("files").values({
    ...INITIAL_STATE,
    id: file.id,
    short_id: file.short_id,
    owner_id: file.owner_id,
    quota_owner: file.quota_owner,
    name: file.name,
    relative_path: file.relative_path,
    size_bytes: file.size_bytes,
    content_type: file.content_type,
    expected_sha256: file.expected_sha256,
    blob_key: file.blob_key,
    created_at: file.created_at,
    request_id: file.request_id,
    submission_id: file.submission_id,
  }),
);

const uploadInProgress = (): AppError =>
  new AppError("UPLOAD_IN_PROGRESS", "This upload is already being transferred. Wait for that transfer to end, or try again in a moment.", {
    retryAfterSeconds: 2,
  });

/** Stages the blob of an upload in the store. */
export async function stageBlob(
  ctx: Ctx,
  { key, quotaOwner }: { readonly key: string; readonly quotaOwner: string },
  { sizeBytes, parts }: Pick<CreateUploadInput, "sizeBytes" | "parts">,
): Promise<StagedBlob> {
  return await ctx.blobs.stage(key, sizeBytes, {
    isDirect: parts === undefined,
    allowsPresigned: parts?.allowsPresigned === true,
    groups: spaceGroups(quotaOwner),
    memoryGroups: memoryGroups(quotaOwner),
  });
}
