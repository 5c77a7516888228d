import { respondText } from "../../src/http/responding/respond.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { assetPath, assets } from "./assets.ts";
import { SHARE_TARGET } from "./installed-site.ts";
import { THEME_COLORS } from "./layout.tsx";
import type { AppIcon, Site } from "./page-context.ts";

const ICONS: readonly AppIcon[] = [
  { src: assetPath("icon192"), type: "image/png", sizes: "192x192" },
  { src: assetPath("icon512"), type: "image/png", sizes: "512x512" },
  { src: assetPath("iconMaskable"), type: "image/png", sizes: "512x512", purpose: "maskable" },
];

/** Sends the manifest, which makes the site an application with a share target (pages, "The installed site"). */
export const sendManifest = (c: HttpContext): Promise<Response> =>
  respondText(c, JSON.stringify(toManifest(c.env.site)), { "Content-Type": "application/manifest+json", "Cache-Control": "no-cache" });

function toManifest({ name, appIcon }: Site): object {
  const { path, fields } = SHARE_TARGET;
  const { files, ...texts } = fields;
  return {
    id: "/",
    name,
    short_name: name,
    start_url: "/",
    scope: "/",
    display: "standalone",
    theme_color: THEME_COLORS.light,
    background_color: THEME_COLORS.light,
    icons: appIcon === undefined ? ICONS : [appIcon],
    share_target: {
      action: path,
      method: "POST",
      enctype: "multipart/form-data",
      params: { ...texts, files: [{ name: files, accept: ["*/*"] }] },
    },
  };
}

const SERVICE_WORKER_HEADERS = {
  "Content-Type": "text/javascript; charset=utf-8",
  // The browser asks for a newer manifest each time.
  "Cache-Control": "no-cache",
  "Content-Security-Policy": "default-src 'none'",
} as const;

/** Handles `GET /service-worker.js`, which is at the root of the site, because a worker controls only the URLs below its own folder. */
export async function sendServiceWorker(): Promise<Response> {
  return new Response(await assets.get(assetPath("serviceWorker"))?.plain(), { headers: SERVICE_WORKER_HEADERS });
}
