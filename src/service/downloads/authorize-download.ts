import type { Ctx, RequestContext } from "../../context.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { signDownloadUrl } from "../files/signed-url.ts";
import type { Operation } from "../operation.ts";
import { listBegunDownloads, movePurchaseDownloads } from "../selling/bought-downloads.ts";
import { isLimited } from "../shares/share-state.ts";
import { checkNotInUrl, checkUnlocked, findRecipientId, type UnlockCredentials } from "../shares/unlock.ts";
import { checkPaid, findProvenPurchase, isStillPaid } from "./check-paid.ts";
import { type CountDownloads, type CountingCtx, withDownloadCounting } from "./count-downloads.ts";
import { checkAvailable, checkReady, DOWNLOAD_URL_MS, fileNotFound, MAX_AUTHORIZATIONS, shareChanging } from "./download-rules.ts";
import { archiveIdOf, type Downloadable, type DownloadableFile, findDownloadable, moveGrants, prolongGrant } from "./queries.ts";

/**
 * `GET /files/download/{fileId}`: counts a download and returns a signed URL that is valid for an hour. For a buyer with an unfinished download of a
 * limited share, signs the same download again.
 */
export const authorizeDownload: Operation<"authorizeDownload"> = async (ctx, call, { fileId, ...credentials }) => {
  for (let attempt = 1; attempt <= MAX_AUTHORIZATIONS; attempt += 1) {
    const authorized = await authorize(ctx, call, fileId, credentials);
    await whenRecorded(ctx, authorized);
    const url = await withDownloadCounting(ctx, call, authorized, (ctx, count) => countAndSign(ctx, call, authorized, count));
    if (url !== undefined) return { success: true, url };
  }
  throw shareChanging();
};

/** Returns the file that a download would send, without counting. Throws as `authorizeDownload` does. */
export async function getDownloadableFile(
  ctx: Ctx,
  call: RequestContext,
  { fileId, ...credentials }: Credentials & { readonly fileId: string },
): Promise<DownloadableFile> {
  return (await authorize(ctx, call, fileId, credentials)).file;
}

/** Waits until a buyer's downloads are recorded, because a buyer may ask again before the end of a download is recorded. */
async function whenRecorded(ctx: Ctx, { file, share, purchaseId }: Authorized): Promise<void> {
  const grantId = isLimited(share) && purchaseId !== "" ? (await listBegunDownloads(ctx, purchaseId)).get(file.id)?.grantId : undefined;
  if (!grantId) return;
  await ctx.downloads.whenFlushed(grantId);
  await ctx.downloads.whenFlushed(archiveIdOf(grantId, file.id) ?? "");
}

interface Credentials extends UnlockCredentials {
  readonly purchaseToken?: string | undefined;
}

interface Authorized extends Downloadable {
  /** The purchase; empty without one. */
  readonly purchaseId: string;
  /** The recipient whose private link the caller uses; undefined for others. */
  readonly recipientId: string | undefined;
}

/**
 * Decides whether a caller may download a file, without counting. Throws NOT_FOUND or SCAN_BLOCKED, UNLOCK_REQUIRED or UNLOCK_INVALID,
 * PAYMENT_REQUIRED, SCAN_PENDING, in this order (downloads, "Getting a signed URL").
 */
async function authorize(ctx: Ctx, call: RequestContext, fileId: string, credentials: Credentials): Promise<Authorized> {
  const found = await findDownloadable(ctx.db, fileId);
  if (!found) throw fileNotFound();
  const { file, share } = found;
  checkAvailable(ctx, call.actor, file, share);
  const purchase = await findProvenPurchase(ctx, share, credentials);
  // A buyer needs no code, because the seller may have set it after the purchase.
  if (!purchase) {
    checkNotInUrl(share, credentials);
    await checkUnlocked(ctx, call, share, credentials);
  }
  checkPaid(ctx, call.actor, share, purchase);
  checkReady(file);
  return { ...found, purchaseId: purchase?.id ?? "", recipientId: await findRecipientId(ctx, share, credentials) };
}

/**
 * Counts a download of an authorized file after checking its current state. Resolves to undefined, with nothing counted, if the credentials or the
 * limit of its share have changed.
 */
async function countAndSign(
  ctx: CountingCtx,
  call: RequestContext,
  authorized: Authorized,
  count: CountDownloads,
): Promise<string | undefined> {
  const current = await findDownloadable(ctx.db, authorized.file.id);
  if (!current) throw fileNotFound();
  const { file, share } = current;
  checkAvailable(ctx, call.actor, file, share);
  if (share.credentials_version !== authorized.share.credentials_version) return undefined;
  checkReady(file);
  const { purchaseId, recipientId } = authorized;
  if (!(await isStillPaid(ctx.db, purchaseId)) || (purchaseId === "" && share.price_cents !== authorized.share.price_cents))
    return undefined;
  const begun = isLimited(share) && purchaseId !== "" ? (await listBegunDownloads(ctx, purchaseId)).get(file.id) : undefined;
  const ends = [share.expires_at, begun?.endsAtMs].map((atMs) => atMs ?? Number.POSITIVE_INFINITY);
  const expiresAtMs = Math.min(ctx.now() + DOWNLOAD_URL_MS, ...ends);
  if (begun?.grantId && !begun.isAcquired) {
    await prolongGrant(ctx.db, begun.grantId, expiresAtMs);
    return signDownloadUrl(ctx, { file, share, purpose: "download", expiresAtMs, grantId: begun.grantId, purchaseId });
  }
  const grantId = isLimited(share) ? newUuid(ctx.random, ctx.now()) : "";
  if (begun?.grantId) {
    // Moves the grant to the new URL, because the archive that has acquired it may have ended with its server instance.
    await moveGrants(ctx.db, [{ from: begun.grantId, to: grantId }], expiresAtMs);
    await movePurchaseDownloads(ctx.db, purchaseId, [{ fileId: file.id, grantId }]);
  } else if (!(await count([file], { share, grantId: () => grantId, expiresAtMs, purchaseId, recipientId }))) throw fileNotFound();
  return signDownloadUrl(ctx, { file, share, purpose: "download", expiresAtMs, grantId, purchaseId });
}
