import type { TransactionCtx } from "../../context.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import { findServerState } from "../../db/server-state.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import type { UploadSessionRow } from "../../db/tables/uploads.ts";
import { AppError } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { toNameKeys } from "../../lib/text/file-name.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { commitReservation } from "../accounts/quotas.ts";
import { accountDisabled } from "../accounts/user-actor.ts";
import { insertEvent } from "../events/outbox.ts";
import { countUpload } from "../figures/daily-figures.ts";
import { mayBeBlocked } from "../files/blocked-digests.ts";
import { enqueueScan } from "../files/enqueue-scan.ts";
import { enqueueThumbnail } from "../files/enqueue-thumbnail.ts";
import { transition } from "../files/file-state.ts";
import type { FinalizedUpload } from "../files/file-view.ts";
import { type FolderTree, foldersOfActor } from "../files/folder-tree.ts";
import { checkFolder } from "../files/folders.ts";
import { placeByPath } from "../files/place-by-path.ts";
import { changeReceived } from "../requests/limits.ts";
import { notifyFileReceived } from "../requests/notify-received.ts";
import { encryptedSale } from "../selling/encrypted-sale.ts";
import type { OwnerRights } from "../shares/pro-limits.ts";
import { publishFile } from "../shares/publish-file.ts";
import type { PublishSettings } from "../shares/publish-settings.ts";
import { NO_TOKENS, newShareTokens, type ShareTokens } from "../shares/share-tokens.ts";
import { encryptionRequired, type InspectedBytes } from "./inspect-bytes.ts";
import { hasExpectedParts } from "./queries.ts";

export interface FinalizeInput extends InspectedBytes {
  readonly sessionId: string;
  readonly fileId: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** The SHA-256; null if the bytes did not arrive in order, in which case the scan job computes it. */
  readonly sha256: string | null;
  /** The CRC-32; null if unknown, for example for parts that were sent to the store. */
  readonly crc32: number | null;
  /** The tokens of the file's share, if they exist before it; generated if undefined. */
  readonly tokens?: ShareTokens;
}

/**
 * Publishes the file of an upload whose blob is committed, and ends the session in the same transaction. Throws UPLOAD_CLOSED if the upload was
 * aborted meanwhile, ENCRYPTION_REQUIRED, FILE_DIGEST_MISMATCH, UNAUTHENTICATED if the uploader's account is disabled, and as `checkFolder` and
 * `getShipment` do. Uploads that one transaction publishes share `folders`, the uploader's.
 */
export async function finalizeUpload(
  ctx: TransactionCtx,
  actor: Actor,
  input: FinalizeInput,
  publish: PublishSettings,
  folders: FolderTree | undefined = foldersOfActor(ctx, actor),
): Promise<FinalizedUpload> {
  const nowMs = ctx.now();
  const joins = typeof publish.shipment === "object";
  const tokens = input.tokens ?? (joins ? NO_TOKENS : newShareTokens(ctx.random, actor));
  const row = await uploadedFileQuery.first(ctx.db, { fileId: input.fileId, ownerId: ownerId(actor) });
  if (row && row.disabled_at !== null) throw accountDisabled();
  const isReceived = row !== undefined && row.request_id !== null;
  if (isReceived && row.encrypt_to !== null && !input.isEncrypted) throw encryptionRequired();
  if (!isReceived && publish.folderId) await checkFolder(ctx, publish.folderId, ownerId(actor));
  const expected = row?.expected_sha256 ?? null;
  if (expected !== null && input.sha256 !== null && expected !== input.sha256) throw fileDigestMismatch();
  const isDigestUnverified = expected !== null && input.sha256 === null;
  const needsScan = await isScannerRequired(ctx);
  const mayPass = !needsScan && !isDigestUnverified && !(await hasExpectedParts(ctx.db, input.fileId));
  // Leaves a file that the blocklist may block to the scan job.
  const isClean = mayPass && !(await mayBeBlocked(ctx.db, input.sha256));
  // The change does not apply if the share was taken down during the upload.
  const file = await (isClean ? finalizeCleanQuery : finalizeUncheckedQuery).first(ctx.db, {
    id: input.fileId,
    name: input.name,
    ...toNameKeys(input.name),
    size_bytes: input.sizeBytes,
    sha256: input.sha256,
    crc32: input.crc32,
    content_type: input.contentType,
    is_encrypted: input.isEncrypted ? 1 : 0,
    scan_coverage: isClean ? "none" : null,
    // Uses the request's current folder, because its owner may have deleted or changed the folder during the upload.
    folder_id: isReceived ? row.request_folder_id : (publish.folderId ?? null),
    run_id: publish.runId,
    relative_path: publish.relativePath,
    // Stores no attribute of an encrypted file that its sender did not encrypt.
    modified_at: input.isEncrypted ? null : publish.modifiedAtMs,
    is_executable: publish.isExecutable && !input.isEncrypted ? 1 : 0,
    created_at: nowMs,
  });
  if (!file) throw uploadAborted();
  await countUpload(ctx);
  const session = await commitSessionStorage(ctx, input);
  const owner = row && toOwnerRights(row);
  const keepsLink = session.kind === "multipart";
  const unpublished = { id: file.id, short_id: file.short_id, name: input.name, keepsLink, owner, tokens: tokens.columns };
  const { share, credentials } = await publishFile(ctx, actor, unpublished, publish);
  if (input.isEncrypted && share.price_cents !== null) throw encryptedSale();
  const folder_id = isReceived || publish.folderId !== undefined ? file.folder_id : await placeOwn(ctx, { actor, folders, share, file });
  const published = { ...file, short_id: share.short_id, owner_id: share.owner_id, folder_id };
  if (isClean && input.sha256 !== null)
    await insertEvent(ctx.db, { id: newUuid(ctx.random, nowMs), type: "file.ready", file: published, nowMs });
  if (!isClean || input.sha256 === null) await enqueueScan(ctx, file);
  if (isClean) await enqueueThumbnail(ctx, file);
  if (isClean) await notifyFileReceived(ctx, published);
  return { file: published, share, tokens: { ...tokens.shown, ...credentials } };
}

const uploadedFileQuery = preparedQuery((db, { fileId, ownerId }: { fileId: string; ownerId: string | null }) =>
  db
    .selectFrom("files")
    .leftJoin("users", (join) => join.on("users.id", "=", ownerId))
    .leftJoin("requests", "requests.id", "files.request_id")
    .select(["files.request_id", "requests.folder_id as request_folder_id", "requests.encrypt_to"])
    .select(["files.expected_sha256", "users.tier", "users.pro_until", "users.username", "users.disabled_at"])
    .where("files.id", "=", fileId),
);

type UploadedColumns = Pick<
  FileRow,
  | "id"
  | "name"
  | "name_key"
  | "name_order"
  | "size_bytes"
  | "sha256"
  | "crc32"
  | "content_type"
  | "is_encrypted"
  | "scan_coverage"
  | "folder_id"
  | "run_id"
  | "relative_path"
  | "modified_at"
  | "is_executable"
  | "created_at"
>;

const finalizeQuery = (name: "finalizeClean" | "finalizeUnchecked") =>
  preparedQuery((db, file: UploadedColumns) => {
    const change = transition(name);
    return db
      .updateTable("files")
      .set({
        ...change.set,
        name: file.name,
        name_key: file.name_key,
        name_order: file.name_order,
        size_bytes: file.size_bytes,
        sha256: file.sha256,
        crc32: file.crc32,
        content_type: file.content_type,
        is_encrypted: file.is_encrypted,
        scan_coverage: file.scan_coverage,
        folder_id: file.folder_id,
        run_id: file.run_id,
        relative_path: file.relative_path,
        modified_at: file.modified_at,
        is_executable: file.is_executable,
        created_at: file.created_at,
      })
      .where("id", "=", file.id)
      .where(change.where)
      .returningAll();
  });

const finalizeCleanQuery = finalizeQuery("finalizeClean");
const finalizeUncheckedQuery = finalizeQuery("finalizeUnchecked");

/** Returns whether files must be scanned, even if only another server instance has detected a scanner yet. */
async function isScannerRequired({ db, scanner: { mode } }: TransactionCtx): Promise<boolean> {
  return mode === "clamd" || (mode === "none" && (await findServerState(db, "scanner_seen")) !== undefined);
}

/** Converts the session's reservation into used storage. */
async function commitSessionStorage(ctx: TransactionCtx, input: FinalizeInput): Promise<Pick<UploadSessionRow, "kind">> {
  const session = await reservationQuery.first(ctx.db, { sessionId: input.sessionId });
  if (!session) throw uploadAborted();
  await commitReservation(ctx.db, { owner: session.quota_owner, reservedBytes: session.reserved_bytes, usedBytes: input.sizeBytes });
  if (session.submission_id !== null) {
    await changeReceived(ctx.db, session.submission_id, { files: 0, bytes: input.sizeBytes - session.reserved_bytes });
  }
  return session;
}

const reservationQuery = preparedQuery((db, { sessionId }: { sessionId: string }) =>
  db.selectFrom("upload_sessions").select(["kind", "quota_owner", "reserved_bytes", "submission_id"]).where("id", "=", sessionId),
);

interface PlacedUpload {
  readonly actor: Actor;
  /** The folders of the actor's account, if any. */
  readonly folders: FolderTree | undefined;
  readonly share: Pick<ShareRow, "owner_id">;
  readonly file: Pick<FileRow, "id" | "relative_path">;
}

/** Puts a file into the folder of its path, and resolves to it. A file that joins the shipment of another account has no folder. */
async function placeOwn(ctx: TransactionCtx, { actor, folders, share, file }: PlacedUpload): Promise<string | null> {
  if (!folders || share.owner_id !== ownerId(actor)) return null;
  return (await placeByPath(ctx, folders, [file])).get(file.id) ?? null;
}

/** Returns the rights of the owner; undefined if the file has no owner. */
function toOwnerRights({ tier, pro_until, username }: { [K in keyof OwnerRights]: OwnerRights[K] | null }): OwnerRights | undefined {
  return tier === null ? undefined : { tier, pro_until, username };
}

export const uploadAborted = (): AppError => new AppError("UPLOAD_CLOSED", "This upload was aborted or took too long. Start a new upload.");

export const fileDigestMismatch = (): AppError =>
  new AppError(
    "FILE_DIGEST_MISMATCH",
    "The file does not match its expected SHA-256. Send the wrong part again and complete, or abort the upload.",
  );
