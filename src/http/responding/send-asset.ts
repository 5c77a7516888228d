import type { Asset } from "../../../web/site/assets.ts";
import { findEncoding } from "../reading/request-headers.ts";
import type { HttpContext } from "../routing/env.ts";

/** Sends a style sheet, script or image of the pages. */
export async function sendAsset(c: HttpContext, { type, isWorker, ...asset }: Asset): Promise<Response> {
  const encoding = findEncoding(c);
  const encoded = await (encoding === "br" ? asset.brotli?.() : encoding === "gzip" ? asset.gzip?.() : undefined);
  const body = encoded ?? (await asset.plain());
  return new Response(body, {
    headers: {
      "Content-Type": type,
      // An image of the administrator that is opened alone has no authority over this site.
      ...(type === "image/svg+xml" && { "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'" }),
      // Unlike other scripts, a worker has the policy of its own response. It receives keys, so it may not connect to anything.
      ...(isWorker && { "Content-Security-Policy": "default-src 'none'" }),
      "Cache-Control": "public, max-age=31536000, immutable",
      Vary: "Accept-Encoding",
      ...(encoded && { "Content-Encoding": encoding }),
    },
  });
}
