/**
 * Bundles the scripts and styles of the pages, in each language: web/generated/assets.json has their paths, asset-files.json their bytes, compressed.
 * Does nothing if these files are newer than their sources.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { BunPlugin } from "bun";
import { LANGUAGES, type Language } from "../web/texts/languages.ts";

const root = resolve(import.meta.dirname, "..");
const web = join(root, "web");
/** The folders with what scripts of pages import. */
const SOURCES = [web, ...["contract", "lib", "transfer"].map((name) => join(root, "src", name))];
const target = join(web, "generated/assets.json");
const filesTarget = join(web, "generated/asset-files.json");

/** The scripts that pages load. They load their imports. */
const SCRIPTS = {
  page: join(web, "site/browser/page/page.ts"),
  docs: join(web, "docs/browser/docs.browser.js"),
  send: join(web, "home/browser/main.tsx"),
  pdf: join(web, "preview/browser/pdf.browser.js"),
  shares: join(web, "shares/browser/main.ts"),
  files: join(web, "files/browser/main.tsx"),
  request: join(web, "requests/browser/main.tsx"),
  ownRequests: join(web, "requests/browser/own-requests.tsx"),
  install: join(web, "site/browser/install.ts"),
};
/** The scripts of workers. Other scripts contain their paths. */
const DIGEST_WORKER = join(web, "site/browser/upload/digest.worker.ts");
const DECRYPT_WORKER = join(web, "share/browser/decrypt/decrypt.worker.ts");
const ENCRYPT_WORKER = join(web, "site/browser/upload/encryption/encrypt.worker.ts");
/** The style of the sender's bar. The bar's script contains its path, and loads it. */
const SENDER_BAR_STYLE = join(web, "share/sender-bar.css");
/** The style of the dialog for previews. The dialog's script contains its path, and loads it. */
const VIEWER_STYLE = join(web, "share/viewer.css");
const pdfjs = join(root, "node_modules/pdfjs-dist/build");
const FILES = {
  style: join(web, "site/style.css"),
  "docs-style": join(web, "docs/docs.css"),
  icon: join(web, "site/icons/icon.svg"),
  icon192: join(web, "site/icons/icon-192.png"),
  icon512: join(web, "site/icons/icon-512.png"),
  iconMaskable: join(web, "site/icons/maskable-512.png"),
  touchIcon: join(web, "site/icons/touch-180.png"),
  serviceWorker: join(web, "site/browser/service-worker.ts"),
  senderBarSpace: join(web, "share/browser/sender-bar/reserve.ts"),
  preview: join(web, "preview/preview.css"),
  "decrypted-frame": join(web, "preview/browser/decrypted-frame.ts"),
  gallery: join(web, "share/gallery.css"),
  signedIn: join(web, "site/signed-in.css"),
  dashboard: join(web, "site/dashboard.css"),
  requests: join(web, "requests/requests.css"),
  consent: join(web, "account/consent/consent.css"),
  "mcp-style": join(web, "mcp/mcp.css"),
  // The script of a PDF's frame loads this library. It is copied as published, because it is minified and the same in each language.
  "pdf-library": join(pdfjs, "pdf.min.mjs"),
  "pdf-worker": join(pdfjs, "pdf.worker.min.mjs"),
};
/** The extensions of the files that are bundled, with the extensions of the results. */
const BUNDLED: Readonly<Record<string, string>> = { ".css": ".css", ".ts": ".js" };
const ASSETS_PATH = "/assets/";

/** The bytes by path, compressed with Brotli, in Base64. */
const files: Record<string, string> = {};

async function isStale(): Promise<boolean> {
  const builtMs = Math.min(await modifiedMs(target), await modifiedMs(filesTarget));
  const folders = await Promise.all(
    SOURCES.map(async (folder) => (await readdir(folder, { recursive: true })).map((path) => join(folder, path))),
  );
  const sources = folders.flat().filter((path) => !path.startsWith(join(web, "generated")));
  const times = await Promise.all([...sources, import.meta.path, join(root, "bun.lock")].map(modifiedMs));
  return times.some((timeMs) => timeMs > builtMs);
}

const modifiedMs = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

const BROWSER: Partial<Bun.BuildConfig> = {
  root: web,
  target: "browser",
  splitting: true,
  minify: true,
  publicPath: ASSETS_PATH,
  naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]" },
};

/** Bundles a worker's script, which has no texts, and returns its path. */
async function bundleWorker(source: string): Promise<string> {
  const { outputs } = await Bun.build({ ...BROWSER, entrypoints: [source], splitting: false });
  const [output] = outputs;
  if (!output) throw new Error("The worker was not bundled.");
  add(toPath(output.path), new Uint8Array(await output.arrayBuffer()));
  return toPath(output.path);
}

/** Paths of assets that scripts load. */
interface ScriptPaths {
  readonly digestWorker: string;
  readonly decryptWorker: string;
  readonly encryptWorker: string;
  readonly senderBarStyle: string;
  readonly viewerStyle: string;
}

/** Bundles the scripts in a language, and returns their paths. Their texts are the imports from `#texts/`. */
async function bundleScripts(language: Language, assetPaths: ScriptPaths): Promise<Record<string, string>> {
  const { outputs, metafile } = await Bun.build({
    ...BROWSER,
    metafile: true,
    entrypoints: Object.values(SCRIPTS),
    define: {
      DIGEST_WORKER: JSON.stringify(assetPaths.digestWorker),
      DECRYPT_WORKER: JSON.stringify(assetPaths.decryptWorker),
      ENCRYPT_WORKER: JSON.stringify(assetPaths.encryptWorker),
      SENDER_BAR_STYLE: JSON.stringify(assetPaths.senderBarStyle),
      VIEWER_STYLE: JSON.stringify(assetPaths.viewerStyle),
    },
    plugins: [resolveTexts(language)],
  });
  for (const output of outputs) add(toPath(output.path), new Uint8Array(await output.arrayBuffer()));
  // The outputs are in another order than the entry points.
  const paths = new Map(Object.entries(metafile?.outputs ?? {}).map(([path, { entryPoint }]) => [resolve(root, entryPoint ?? ""), path]));
  return Object.fromEntries(
    Object.entries(SCRIPTS).map(([name, source]) => {
      const path = paths.get(source);
      if (path === undefined) throw new Error(`The script ${name} was not bundled.`);
      return [name, toPath(path)];
    }),
  );
}

const toPath = (outputPath: string): string => ASSETS_PATH + outputPath.slice(outputPath.lastIndexOf("/") + 1);

/** Matches an import from the texts of an area. */
const TEXTS_IMPORT = /import \{([^}]*)\} from "#texts\/([\w-]+)";/g;

/**
 * Resolves the texts of an area in a language. Each export that a script imports is a separate module, so that a chunk has the texts of its scripts,
 * and not of all scripts that use the area.
 */
function resolveTexts(language: Language): BunPlugin {
  return {
    name: "resolve-texts",
    setup(build) {
      build.onLoad({ filter: /\/web\/[\w-]+\/browser\/.*\.(tsx?|js)$/ }, async ({ path }) => ({
        loader: path.endsWith(".tsx") ? "tsx" : "ts",
        contents: (await Bun.file(path).text()).replace(TEXTS_IMPORT, (_, names: string, area: string) => importEach(names, area)),
      }));
      build.onResolve({ filter: /^#texts\// }, ({ path }) => ({ path: path.slice("#texts/".length), namespace: "texts" }));
      build.onLoad({ filter: /\//, namespace: "texts" }, async ({ path }) => {
        const [area = "", name = ""] = path.split("/");
        const { common, exports } = await readTexts(join(web, area, "texts", `${language}.ts`));
        return { loader: "ts", contents: `${common}\n${exports.get(name)}` };
      });
    },
  };
}

/**
 * Splits an import of names, such as `send as texts`, into imports from the module of each export. The result is one line, so that the lines of
 * errors match the source.
 */
const importEach = (names: string, area: string): string =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => `import { ${name} } from "#texts/${area}/${name.split(" ")[0]}";`)
    .join(" ");

/** Reads the exports of an area's texts by name, and the code before and between them: imports and functions. */
async function readTexts(file: string): Promise<{ readonly common: string; readonly exports: ReadonlyMap<string, string> }> {
  const source = (await Bun.file(file).text()).replace(
    / from "(\.[^"]+)"/g,
    (_, path: string) => ` from ${JSON.stringify(resolve(file, "..", path))}`,
  );
  const exports = new Map<string, string>();
  const common = source.replace(/^export const (\w+)[^\n]*;$|^export const (\w+)[\s\S]*?^};$/gm, (text, short?: string, long?: string) => {
    exports.set(short ?? long ?? "", text);
    return "";
  });
  return { common, exports };
}

/** Adds a file whose path contains its digest, and returns the path. */
async function addFile(name: string, source: string): Promise<string> {
  const extension = source.slice(source.lastIndexOf("."));
  const bundled = BUNDLED[extension];
  const bytes = bundled === undefined ? await Bun.file(source).bytes() : await bundleFile(source);
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const path = `${ASSETS_PATH}${name}-${digest}${bundled ?? extension}`;
  add(path, bytes);
  return path;
}

async function bundleFile(source: string): Promise<Uint8Array> {
  const { outputs } = await Bun.build({ entrypoints: [source], target: "browser", minify: true });
  return new Uint8Array((await outputs[0]?.arrayBuffer()) ?? []);
}

/** Adds the bytes of a path. Two languages may add the same script without texts. Throws if the bytes differ. */
function add(path: string, bytes: Uint8Array): void {
  const compressed = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }).toString(
    "base64",
  );
  const known = files[path];
  if (known !== undefined && known !== compressed) throw new Error(`Two files have the path ${path}.`);
  files[path] = compressed;
}

if (await isStale()) {
  const paths = {
    digestWorker: await bundleWorker(DIGEST_WORKER),
    decryptWorker: await bundleWorker(DECRYPT_WORKER),
    encryptWorker: await bundleWorker(ENCRYPT_WORKER),
    senderBarStyle: await addFile("sender-bar", SENDER_BAR_STYLE),
    viewerStyle: await addFile("viewer", VIEWER_STYLE),
  };
  const scripts = Object.fromEntries(
    await Promise.all(LANGUAGES.map(async (language) => [language, await bundleScripts(language, paths)])),
  );
  const names = Object.fromEntries(await Promise.all(Object.entries(FILES).map(async ([name, path]) => [name, await addFile(name, path)])));
  await mkdir(join(web, "generated"), { recursive: true });
  await Bun.write(filesTarget, JSON.stringify(files));
  await Bun.write(target, JSON.stringify({ scripts, names, paths: Object.keys(files) }));
}
