import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import meterScript from "./browser/meter.browser.js" with { type: "text" };
import pageScript from "./browser/page.browser.js" with { type: "text" };
import partsScript from "./browser/parts.browser.js" with { type: "text" };
import proofOfWorkScript from "./browser/proof-of-work.browser.js" with { type: "text" };
import resultsScript from "./browser/results.browser.js" with { type: "text" };
import retryScript from "./browser/retry.browser.js" with { type: "text" };
import sendScript from "./browser/send.browser.js" with { type: "text" };
import uploadScript from "./browser/upload.browser.js" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import style from "./style.css" with { type: "text" };

export interface Asset {
  /** Value of `Content-Type`. */
  readonly type: string;
  readonly body: string;
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

/** The path of all assets. No uploaded file is served below it. */
export const ASSETS_PATH = "/assets/";

const JAVASCRIPT = "text/javascript; charset=utf-8";

const meter = script("meter", meterScript);
const retry = script("retry", retryScript);
const parts = script("parts", partsScript, { retry });
const results = script("results", resultsScript);
const send = script("send", sendScript, { parts, retry });
const proofOfWork = script("proof-of-work", proofOfWorkScript);

const named = {
  style: asset("style", "css", "text/css; charset=utf-8", style),
  icon: asset("icon", "svg", "image/svg+xml", icon),
  page: script("page", pageScript, { retry, "proof-of-work": proofOfWork }),
  upload: script("upload", uploadScript, { meter, results, send }),
  meter,
  parts,
  results,
  retry,
  send,
  "proof-of-work": proofOfWork,
} as const;

export type AssetName = keyof typeof named;
export type ScriptName = "page" | "upload";

/** The assets by path. A path contains its content's digest, so it can be cached as `immutable`. */
export const assets: ReadonlyMap<string, Asset> = new Map(Object.values(named));

/** The path of an asset, from the site's root. */
export function assetPath(name: AssetName): string {
  return named[name][0];
}

type Served = readonly [path: string, asset: Asset];

/** Makes an asset of a script. `imports` are the scripts that it loads, whose names are replaced with their paths. */
function script(name: string, text: string, imports: Readonly<Record<string, Served>> = {}): Served {
  const served = compact(text).replace(/import\("\.\/([a-z-]+)\.browser\.js"\)/g, (_, imported: string) => {
    const [path] = imports[imported] ?? [];
    if (path === undefined) throw new Error(`${name} imports ${imported}, which is not served.`);
    return `import("${path}")`;
  });
  return asset(name, "js", JAVASCRIPT, served);
}

function asset(name: string, extension: string, type: string, body: string): Served {
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return [`${ASSETS_PATH}${name}-${digest}.${extension}`, { type, body, gzipped: new Uint8Array(gzipSync(body, { level: 9 })) }];
}

/** Removes indentation, empty lines and comments on separate lines. The scripts must not have strings over several lines. */
function compact(script: string): string {
  return script
    .replace(/^[ \t]*\/\*\*[\s\S]*?\*\/\n/gm, "")
    .replace(/^[ \t]*\/\/.*\n/gm, "")
    .replace(/^\s+/gm, "");
}
