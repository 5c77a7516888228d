import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";
import generated from "../generated/assets.json" with { type: "json" };
import type { Language } from "../texts/languages.ts";

/** A style sheet, script or image of the pages, in its encodings. */
export interface Asset {
  /** The value of `Content-Type`. */
  readonly type: string;
  /** Whether the asset is a worker's script, which needs no connection. */
  readonly isWorker?: boolean;
  readonly gzip?: () => Promise<AssetBytes>;
  readonly brotli?: () => Promise<AssetBytes>;
  readonly plain: () => Promise<AssetBytes>;
}

type AssetBytes = Uint8Array<ArrayBuffer>;

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
export const assets: ReadonlyMap<string, Asset> = new Map(generated.paths.map((path) => [path, toAsset(path)]));

/** Returns the path of an asset, from the site's root. */
export const assetPath = (name: AssetName): string => generated.names[name];

/** Returns the path of a script with the texts of a language, from the site's root. */
export const scriptPath = (name: ScriptName, language: Language): string => generated.scripts[language][name];

/** Makes an asset that creates each encoding at its first request. Until a page is opened, no encoding takes memory. */
function toAsset(path: string): Asset {
  const brotli = once(async () => new Uint8Array(Buffer.from((await loadFiles())[path] ?? "", "base64")));
  const plain = once(async () => new Uint8Array(await promisify(brotliDecompress)(await brotli())));
  return {
    isWorker: /\.worker-[^/]*\.js$/.test(path),
    type: TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    gzip: once(async () => new Uint8Array(await promisify(gzip)(await plain(), { level: 9 }))),
    brotli,
    plain,
  };
}

async function loadFiles(): Promise<Readonly<Record<string, string>>> {
  return (await import("../generated/asset-files.json", { with: { type: "json" } })).default;
}

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
