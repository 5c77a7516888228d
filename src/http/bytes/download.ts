import { hasIfMatch } from "../../lib/http/preconditions.ts";
import { type Download, hasDownloadWebhook, openDownload } from "../../service/downloads/open-download.ts";
import { identifyCaller } from "../callers/caller.ts";
import { isPrefetch, readConditions } from "../reading/request-headers.ts";
import { locationHeader } from "../responding/location.ts";
import type { HttpContext } from "../routing/env.ts";
import { contentDisposition } from "./content-disposition.ts";
import { bytesHeaders, etagOf, type HttpSelection, preconditionFailed, selectBytes, sendBytes } from "./send-bytes.ts";

type SelectedFile = Download["file"];

type HttpDownload = Download<HttpSelection>;

/**
 * Handles `GET` and `HEAD` of a signed URL: sends the bytes of a file without the authority of this site (downloads, "Signed URLs"). Throws as
 * `openDownload` does, RANGE_NOT_SATISFIABLE and PRECONDITION_FAILED.
 */
export async function sendDownload(c: HttpContext): Promise<Response> {
  const { ctx } = c.env;
  const call = await identifyCaller(c, "signed", { isUncounted: true });
  const isHead = c.req.method === "HEAD";
  const conditions = readConditions(c);
  const opened = await openDownload(ctx, call, {
    fileId: c.req.param("fileId") ?? "",
    query: signedQuery(c.req.url),
    isPrefetch: isPrefetch(c),
    select: (file) => selectBytes(c, conditions, file),
  });
  const { file, tracker, selection } = opened;
  const { status } = selection;
  if (status === 412) return await redirectOrThrowPrecondition(c, opened);
  const headers = bytesHeaders(file, selection, await dispositionOf(file));
  if (isHead || status === 304) return new Response(null, { status, headers });
  // The store has other tags and dates for the bytes, so it must not evaluate conditions that were met at this server.
  const mustSend = tracker?.countsBytes === true || hasIfMatch(conditions);
  const storeUrl = mustSend ? undefined : await presign(c, file);
  if (storeUrl !== undefined) return redirectTo(storeUrl);
  return await sendBytes(c, { file, selection, headers, tracker });
}

/** Returns the headers of a file, as its signed URL sends them. */
export async function respondFileHeaders(file: SelectedFile): Promise<Response> {
  const selection = { status: 200, span: { start: 0, end: file.size_bytes }, isBodyless: true } as const;
  return new Response(null, { headers: bytesHeaders(file, selection, await dispositionOf(file)) });
}

/** Sends the whole file of a signed URL from this server, in response to another request. Throws as `openDownload` does. */
export async function sendSigned(c: HttpContext, { fileId, url }: { readonly fileId: string; readonly url: string }): Promise<Response> {
  const call = await identifyCaller(c, "signed", { isUncounted: true });
  const { file, selection, tracker } = await openDownload<HttpSelection>(c.env.ctx, call, {
    fileId,
    query: signedQuery(url),
    isPrefetch: false,
    select: ({ size_bytes }) => ({ status: 200, span: { start: 0, end: size_bytes }, isBodyless: false }),
  });
  return await sendBytes(c, { file, selection, headers: bytesHeaders(file, selection, await dispositionOf(file)), tracker });
}

/** Returns the query of a URL. Does not parse the rest, which is the slowest part of this request. */
export const signedQuery = (url: string): URLSearchParams => new URLSearchParams(url.slice(url.indexOf("?") + 1));

/**
 * Redirects to the store if it may have issued the tag or date of the condition, so that the store evaluates it. Throws PRECONDITION_FAILED
 * otherwise.
 */
async function redirectOrThrowPrecondition(c: HttpContext, { file, isLimited }: HttpDownload): Promise<Response> {
  const mustSend = isLimited || c.req.method === "HEAD";
  const storeUrl = mustSend ? undefined : await presign(c, file);
  if (storeUrl === undefined) throw preconditionFailed(etagOf(file));
  return redirectTo(storeUrl);
}

const dispositionOf = (file: SelectedFile): Promise<string> => contentDisposition(file.name, "attachment");

/** Returns a URL of the store for the file; undefined if the store has none, or the owner has a webhook for completed downloads. */
async function presign(c: HttpContext, file: SelectedFile): Promise<string | undefined> {
  const { ctx } = c.env;
  if (!ctx.blobs.presignRead || (await hasDownloadWebhook(ctx, file))) return undefined;
  return await ctx.blobs.presignRead(file.blob_key, { contentType: file.content_type, contentDisposition: await dispositionOf(file) });
}

function redirectTo(url: string): Response {
  const headers = { ...locationHeader(url), "Cache-Control": "private, no-store", "Referrer-Policy": "no-referrer" };
  return new Response(null, { status: 302, headers });
}
