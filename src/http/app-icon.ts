import type { AppIcon } from "../../web/page-context.ts";
import type { Logo } from "../config/logo-file.ts";

/** The smallest icon with which browsers install a site. */
const MIN_PIXELS = 192;
const PNG_SIGNATURE = "89504e470d0a1a0a";

/** The administrator's logo as the icon of the installed site, if systems accept it: an SVG, or a square PNG of at least `MIN_PIXELS`. */
export function toAppIcon({ type, bytes, path }: Logo & { readonly path: string }): AppIcon | undefined {
  if (type === "image/svg+xml") return { src: path, type, sizes: "any" };
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // The first chunk of a PNG begins with its width and height.
  if (view.length < 24 || view.toString("hex", 0, 8) !== PNG_SIGNATURE) return undefined;
  const [width, height] = [view.readUInt32BE(16), view.readUInt32BE(20)];
  return width === height && width >= MIN_PIXELS ? { src: path, type, sizes: `${width}x${height}` } : undefined;
}
