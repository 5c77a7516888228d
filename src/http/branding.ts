import { createHash } from "node:crypto";
import { accentStyle } from "../../web/accent.ts";
import { ASSETS_PATH, type Asset } from "../../web/assets.ts";
import type { Site } from "../../web/page-context.ts";
import type { Ctx } from "../context.ts";
import { toAppIcon } from "./app-icon.ts";

export interface Branding {
  readonly site: Site;
  /** The administrator's logo and accent, by path. */
  readonly assets: ReadonlyMap<string, Asset>;
}

/** The site's name, looks and legal pages, from the settings (pages, "Branding"). */
export function createBranding(ctx: Pick<Ctx, "config" | "urls">): Branding {
  const { name, logo, accent, ...pages } = ctx.config.branding;
  const assets = new Map<string, Asset>();
  const add = (file: string, extension: string, asset: { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }): string => {
    const digest = createHash("sha256").update(asset.bytes).digest("hex").slice(0, 16);
    const path = `${ASSETS_PATH}${file}-${digest}.${extension}`;
    assets.set(path, { type: asset.type, plain: () => asset.bytes });
    return path;
  };
  const style = accent && { type: "text/css; charset=utf-8", bytes: new TextEncoder().encode(accentStyle(accent)) };
  const shownLogo = logo && { ...logo, path: add("logo", logo.extension, logo) };
  const site = {
    name,
    url: ctx.urls.siteUrl,
    hasOwnUrl: ctx.config.siteUrl !== undefined,
    provider: ctx.config.oidc?.name,
    logoPath: shownLogo?.path,
    appIcon: shownLogo && toAppIcon(shownLogo),
    accentPath: style && add("accent", "css", style),
    ...pages,
  };
  return { site, assets };
}
