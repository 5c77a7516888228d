import type { Hono } from "hono";
import { type Asset, assets } from "../../web/assets.ts";
import { renderHomePage } from "../../web/home-page.tsx";
import { renderUploadedPage } from "../../web/uploaded-page.tsx";
import type { Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { viewShare } from "../operations/shares/view-share.ts";
import { acceptsGzip, answerPage } from "./answer-page.ts";
import { deletionUrl, mountDeletionPage } from "./deletion-page.ts";
import type { HttpContext, HttpEnv } from "./env.ts";
import { headLength } from "./head-length.ts";
import { COMMON_HEADERS } from "./security.ts";
import { mountSharePages } from "./share-pages.ts";
import { mountSponsor } from "./sponsoring.ts";

/** The pages for people, their assets and robots.txt. */
export function mountPages(app: Hono<HttpEnv>, ctx: Ctx): void {
  app.get("/", (c) => answerPage(ctx, c, { html: homePage(ctx) }));
  mountSharePages(app, ctx);
  mountSponsor(app, ctx);
  mountDeletionPage(app, ctx);
  const robots = toRobotsText(new URL(ctx.addresses.baseUrl).pathname);
  app.get("/robots.txt", (c) => text(c, robots));
  for (const [path, asset] of assets) app.get(path, (c) => sendAsset(c, asset));
}

/** Share pages may be fetched, so that crawlers see their `noindex`; the API, signed URLs and secrets in addresses may not. */
function toRobotsText(apiPath: string): string {
  const closed = ["/api/", "/dl/", "/ar/", "/up/", "/de/", "/delete/"];
  const api = `${apiPath.replace(/\/$/, "")}/`;
  const paths = api === "/" || closed.includes(api) ? closed : [api, ...closed];
  return `User-agent: *\n${paths.map((path) => `Disallow: ${path}\n`).join("")}`;
}

/** What a browser's form gets for its upload: the link and the secrets, this once. */
export async function uploadedPage(ctx: Ctx, c: HttpContext, upload: UploadResult): Promise<Response> {
  const view = await viewShare(ctx, upload.shortId);
  const props = {
    ...upload,
    fileId: upload.id,
    sizeBytes: upload.size,
    expiresAtMs: upload.expiresAt === null ? null : Date.parse(upload.expiresAt),
    deletionUrl: upload.deletionToken === undefined ? undefined : deletionUrl(ctx, upload.id, upload.deletionToken),
  };
  const html = renderUploadedPage({ ...props, once: view.kind === "open" && view.share.once === 1 });
  return await answerPage(ctx, c, { html, hasSecrets: true });
}

function homePage(ctx: Ctx): string {
  const { fileBytes, retentionMs } = ctx.config.tiers.anonymous;
  return renderHomePage({
    siteUrl: ctx.addresses.siteUrl,
    limits: { fileBytes, retentionMs },
    scannerNote: ctx.scanner.mode === "clamd" ? undefined : "This server does not check files for malware.",
    uploadsOpen: ctx.config.anonymousUploads,
    version: ctx.version,
  });
}

function sendAsset(c: HttpContext, { type, body, gzipped }: Asset): Response {
  const isGzipped = acceptsGzip(c);
  return new Response(isGzipped ? gzipped : body, {
    headers: {
      ...COMMON_HEADERS,
      "Content-Type": type,
      "Cache-Control": "public, max-age=31536000, immutable",
      Vary: "Accept-Encoding",
      ...(isGzipped ? { "Content-Encoding": "gzip" } : {}),
    },
  });
}

const text = (c: HttpContext, body: string): Response =>
  new Response(body, { headers: { ...COMMON_HEADERS, "Content-Type": "text/plain; charset=utf-8", ...headLength(c, body) } });
