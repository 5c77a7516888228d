import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readWebpSize } from "../../../src/lib/formats/webp.ts";
import { pngOf } from "../../support/formats/images.ts";
import type { TestServer } from "../../support/server.ts";
import { joinSwift, swiftMissing } from "../../support/services/swift.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { clientOf, deleteFile, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { audit, cleanUp, findFile } from "../support/servers/server-context.ts";
import { storedFiles, withDatabase } from "../support/servers/state.ts";
import { waitForThumbnail } from "../support/shares/thumbnails.ts";

const NOTHING = { missing: [], orphans: [] };

const fixture = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(join(import.meta.dirname, "../../support/formats/images", name)));

/** previews, "Images"; thumbnails, "Where they are". */
describe("reduced images", () => {
  let server: TestServer;
  let owner: Awaited<ReturnType<typeof addAccount>>;
  let photo: Uint8Array<ArrayBuffer>;

  before(async () => {
    server = await startPlainServer();
    owner = await addAccount(server, { tier: "pro" });
    photo = new Uint8Array(await new Bun.Image(pngOf(4000, 3000)).jpeg({ quality: 95 }).bytes());
  });

  after(() => server[Symbol.asyncDispose]());

  const sendPhoto = (fields: Record<string, string> = {}): Promise<Upload> =>
    upload(server, { name: "photo.jpg", type: "image/jpeg", bytes: photo, fields }, { key: owner.key });

  /** The configured URL has the port of the first start. */
  const atServer = (url: string): string => {
    const { pathname, search } = new URL(url);
    return server.url + pathname + search;
  };

  const pageOf = async ({ sharePath }: Upload): Promise<string> => await (await fetch(server.url + sharePath)).text();

  /** The different URLs of previews on a page. */
  const urlsIn = (html: string): readonly string[] => [
    ...new Set([...html.matchAll(/(?:src|href)="([^"]*\/pv\/[^"]*)"/g)].map(([, url = ""]) => atServer(url.replaceAll("&amp;", "&")))),
  ];

  async function reducedUrlOf(file: Upload): Promise<string> {
    await waitForThumbnail(server, file.shortId);
    return urlsIn(await pageOf(file)).find((url) => url.endsWith("&reduced=1")) ?? assert.fail("no reduced image");
  }

  test("are shown in place of a photo of 12 megapixels, in their size, above a placeholder and with a link to the original", async () => {
    const file = await sendPhoto();
    const url = await reducedUrlOf(file);
    const html = await pageOf(file);
    assert.match(html, /<img src="[^"]*reduced=1" width="1600" height="1200" alt="[^"]*photo.jpg"/);
    assert.match(html, /<svg class="placeholder" [^>]*><image href="data:image\/png;base64,/);
    const response = await fetch(url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "image/webp"]);
    assert.equal(response.headers.get("cache-control"), "private, no-store");
    assert.equal(response.headers.get("content-security-policy"), "sandbox; default-src 'none'");
    assert.deepEqual(readWebpSize(bytes), { width: 1600, height: 1200 });
    assert.ok(bytes.length < photo.length / 2, `${bytes.length} of ${photo.length} bytes`);
    const head = await fetch(url, { method: "HEAD" });
    assert.equal(head.headers.get("content-length"), String(bytes.length));
    const original = urlsIn(html).find((other) => !other.endsWith("&reduced=1")) ?? assert.fail("no link to the original");
    assert.deepEqual(new Uint8Array(await (await fetch(original)).arrayBuffer()), photo);
    const { data } = await clientOf(server, owner).call("getFile", { fileId: file.id });
    const { url: shown, originalUrl, ...preview } = data.preview ?? assert.fail();
    assert.match(shown, /&reduced=1$/);
    assert.ok(originalUrl && !originalUrl.includes("reduced"));
    assert.deepEqual([preview.kind, preview.width, preview.height], ["image", 1600, 1200]);
    assert.match(preview.placeholder ?? "", /^data:image\/png;base64,/);
  });

  test("make previews of HEIC images, whose originals browsers do not show", async () => {
    const file = await upload(server, { name: "a.heic", type: "image/heic", bytes: fixture("plain.heic") });
    assert.deepEqual(readWebpSize(new Uint8Array(await (await fetch(await reducedUrlOf(file))).arrayBuffer())), { width: 160, height: 80 });
    assert.equal(urlsIn(await pageOf(file)).length, 1, "no link to the original");
  });

  test("are not made of small images and animations, whose originals have their size on the page", async () => {
    for (const [name, type, bytes] of [
      ["a.png", "image/png", pngOf(300, 200)],
      ["a.avif", "image/avif", fixture("plain.avif")],
      ["a.webp", "image/webp", fixture("moving.webp")],
    ] as const) {
      const file = await upload(server, { name, type, bytes });
      await waitForThumbnail(server, file.shortId);
      const html = await pageOf(file);
      assert.match(html, name === "a.png" ? /width="300" height="200"/ : /width="160" height="80"/);
      const [url = "", ...others] = urlsIn(html);
      assert.deepEqual(others, [], name);
      assert.equal((await fetch(`${url}&reduced=1`)).status, 404, name);
    }
  });

  const ends: Readonly<Record<string, (file: Upload) => Promise<unknown>>> = {
    "takedown, 404": (file) => server.run(["takedown", file.shortId]),
    "expiry, 404": (file) =>
      withDatabase(server, (db) =>
        db
          .updateTable("shares")
          .set({ expires_at: Date.now() - 1 })
          .where("short_id", "=", file.shortId)
          .execute(),
      ),
    "protection, 403": (file) => clientOf(server, owner).call("updateShareSettings", { fileId: file.id, protect: true }),
    "malware, 404": async ({ sha256 }) => {
      for (const change of ["add", "remove"]) await server.run(["blocklist", change, sha256 ?? ""]);
    },
  };
  for (const [name, end] of Object.entries(ends))
    test(`end with ${name}`, async () => {
      const file = await sendPhoto();
      const url = await reducedUrlOf(file);
      await end(file);
      assert.equal((await fetch(url)).status, Number(name.slice(-3)));
      assert.ok(!(await pageOf(file)).includes("reduced=1"));
    });

  test("count against no quota, and are removed with their file", async () => {
    const other = await addAccount(server);
    const file = await upload(server, { name: "photo.jpg", type: "image/jpeg", bytes: photo }, { key: other.key });
    await waitForThumbnail(server, file.shortId);
    assert.equal((await clientOf(server, other).call("getMe", {})).data.storage.usedBytes, photo.length);
    const row = (await findFile(server, file.id)) ?? assert.fail();
    const ofFile = async (): Promise<string[]> => (await storedFiles(server)).filter((path) => path.includes(row.blob_key));
    assert.deepEqual(
      await ofFile(),
      ["", "r", "t"].map((suffix) => `blobs/${row.blob_key}${suffix}`),
    );
    assert.deepEqual(await audit(server), NOTHING);
    await deleteFile(server, { fileId: file.id }, other);
    await until("the bytes are removed", async () => (await ofFile()).length === 0);
    assert.deepEqual(await audit(server), NOTHING);
  });
});

/** thumbnails, "Where they are". */
test("reduced images are in the bucket of a server on S3, and removed with their files", { skip: swiftMissing }, async () => {
  await using server = await startOnS3(await joinSwift());
  const file = await upload(server, { name: "a.heic", type: "image/heic", bytes: fixture("plain.heic") });
  const row = await until("the images are made", async () => {
    const found = await findFile(server, file.id);
    return found?.thumbnail_bytes == null ? undefined : found;
  });
  assert.ok(row.reduced_bytes);
  assert.deepEqual(await audit(server), NOTHING);
  await deleteFile(server, { fileId: file.id, token: file.deletionToken });
  await until("the bytes are removed", async () => (await cleanUp(server)) && (await findFile(server, file.id))?.blob_state === "removed");
  assert.deepEqual(await audit(server), NOTHING);
});
