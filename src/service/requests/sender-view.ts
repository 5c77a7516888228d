import type { Ctx } from "../../context.ts";
import type { RequestRow } from "../../db/tables/requests.ts";
import { AppError } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { getQuota } from "../accounts/quotas.ts";
import { byAccount, getOwnerActor } from "../accounts/user-actor.ts";
import type { Output } from "../contract.ts";
import { endFilesOnly, REMOVE_NOW } from "../files/end-file.ts";
import { removeFirstBytes } from "../files/remove-bytes.ts";
import { toSentAs } from "../files/sender-name.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { toScanStatus } from "../shares/share-state.ts";
import { isUnlockToken } from "../shares/unlock.ts";
import { limitEmptied } from "./empty-submissions.ts";
import { changeReceived } from "./limits.ts";
import { type FoundRequest, findRequest, findRequestByToken, listSubmittedFiles } from "./queries.ts";
import { hasOwner, isRefused, linkNotFound, stateOf } from "./request-state.ts";
import { hashRequestToken } from "./request-token.ts";
import { getSubmissionOf, toLock } from "./submissions.ts";

type RequestForSender = Output<"getRequestByToken">;

/** The target of a link: a request, or the reason why none is shown. `unavailable`: its account is disabled or was deleted. */
export type RequestLink = { readonly kind: "known"; readonly view: RequestForSender } | { readonly kind: "unknown" | "unavailable" };

/** `GET /requests/by-token`: returns a request as a sender sees it. Throws for a link of a deleted or disabled account. */
export const getRequestByToken: Operation<"getRequestByToken"> = async (ctx, _call, input) => {
  const link = await viewRequestLink(ctx, input);
  if (link.kind !== "known") throw linkNotFound();
  return link.view;
};

/** Finds the content of a link's page. */
export async function viewRequestLink(
  ctx: Ctx,
  { requestToken, unlockToken }: { readonly requestToken: string; readonly unlockToken?: string | undefined },
): Promise<RequestLink> {
  const request = await findRequestByToken(ctx.db, hashRequestToken(requestToken));
  if (!request) return { kind: "unknown" };
  if (!hasOwner(request)) return { kind: "unavailable" };
  const isShown = request.unlock_hash === null || (unlockToken !== undefined && isUnlockToken(ctx, toLock(request), unlockToken));
  return { kind: "known", view: await toSenderView(ctx, request, isShown) };
}

async function toSenderView(
  ctx: Ctx,
  request: FoundRequest & { readonly owner_name: string },
  isShown: boolean,
): Promise<RequestForSender> {
  const owner = await getOwnerActor(ctx, byAccount(request.owner_id));
  const limits = ctx.config.tiers[owner.tier];
  const { usedBytes, reservedBytes, files } = await getQuota(ctx.db, owner.quotaOwner);
  const ownerBytes = Math.max(0, limits.storageMaxBytes - usedBytes - reservedBytes);
  const ownerFiles = Math.max(0, limits.files - files);
  // Shows only the request's own limits, because senders must not learn the account's free storage.
  const leftFiles = Math.max(0, request.max_files - request.received_files);
  const leftBytes = Math.max(0, request.max_bytes - request.received_bytes);
  // Nothing could be sent to an open request whose files the server refuses.
  const accepts = isRefused(ctx, request) ? "closed" : stateOf(ctx, request);
  const state = accepts === "open" && (ownerBytes === 0 || ownerFiles === 0) ? "full" : accepts;
  return {
    // A link that was guessed or passed on names only accounts that show their names.
    from: isShown || (state === "open" && request.owner_shows_name === 1) ? request.owner_name : null,
    title: isShown ? request.title : null,
    message: isShown ? request.message : null,
    state,
    encryptTo: request.encrypt_to,
    unlockRequired: request.unlock_hash !== null,
    once: request.once === 1,
    leftFiles,
    leftBytes,
    maxFileBytes: Math.min(limits.fileBytes, request.max_file_bytes ?? Number.POSITIVE_INFINITY, leftBytes),
    expiresAt: toIso(request.expires_at),
  };
}

/** `GET /requests/submissions/{shortId}`: returns the files that a sender has sent. */
export const getSubmission: Operation<"getSubmission"> = async (ctx, _call, input) => {
  const submission = await getSubmissionOf(ctx, input);
  const files = await listSubmittedFiles(ctx.db, submission.id);
  const request = await findRequest(ctx.db, submission.request_id);
  if (!request || !hasOwner(request)) throw linkNotFound();
  return {
    from: request.owner_name,
    senderName: submission.sender_name,
    senderNote: submission.sender_note,
    createdAt: toIso(submission.created_at),
    isOpen: acceptsRemovals(ctx, request),
    files: files.map((file) => {
      const { sent_name, sent_path } = toSentAs(file);
      return {
        id: file.id,
        name: sent_name ?? file.name,
        relativePath: sent_path,
        size: file.size_bytes,
        encrypted: file.is_encrypted === 1,
        uploading: file.blob_state === "uploading",
        scanStatus: toScanStatus(file),
        removable: file.short_id === submission.short_id && file.blob_state !== "uploading",
      };
    }),
  };
};

/** `DELETE /requests/submissions/{shortId}`: removes files until the request is closed, except files that its owner has shared. */
export const removeSubmitted: Operation<"removeSubmitted"> = async (ctx, call, { fileId, ...named }) => {
  let removed: readonly string[] = [];
  const response = await commitResponse(ctx, call, async (ctx) => {
    const submission = await getSubmissionOf(ctx, named);
    const request = await findRequest(ctx.db, submission.request_id);
    if (!request || !hasOwner(request)) throw linkNotFound();
    if (!acceptsRemovals(ctx, request))
      throw new AppError(
        "REQUEST_CLOSED",
        "This request was closed or has expired, so the files are the recipient's. Ask them to delete the files.",
      );
    const sent = (await listSubmittedFiles(ctx.db, submission.id)).filter((file) => file.blob_state !== "uploading");
    const chosen = fileId === undefined ? sent : sent.filter((file) => file.id === fileId);
    const [file] = chosen;
    if (fileId !== undefined && !file) throw new AppError("NOT_FOUND", "This file is not in the submission. It may have been removed.");
    const files = chosen.filter((file) => file.short_id === submission.short_id && file.immutable === 0);
    if (fileId !== undefined && files.length === 0)
      throw new AppError("CONFLICT", "The recipient has shared or kept this file, so only they can delete it. Ask them.");
    await endFilesOnly(ctx, files, { status: "deleted", removeAtMs: REMOVE_NOW });
    const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    await changeReceived(ctx.db, submission.id, { files: -files.length, bytes: -bytes });
    if (files.length > 0) await limitEmptied(ctx, request.id, submission.id);
    removed = files.map(({ id }) => id);
    return { removed: files.length };
  });
  await removeFirstBytes(ctx, removed);
  return response;
};

const acceptsRemovals = ({ now }: Pick<Ctx, "now">, { closed_at, expires_at }: Pick<RequestRow, "closed_at" | "expires_at">): boolean =>
  closed_at === null && now() < expires_at;
