import { newUuid } from "../../domain/alphabet.ts";
import { HOUR_MS } from "../../domain/ttl.ts";
import type { Operation } from "../operation.ts";
import { authorize, reauthorize } from "./authorize.ts";
import { fileNotFound } from "./check-downloadable.ts";
import { countDownloads, isLimited } from "./count-download.ts";
import { signDownloadUrl } from "./signed-url.ts";

/** How long a signed address holds (interface, "Limits"). */
export const DOWNLOAD_URL_MS = HOUR_MS;

/** `GET /files/download/{fileId}`: counts a download and answers a signed address, valid for an hour. */
export const authorizeDownload: Operation<"authorizeDownload"> = async (ctx, call, { fileId, ...credentials }) => {
  const authorized = await authorize(ctx, call, fileId, credentials);
  const url = await ctx.tx(async (ctx) => {
    const { file, share } = await reauthorize(ctx, authorized);
    const untilMs = Math.min(ctx.now() + DOWNLOAD_URL_MS, share.expires_at ?? Number.POSITIVE_INFINITY);
    const grantId = isLimited(share) ? newUuid(ctx.random, ctx.now()) : "";
    if (!(await countDownloads(ctx, call, [file], { share, grantId: () => grantId, untilMs }))) throw fileNotFound();
    return signDownloadUrl(ctx, { file, share, purpose: "download", untilMs, grantId });
  });
  return { success: true, url };
};
