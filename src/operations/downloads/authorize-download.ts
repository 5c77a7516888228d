import { findDeliverable } from "../../db/deliveries.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { HOUR_MS } from "../../domain/ttl.ts";
import type { Operation } from "../operation.ts";
import { checkDownloadable, fileNotFound } from "./check-downloadable.ts";
import { countDownload, isLimited } from "./count-download.ts";
import { signDownloadUrl } from "./signed-url.ts";

const DOWNLOAD_URL_MS = HOUR_MS;

/** `GET /files/download/{fileId}`: counts a download and answers a signed address, valid for an hour. */
export const authorizeDownload: Operation<"authorizeDownload"> = async (ctx, call, { fileId }) => {
  const url = await ctx.tx(async (ctx) => {
    const { file, share } = (await findDeliverable(ctx.db, fileId)) ?? {};
    checkDownloadable(ctx, file, share);
    if (!share) throw fileNotFound();
    const untilMs = Math.min(ctx.now() + DOWNLOAD_URL_MS, share.expires_at ?? Number.POSITIVE_INFINITY);
    const grantId = isLimited(share) ? newUuid(ctx.random, ctx.now()) : "";
    if (!(await countDownload(ctx, call, { file, share, grantId, untilMs }))) throw fileNotFound();
    return signDownloadUrl(ctx, { file, share, purpose: "download", untilMs, grantId });
  });
  return { success: true, url, data: { url } };
};
