import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { newUuid } from "../../lib/ids.ts";
import { signDownloadUrl } from "../files/signed-url.ts";
import type { Operation } from "../operation.ts";
import { checkUnlocked, type UnlockCredentials, unlockInvalid } from "../shares/unlock.ts";
import { countDownloads } from "./count-downloads.ts";
import { checkAvailable, checkPaid, checkReady, DOWNLOAD_URL_MS, fileNotFound, isLimited } from "./download-rules.ts";
import { type Downloadable, findDownloadable } from "./queries.ts";

/** `GET /files/download/{fileId}`: counts a download and returns a signed URL, valid for an hour. */
export const authorizeDownload: Operation<"authorizeDownload"> = async (ctx, call, { fileId, ...credentials }) => {
  const authorized = await authorize(ctx, call, fileId, credentials);
  const url = await ctx.transaction(async (ctx) => {
    const { file, share } = await reauthorize(ctx, authorized);
    const expiresAtMs = Math.min(ctx.now() + DOWNLOAD_URL_MS, share.expires_at ?? Number.POSITIVE_INFINITY);
    const grantId = isLimited(share) ? newUuid(ctx.random, ctx.now()) : "";
    if (!(await countDownloads(ctx, call, [file], { share, grantId: () => grantId, expiresAtMs }))) throw fileNotFound();
    return signDownloadUrl(ctx, { file, share, purpose: "download", expiresAtMs, grantId });
  });
  return { success: true, url };
};

/**
 * Decides whether a caller may download a file. Throws NOT_FOUND or SCAN_BLOCKED, UNLOCK_REQUIRED or UNLOCK_INVALID, PAYMENT_REQUIRED,
 * SCAN_PENDING, in that order (downloads, "Getting a signed URL"). Counts nothing.
 */
async function authorize(ctx: Ctx, call: RequestContext, fileId: string, credentials: UnlockCredentials): Promise<Downloadable> {
  const found = await findDownloadable(ctx.db, fileId);
  if (!found) throw fileNotFound();
  const { file, share } = found;
  checkAvailable(ctx, file, share);
  await checkUnlocked(ctx, call, share, credentials);
  checkPaid(call.actor, file, share);
  checkReady(file);
  return found;
}

/** Checks an authorization against the current rows, within the transaction that uses it. Throws as `authorize` does. */
async function reauthorize(ctx: TransactionCtx, before: Downloadable): Promise<Downloadable> {
  const current = await findDownloadable(ctx.db, before.file.id);
  if (!current) throw fileNotFound();
  checkAvailable(ctx, current.file, current.share);
  if (current.share.credentials_version !== before.share.credentials_version) throw unlockInvalid();
  checkReady(current.file);
  return current;
}
