import { createHash } from "node:crypto";
import { accentStyle } from "../../../web/site/accent.ts";
import { ASSETS_PATH } from "../../../web/site/assets.ts";
import type { Site } from "../../../web/site/page-context.ts";
import type { Config } from "../../config/load.ts";
import type { Ctx } from "../../context.ts";
import type { Branding, HttpContext } from "../routing/env.ts";
import { toAppIcon } from "./app-icon.ts";
import { createPageCache } from "./page-cache.ts";
import { redirect } from "./respond-page.ts";
import { sendAsset } from "./send-asset.ts";

/** Creates a function that returns the current branding, which is the same object until the configuration changes. */
export function createBranding(ctx: Pick<Ctx, "config" | "urls">): () => Branding {
  let config = ctx.config;
  let branding = toBranding(ctx, config.branding);
  return () => {
    if (config !== ctx.config) {
      config = ctx.config;
      branding = toBranding(ctx, config.branding);
    }
    return branding;
  };
}

function toBranding(ctx: Pick<Ctx, "config" | "urls">, look: Config["branding"]): Branding {
  const logo = look.logo && {
    path: ASSETS_PATH + look.logo.name,
    asset: { type: look.logo.type, plain: async () => look.logo?.bytes ?? new Uint8Array() },
  };
  return { site: toSite(ctx, look, logo?.path), logo, pageCache: createPageCache() };
}

/** Returns the site's name, appearance and legal pages (pages, "Branding"). */
export function toSite(ctx: Pick<Ctx, "config" | "urls">, look: Config["branding"], logoPath: string | undefined): Site {
  const { name, logo, accent, ...pages } = look;
  return {
    name,
    url: ctx.urls.siteUrl,
    hasOwnUrl: ctx.config.siteUrl !== undefined,
    provider: ctx.config.oidc?.name,
    hasSelling: ctx.config.payments !== undefined,
    logoPath,
    appIcon: logo && logoPath !== undefined ? toAppIcon({ ...logo, path: logoPath }) : undefined,
    accentPath: accent === undefined ? undefined : toAccentPath(accent),
    ...pages,
  };
}

/**
 * Returns the path of an accent's style sheet. It contains the color, so that every server instance can serve the style sheet, whatever its own
 * accent is.
 */
const toAccentPath = (accent: string): string => `${ASSETS_PATH}accent-${accent.slice(1)}-${digestOf(accentStyle(accent))}.css`;

const digestOf = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

/** Handles `GET /assets/…` of assets that depend on the branding: the logo and the style sheet of the accent. */
export async function sendBrandAsset(c: HttpContext): Promise<Response> {
  const { path } = c.req;
  const [, digits] = /\/accent-([0-9a-f]{6})-/.exec(path) ?? [];
  if (digits !== undefined && path === toAccentPath(`#${digits}`)) {
    const bytes = new TextEncoder().encode(accentStyle(`#${digits}`));
    return await sendAsset(c, { type: "text/css; charset=utf-8", plain: async () => bytes });
  }
  if (c.env.branding().logo?.path !== path && path.startsWith(`${ASSETS_PATH}logo-`)) await c.env.ctx.settings.refresh();
  const { logo } = c.env.branding();
  if (logo?.path === path) return await sendAsset(c, logo.asset);
  // Redirects a page that was rendered before the logo was changed.
  return logo && path.startsWith(`${ASSETS_PATH}logo-`) ? redirect(c, 302, logo.path) : await c.notFound();
}
