import { bufferStream } from "../../src/http/responding/respond.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { openCardImage, openThumbnail, type StoredThumbnail } from "../../src/service/thumbnails/open-thumbnail.ts";

/** Handles `GET /thumb/:fileId`: sends the thumbnail of a file, at its signed URL. */
export async function sendThumbnail(c: HttpContext): Promise<Response> {
  const thumbnail = await openThumbnail(c.env.ctx, c.req.param("fileId") ?? "", c.env.url.searchParams);
  return await send(c, thumbnail, "private");
}

/** Handles `GET /d/:shortId/card.webp`: sends the image of a share's card. */
export async function sendCardImage(c: HttpContext): Promise<Response> {
  return await send(c, await openCardImage(c.env.ctx, c.req.param("shortId") ?? ""), "public");
}

async function send(c: HttpContext, { sizeBytes, validMs, read }: StoredThumbnail, cache: "private" | "public"): Promise<Response> {
  const body = c.req.method === "HEAD" ? null : await bufferStream(read(), sizeBytes);
  return new Response(body, {
    headers: {
      "Content-Type": "image/webp",
      "Content-Length": String(sizeBytes),
      "Content-Disposition": "inline",
      "Cache-Control": `${cache}, max-age=${Math.floor(validMs / 1000)}`,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Referrer-Policy": "no-referrer",
      "Cross-Origin-Resource-Policy": "cross-origin",
    },
  });
}
