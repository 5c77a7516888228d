import { createHash } from "node:crypto";
import pageScript from "./browser/page.browser.js" with { type: "text" };
import uploadScript from "./browser/upload.browser.js" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import style from "./style.css" with { type: "text" };

export interface Asset {
  /** Value of `Content-Type`. */
  readonly type: string;
  readonly body: string;
}

const JAVASCRIPT = "text/javascript; charset=utf-8";

const named = {
  style: asset("style", "css", "text/css; charset=utf-8", style),
  icon: asset("icon", "svg", "image/svg+xml", icon),
  page: asset("page", "js", JAVASCRIPT, compact(pageScript)),
  upload: asset("upload", "js", JAVASCRIPT, compact(uploadScript)),
} as const;

export type AssetName = keyof typeof named;
export type ScriptName = "page" | "upload";

/** What the pages load, by path. A path holds its content's digest, so it may be cached for ever (`immutable`). */
export const assets: ReadonlyMap<string, Asset> = new Map(Object.values(named));

/** The path of one of the assets, from the site's root. */
export function assetPath(name: AssetName): string {
  return named[name][0];
}

function asset(name: string, extension: string, type: string, body: string): readonly [path: string, asset: Asset] {
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return [`/assets/${name}-${digest}.${extension}`, { type, body }];
}

/** Leaves out indentation, empty lines and the comments that have lines of their own; the scripts have no string over several lines. */
function compact(script: string): string {
  return script
    .replace(/^[ \t]*\/\*\*[\s\S]*?\*\/\n/gm, "")
    .replace(/^[ \t]*\/\/.*\n/gm, "")
    .replace(/^\s+/gm, "");
}
