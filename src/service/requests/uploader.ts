import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { AppError, invalidField } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import type { Actor } from "../accounts/actor.ts";
import { byAccount, getOwnerActor } from "../accounts/user-actor.ts";
import { expireShares } from "../files/expire-shares.ts";
import type { PublishInput, SentPublish } from "../shares/contract.ts";
import { reopenPrivateShipment } from "../shares/create-share.ts";
import { findSentField } from "../shares/publish-settings.ts";
import { readPublish } from "../shares/read-publish.ts";
import type { ShareTokens } from "../shares/share-tokens.ts";
import { isUnlockToken } from "../shares/unlock.ts";
import type { SubmissionTarget } from "./limits.ts";
import { findRequest, findSubmission } from "./queries.ts";
import { checkEncryption, checkOpen, linkNotFound } from "./request-state.ts";
import { hashRequestToken } from "./request-token.ts";
import { getLinkedRequest, insertSubmission, type NewSubmission, newSubmission, toLock } from "./submissions.ts";

/** The account for which a file is uploaded, and how it is published: as the caller asks or, with a `requestToken`, as the request says. */
export interface Uploader {
  /** The caller or, with a `requestToken`, the account that asks: it owns the file, which counts on its quota. */
  readonly actor: Actor;
  readonly publish: PublishInput;
  readonly submission?: SubmissionUpload;
  /** The deletion token of a submission that begins with this upload. */
  readonly tokens?: ShareTokens;
}

export interface SubmissionUpload extends SubmissionTarget {
  /** The private share of the submission. */
  readonly shortId: string;
  /** Whether the request accepts only encrypted files. */
  readonly isEncrypted: boolean;
  /** The submission to insert before its first upload. */
  readonly begins?: NewSubmission;
}

/** What a page's form knows of a request, in addition to the fields of its files. */
export interface FormProof {
  /** The token of the request's code. */
  readonly unlockToken?: string | undefined;
  /** The receipt of the sender's earlier submission, to which files are added. */
  readonly receipt?: { readonly shortId: string; readonly deletionToken: string } | undefined;
}

/**
 * Finds the account for which a caller uploads. Throws for a `requestToken`: NOT_FOUND if it is unknown, REQUEST_CLOSED, WRONG_TOKEN for another
 * sender's submission, UNLOCK_REQUIRED without a required token, and VALIDATION_FAILED for fields that the account that asks decides.
 */
export async function resolveUploader(
  ctx: Ctx,
  call: Pick<RequestContext, "actor" | "address">,
  sent: SentPublish,
  { unlockToken, receipt }: FormProof = {},
): Promise<Uploader> {
  const { requestToken, senderName, senderNote, shareShortId, shareToken, relativePath, modifiedAt, executable, ...others } = sent;
  if (!requestToken) {
    if (senderName || senderNote) throw invalidField(senderName ? "senderName" : "senderNote", "Send it with a requestToken, or omit it.");
    return { actor: call.actor, publish: await readPublish(ctx, call, sent) };
  }
  const field = findSentField(others);
  if (field) throw invalidField(field, `The account that asks decides how files are kept and shared. Omit ${field}.`);
  const request = await getLinkedRequest(ctx, requestToken);
  checkOpen(ctx, request);
  checkEncryption(ctx, request);
  const asker = await getOwnerActor(ctx, byAccount(request.owner_id));
  const target = { requestId: request.id, tokenHash: hashRequestToken(requestToken), isEncrypted: request.encrypt_to !== null };
  const toPublish = (shortId: string): PublishInput => ({ relativePath, modifiedAt, executable, shareShortId: shortId });
  const earlier = receipt?.shortId ?? shareShortId;
  if (earlier) {
    const submission = await findSubmission(ctx.db, earlier);
    if (submission?.request_id !== request.id) throw wrongSubmission();
    const isSender = receipt
      ? matchesHash(receipt.deletionToken, submission.deletion_hash)
      : matchesHash(shareToken ?? "", submission.share_token_hash);
    if (!isSender) throw wrongSubmission();
    // Rejects an expired share that cleanup has not closed yet, so that an upload does not reopen it.
    if (submission.share_expires_at !== null && ctx.clock.trustedNow() >= submission.share_expires_at)
      await expireShares(ctx, submission.short_id);
    const { id: submissionId, short_id: shortId } = submission;
    return { actor: asker, publish: toPublish(shortId), submission: { ...target, submissionId, shortId } };
  }
  if (request.unlock_hash !== null && !(unlockToken !== undefined && isUnlockToken(ctx, toLock(request), unlockToken))) {
    throw new AppError("UNLOCK_REQUIRED", "This request requires an unlock code. Open a submission with it, and send files to that.", {
      fields: { unlockRequired: true },
    });
  }
  const begins = newSubmission(ctx, { senderName, senderNote });
  return {
    actor: asker,
    publish: toPublish(begins.shortId),
    submission: { ...target, submissionId: begins.id, shortId: begins.shortId, begins },
    tokens: { shown: { deletionToken: begins.deletionToken }, columns: { claim_hash: null, deletion_hash: null } },
  };
}

const wrongSubmission = (): AppError =>
  new AppError("WRONG_TOKEN", "The share token does not belong to this submission or has ended. Open a new one.");

/**
 * Prepares the submission of an upload: inserts a new one unless another file of the upload has done so, or reopens an earlier one. Throws
 * WRONG_TOKEN if it was deleted meanwhile.
 */
export async function prepareSubmission(
  ctx: TransactionCtx,
  asker: Actor,
  { requestId, submissionId, shortId, begins }: SubmissionUpload,
): Promise<void> {
  if (!begins) {
    // Without the row of the submission, nothing would count the received bytes.
    if ((await findSubmission(ctx.db, shortId))?.id !== submissionId) throw wrongSubmission();
    return await reopenPrivateShipment(ctx, asker, shortId);
  }
  if (await findSubmission(ctx.db, begins.shortId)) return;
  const request = await findRequest(ctx.db, requestId);
  if (!request) throw linkNotFound();
  checkOpen(ctx, request);
  await insertSubmission(ctx, request, begins);
}

/** Returns the account that asks for the file of a begun upload, with its current rights. Throws NOT_FOUND if the request was deleted. */
export async function getRequestOwner(ctx: Pick<Ctx, "db" | "config" | "now">, submissionId: string): Promise<Actor> {
  const found = await ctx.db
    .selectFrom("request_submissions")
    .innerJoin("requests", "requests.id", "request_submissions.request_id")
    .select("requests.owner_id")
    .where("request_submissions.id", "=", submissionId)
    .executeTakeFirst();
  if (!found || found.owner_id === null) throw linkNotFound();
  return await getOwnerActor(ctx, byAccount(found.owner_id));
}
