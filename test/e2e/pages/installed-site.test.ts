import assert from "node:assert/strict";
import { copyFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../support/folder.ts";
import { pngOf } from "../../support/formats/images.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const PNG = resolve(import.meta.dirname, "../../../web/site/icons/icon-512.png");
const WEBP = resolve(import.meta.dirname, "../../../docs/images/front-page.webp");

interface Manifest {
  readonly id: string;
  readonly name: string;
  readonly short_name: string;
  readonly start_url: string;
  readonly display: string;
  readonly icons: readonly { readonly src: string; readonly sizes: string; readonly type: string; readonly purpose?: string }[];
  readonly share_target: { readonly action: string; readonly params: { readonly files: readonly { readonly name: string }[] } };
}

const open = (url: string): Promise<Response> => fetch(url, { headers: { Accept: "text/html" } });

async function readManifest(server: { readonly url: string }): Promise<{ manifest: Manifest; html: string }> {
  const html = await (await open(server.url)).text();
  const [, path = ""] = /<link rel="manifest" href="([^"]+)"/.exec(html) ?? [];
  const response = await fetch(server.url + path);
  assert.equal(response.headers.get("content-type"), "application/manifest+json");
  return { manifest: (await response.json()) as Manifest, html };
}

/** pages, "The installed site". */
test("the site has a manifest whose icons load in their sizes", async () => {
  await using server = await startPlainServer();
  const { manifest, html } = await readManifest(server);
  assert.deepEqual([manifest.id, manifest.start_url, manifest.display, manifest.name], ["/", "/", "standalone", "filehost"]);
  assert.deepEqual(
    manifest.icons.map(({ sizes, purpose }) => [sizes, purpose]),
    [
      ["192x192", undefined],
      ["512x512", undefined],
      ["512x512", "maskable"],
    ],
  );
  const [, touchIcon = ""] = /<link rel="apple-touch-icon" href="([^"]+)"/.exec(html) ?? [];
  for (const { src, sizes, type } of [...manifest.icons, { src: touchIcon, sizes: "180x180", type: "image/png" }]) {
    const icon = await fetch(server.url + src);
    assert.equal(icon.headers.get("content-type"), type);
    const bytes = Buffer.from(await icon.arrayBuffer());
    assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
  }
});

test("the site has the administrator's name, and the logo where systems accept it as an icon", async () => {
  await using folder = await makeFolder();
  const read = async (name: string): Promise<{ manifest: Manifest; html: string }> => {
    await using server = await startPlainServer({ FILEHOST_NAME: 'Ann\'s "files"', FILEHOST_LOGO: join(folder.path, name) });
    return await readManifest(server);
  };
  await writeFile(join(folder.path, "logo.svg"), `<svg xmlns="http://www.w3.org/2000/svg"/>`);
  await writeFile(join(folder.path, "small.png"), pngOf(191, 191));
  await writeFile(join(folder.path, "wide.png"), pngOf(400, 192));
  await copyFile(PNG, join(folder.path, "logo.png"));
  await copyFile(WEBP, join(folder.path, "logo.webp"));

  const svg = await read("logo.svg");
  assert.equal(svg.manifest.name, 'Ann\'s "files"');
  assert.deepEqual(
    svg.manifest.icons.map(({ src, ...icon }) => ({ ...icon, isLogo: src.includes("/logo-") })),
    [{ sizes: "any", type: "image/svg+xml", isLogo: true }],
  );
  assert.doesNotMatch(svg.html, /apple-touch-icon/);
  const png = await read("logo.png");
  assert.deepEqual(
    png.manifest.icons.map(({ sizes }) => sizes),
    ["512x512"],
  );
  assert.match(png.html, /apple-touch-icon" href="\/assets\/logo-/);
  for (const name of ["small.png", "wide.png", "logo.webp"]) assert.equal((await read(name)).manifest.icons.length, 3, name);
});

test("serves the service worker without a cache and without rights to load anything", async () => {
  await using server = await startPlainServer();
  const { headers } = await fetch(`${server.url}/service-worker.js`);
  assert.match(headers.get("content-type") ?? "", /^text\/javascript/);
  assert.equal(headers.get("cache-control"), "no-cache");
  assert.equal(headers.get("content-security-policy"), "default-src 'none'");
});

test("stores a shared file without the service worker", async () => {
  await using server = await startPlainServer();
  const { manifest } = await readManifest(server);
  const form = new FormData();
  form.append("title", "");
  form.append("text", "From the gallery");
  form.append(manifest.share_target.params.files[0]?.name ?? "", new File(["bytes"], "photo.jpg"));
  const response = await fetch(server.url + manifest.share_target.action, { method: "POST", body: form, headers: { Accept: "text/html" } });
  assert.equal(response.status, 200);
  assert.match(await response.text(), /\/d\/\w{8}[\s\S]*<bdi>photo</);
});
