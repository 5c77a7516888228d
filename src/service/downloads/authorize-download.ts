import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { newUuid } from "../../lib/ids.ts";
import { signDownloadUrl } from "../files/signed-url.ts";
import { isLimited } from "../files/viewable.ts";
import type { Operation } from "../operation.ts";
import { checkUnlocked, type UnlockCredentials } from "../shares/unlock.ts";
import { countDownloads } from "./count-downloads.ts";
import {
  checkAvailable,
  checkPaid,
  checkReady,
  DOWNLOAD_URL_MS,
  fileNotFound,
  MAX_AUTHORIZATIONS,
  shareChanging,
} from "./download-rules.ts";
import { type Downloadable, findDownloadable } from "./queries.ts";

/** `GET /files/download/{fileId}`: counts a download and returns a signed URL, valid for an hour. */
export const authorizeDownload: Operation<"authorizeDownload"> = async (ctx, call, { fileId, ...credentials }) => {
  for (let attempt = 1; attempt <= MAX_AUTHORIZATIONS; attempt += 1) {
    const authorized = await authorize(ctx, call, fileId, credentials);
    const url = await ctx.transaction((ctx) => countAndSign(ctx, call, authorized));
    if (url !== undefined) return { success: true, url };
  }
  throw shareChanging();
};

/**
 * Decides whether a caller may download a file. Throws NOT_FOUND or SCAN_BLOCKED, UNLOCK_REQUIRED or UNLOCK_INVALID, PAYMENT_REQUIRED,
 * SCAN_PENDING, in that order (downloads, "Getting a signed URL"). Counts nothing.
 */
async function authorize(ctx: Ctx, call: RequestContext, fileId: string, credentials: UnlockCredentials): Promise<Downloadable> {
  const found = await findDownloadable(ctx.db, fileId);
  if (!found) throw fileNotFound();
  const { file, share } = found;
  checkAvailable(ctx, call.actor, file, share);
  await checkUnlocked(ctx, call, share, credentials);
  checkPaid(call.actor, file, share);
  checkReady(file);
  return found;
}

/**
 * Checks the current state of a file that was authorized. Undefined, with nothing counted, if the credentials or the limit of its share have
 * changed since.
 */
async function countAndSign(ctx: TransactionCtx, call: RequestContext, authorized: Downloadable): Promise<string | undefined> {
  const current = await findDownloadable(ctx.db, authorized.file.id);
  if (!current) throw fileNotFound();
  const { file, share } = current;
  checkAvailable(ctx, call.actor, file, share);
  if (share.credentials_version !== authorized.share.credentials_version) return undefined;
  checkReady(file);
  const expiresAtMs = Math.min(ctx.now() + DOWNLOAD_URL_MS, share.expires_at ?? Number.POSITIVE_INFINITY);
  const grantId = isLimited(share) ? newUuid(ctx.random, ctx.now()) : "";
  if (!(await countDownloads(ctx, call, [file], { share, grantId: () => grantId, expiresAtMs }))) throw fileNotFound();
  return signDownloadUrl(ctx, { file, share, purpose: "download", expiresAtMs, grantId });
}
