import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { assetPath, assets, scriptPath } from "../../web/site/assets.ts";
import { THEME_COLORS } from "../../web/site/layout.tsx";
import { contrast } from "./contrast.ts";

const CSS = ["site/tokens.css", "site/style.css"]
  .map((path) => readFileSync(new URL(`../../web/${path}`, import.meta.url), "utf8"))
  .join("\n");
const [lightBlock = "", darkBlock = ""] = [...CSS.matchAll(/:root \{(.*?)\}/gs)].map((match) => match[1] ?? "");
const TEXT_RATIO = 4.5;
const SHAPE_RATIO = 3;

/** Colors, their backgrounds and the required contrast (WCAG 2.2: 1.4.3 for text, 1.4.11 for edges and rings). */
const PAIRS: readonly (readonly [front: string, backs: readonly string[], ratio: number])[] = [
  ["text", ["page", "surface", "sunken", "good-back", "note-back", "bad-back", "wait-back"], TEXT_RATIO],
  ["quiet", ["page", "surface", "sunken"], TEXT_RATIO],
  ["accent", ["page", "surface", "sunken"], TEXT_RATIO],
  ["accent-hover", ["page", "surface", "sunken"], TEXT_RATIO],
  ["on-accent", ["accent", "accent-hover"], TEXT_RATIO],
  ["good", ["good-back"], TEXT_RATIO],
  ["note", ["note-back"], TEXT_RATIO],
  ["bad", ["bad-back", "surface"], TEXT_RATIO],
  ["wait", ["wait-back", "surface"], TEXT_RATIO],
  ["media", ["media-back"], TEXT_RATIO],
  ["surface", ["bad", "text"], TEXT_RATIO],
  ["edge", ["surface", "sunken"], SHAPE_RATIO],
  ["quiet", ["line"], SHAPE_RATIO],
];

for (const [scheme, block] of [
  ["light", lightBlock],
  ["dark", darkBlock],
] as const) {
  const colors = new Map([...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map((match) => [match[1] ?? "", match[2] ?? ""]));

  test(`${scheme}: texts and shapes have enough contrast with their background`, () => {
    for (const [front, backs, ratio] of PAIRS) {
      for (const back of backs) {
        const reached = contrast(getColor(front), getColor(back));
        assert.ok(reached >= ratio, `${front} on ${back}: ${reached.toFixed(2)}, wanted ${ratio}`);
      }
    }
  });

  test(`${scheme}: the browser's frame has the page's color`, () => {
    assert.equal(getColor("page"), THEME_COLORS[scheme]);
  });

  function getColor(name: string): string {
    const color = colors.get(name);
    assert.ok(color, `no color --${name}`);
    return color;
  }
}

test("the compressed style and scripts are small", async () => {
  const sizes = new Map(await Promise.all([...assets].map(async ([path, { brotli }]) => [path, (await brotli?.())?.length] as const)));
  const bytes = (...paths: string[]) => paths.reduce((sum, path) => sum + (sizes.get(path) ?? Number.NaN), 0);
  assert.ok(bytes(assetPath("style")) < 6.5 * 1024, `style: ${bytes(assetPath("style"))} bytes`);
  assert.ok(bytes(scriptPath("page", "en")) < 4 * 1024, `page: ${bytes(scriptPath("page", "en"))} bytes`);
  assert.ok(bytes(scriptPath("send", "en")) < 14 * 1024, `send: ${bytes(scriptPath("send", "en"))} bytes`);
  const library = [...assets.keys()].filter((path) => path.endsWith(".mjs"));
  assert.ok(bytes(...library) < 440 * 1024, `what only the frame of a PDF loads: ${bytes(...library)} bytes`);
  const images = [...assets].filter(([, { type }]) => type === "image/png").map(([path]) => path);
  assert.ok(bytes(...images) < 24 * 1024, `icons: ${bytes(...images)} bytes`);
});

test("each asset has three encodings", async () => {
  for (const { plain, gzip, brotli } of assets.values()) {
    const bytes = Buffer.from(await plain());
    assert.ok(bytes.equals(gunzipSync((await gzip?.()) ?? "")));
    assert.ok(bytes.equals(brotliDecompressSync((await brotli?.()) ?? "")));
  }
});

test("scripts are loaded by the paths at which they are served", async () => {
  // A library is served as it was published, and loads nothing itself.
  const scripts = [...assets].flatMap(([path, asset]) => (path.endsWith(".js") ? [asset] : []));
  const texts = await Promise.all(scripts.map(async ({ plain }) => Buffer.from(await plain()).toString()));
  const imported = texts.flatMap((text) => [...text.matchAll(/(?:import\(|from|import)"([^"]+)"/g)].map(([, path = ""]) => path));
  assert.ok(imported.length > 0);
  for (const path of imported) assert.ok(assets.has(path), path);
});

test("the style loads no other file", async () => {
  assert.doesNotMatch(Buffer.from((await assets.get(assetPath("style"))?.plain()) ?? []).toString(), /url\(|@import/);
});
