import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { AppError, notFound } from "../../errors.ts";
import { newSecret, newShortId, newUuid } from "../../lib/secrets/ids.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { consumeAddressRate } from "../accounts/rate-limits.ts";
import { byAccount, getOwnerActor } from "../accounts/user-actor.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { insertPrivateShipment } from "../shares/create-share.ts";
import type { CredentialsOwner } from "../shares/credentials.ts";
import { checkUnlocked, signUnlockToken } from "../shares/unlock.ts";
import { makeRoomForEmpty } from "./empty-submissions.ts";
import { type FoundRequest, type FoundSubmission, findRequestByToken, findSubmission, insertSubmissionRow } from "./queries.ts";
import { checkOpen, linkNotFound, stateOf } from "./request-state.ts";
import { hashRequestToken } from "./request-token.ts";

/** Gets the request of a link. Throws NOT_FOUND. */
export async function getLinkedRequest(ctx: Pick<Ctx, "db">, token: string): Promise<FoundRequest> {
  const request = await findRequestByToken(ctx.db, hashRequestToken(token));
  if (!request) throw linkNotFound();
  return request;
}

/** Returns a request as an owner of credentials, because its code and tokens are checked like a share's code and tokens. */
export const toLock = ({ id, unlock_hash }: FoundRequest): CredentialsOwner & Pick<FoundRequest, "unlock_hash"> => ({
  short_id: id,
  unlock_hash,
  handoff_hash: unlock_hash,
});

/** Validity of a token for a request's code. It is long, because senders take their time to choose files. */
const UNLOCK_TOKEN_MS = DAY_MS;

/** `POST /requests/unlock`. */
export const unlockRequest: Operation<"unlockRequest"> = async (ctx, call, { requestToken, ...credentials }) => {
  const request = await getLinkedRequest(ctx, requestToken);
  checkOpen(ctx, request);
  await checkUnlocked(ctx, call, toLock(request), credentials);
  const { unlockToken, expiresAtMs } = signUnlockToken(ctx, toLock(request), { ttlMs: UNLOCK_TOKEN_MS });
  return { unlockToken, expiresAt: toIso(expiresAtMs) };
};

/** The name and message that a sender wrote. */
export interface SenderWords {
  readonly senderName?: string | null | undefined;
  readonly senderNote?: string | null | undefined;
}

/** A submission that begins, with its secrets. */
export interface NewSubmission extends SenderWords {
  readonly id: string;
  readonly shortId: string;
  /** The token for adding files; undefined for a submission that begins with an upload. */
  readonly shareToken?: string;
  readonly deletionToken: string;
}

export const newSubmission = (ctx: Pick<Ctx, "random" | "now">, words: SenderWords): NewSubmission => ({
  ...words,
  id: newUuid(ctx.random, ctx.now()),
  shortId: newShortId(ctx.random),
  deletionToken: newSecret(ctx.random, "del_"),
});

/** Inserts a submission and the private share of its files. */
export async function insertSubmission(ctx: TransactionCtx, request: FoundRequest, submission: NewSubmission): Promise<void> {
  const owner = await getOwnerActor(ctx, byAccount(request.owner_id));
  await insertPrivateShipment(ctx, owner, submission);
  await insertSubmissionRow(ctx.db, {
    id: submission.id,
    request_id: request.id,
    short_id: submission.shortId,
    sender_name: toSingleLine(submission.senderName ?? "") || null,
    sender_note: submission.senderNote || null,
    created_at: ctx.now(),
  });
}

/** `POST /requests/submissions`: begins a submission, which the uploads then name. */
export const openSubmission: Operation<"openSubmission"> = async (ctx, call, input) => {
  const { requestToken, senderName, senderNote, ...credentials } = input;
  const found = await getLinkedRequest(ctx, requestToken);
  checkOpen(ctx, found);
  await checkUnlocked(ctx, call, toLock(found), credentials);
  const submission = newSubmission(ctx, { senderName, senderNote });
  const shareToken = newSecret(ctx.random, "share_");
  return await commitResponse(ctx, call, async (ctx) => {
    const request = await beginSubmission(ctx, call, { requestToken, submission: { ...submission, shareToken } });
    const { shortId, deletionToken } = submission;
    const links = { shareUrl: `${ctx.urls.siteUrl}/d/${shortId}`, sharePath: `/d/${shortId}` };
    return { shortId, ...links, shareToken, deletionToken, expiresAt: toIso(request.expires_at) };
  });
};

/** Inserts a submission before its first file. Throws REQUEST_CLOSED, RATE_LIMITED and TOO_MANY_UPLOADS. Resolves to its request. */
export async function beginSubmission(
  ctx: TransactionCtx,
  { address }: Pick<RequestContext, "address">,
  { requestToken, submission }: { readonly requestToken: string; readonly submission: NewSubmission },
): Promise<FoundRequest> {
  const request = await getLinkedRequest(ctx, requestToken);
  checkOpen(ctx, request);
  if (stateOf(ctx, request) === "usedUp") throw new AppError("REQUEST_CLOSED", "This request accepts no more files. Ask for another link.");
  // Counts a caller with a key by the address as well, because the rows belong to the account that asks.
  await consumeAddressRate(ctx, { name: "shares", address });
  await makeRoomForEmpty(ctx, request.id);
  await insertSubmission(ctx, request, submission);
  return request;
}

/** Throws NOT_FOUND if the token's request is not the submission's. The token of a replaced link belongs to no request. */
export async function checkLinkOf(
  ctx: Pick<Ctx, "db">,
  { requestToken, shortId }: { readonly requestToken: string; readonly shortId: string },
): Promise<void> {
  const request = await findRequestByToken(ctx.db, hashRequestToken(requestToken));
  if (request && (await findSubmission(ctx.db, shortId))?.request_id !== request.id) throw linkNotFound();
}

/** Gets the submission of a deletion token. Throws NOT_FOUND, also for a wrong token. */
export async function getSubmissionOf(
  ctx: Pick<Ctx, "db">,
  { shortId, deletionToken }: { shortId: string; deletionToken: string },
): Promise<FoundSubmission> {
  const submission = await findSubmission(ctx.db, shortId);
  if (submission && matchesHash(deletionToken, submission.deletion_hash)) return submission;
  throw notFound("submission", "Check its ID and token.", "or was deleted");
}
