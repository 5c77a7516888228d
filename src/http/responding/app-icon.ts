import type { AppIcon } from "../../../web/site/page-context.ts";
import type { Logo } from "../../config/logo.ts";
import { readPngSize } from "../../lib/formats/png.ts";

/** Width of the smallest icon with which browsers install a site. */
const MIN_PIXELS = 192;

/** Returns the site's logo as the icon of the installed site, if systems accept it: an SVG, or a square PNG of at least `MIN_PIXELS`. */
export function toAppIcon({ type, bytes, path }: Logo & { readonly path: string }): AppIcon | undefined {
  if (type === "image/svg+xml") return { src: path, type, sizes: "any" };
  const { width, height } = readPngSize(bytes) ?? { width: 0, height: 0 };
  return width === height && width >= MIN_PIXELS ? { src: path, type, sizes: `${width}x${height}` } : undefined;
}
