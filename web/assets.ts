import { gunzipSync } from "node:zlib";
import generated from "./generated/assets.json" with { type: "json" };
import type { Language } from "./texts/languages.ts";

/** A style sheet, script or image of the pages, in the encodings that it has. */
export interface Asset {
  /** Value of `Content-Type`. */
  readonly type: string;
  /** Whether it is a worker's script, which needs no connection. */
  readonly isWorker?: boolean;
  readonly gzip?: () => Uint8Array<ArrayBuffer>;
  readonly brotli?: () => Uint8Array<ArrayBuffer>;
  readonly plain: () => Uint8Array<ArrayBuffer>;
}

/** The path of all assets. No uploaded file is served below it. */
export const ASSETS_PATH = "/assets/";

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
};

export type AssetName = keyof typeof generated.names;
export type ScriptName = keyof typeof generated.scripts.en;

/** The assets by path. A path contains its content's digest, so it can be cached as `immutable`. */
export const assets: ReadonlyMap<string, Asset> = new Map(
  Object.entries(generated.files).map(([path, file]) => [path, toAsset(path, file)]),
);

/** The path of an asset, from the site's root. */
export const assetPath = (name: AssetName): string => generated.names[name];

/** The path of a script with the texts of a language, from the site's root. */
export const scriptPath = (name: ScriptName, language: Language): string => generated.scripts[language][name];

/** Decodes an asset when it is first requested. */
function toAsset(path: string, { gzip, brotli }: { readonly gzip: string; readonly brotli: string }): Asset {
  return {
    isWorker: /\.worker-[^/]*\.js$/.test(path),
    type: TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    gzip: once(() => decode(gzip)),
    brotli: once(() => decode(brotli)),
    plain: once(() => new Uint8Array(gunzipSync(decode(gzip)))),
  };
}

const decode = (base64: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64, "base64"));

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
