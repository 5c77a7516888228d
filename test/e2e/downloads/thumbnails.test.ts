import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { thumbnailKey } from "../../../src/blobs/store.ts";
import { readWebpSize } from "../../../src/lib/formats/webp.ts";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { putBlob } from "../../blobs/bodies.ts";
import { startRelay } from "../../scan/relay.ts";
import { pngOf, SECRET, turnedJpeg } from "../../support/formats/images.ts";
import type { TestServer } from "../../support/server.ts";
import { startServer } from "../../support/server.ts";
import { clamdMissing, joinClamd } from "../../support/services/clamd.ts";
import { joinSwift, swiftMissing } from "../../support/services/swift.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { clientOf, deleteFile, type Upload, upload } from "../support/api/api.ts";
import { killServerAt } from "../support/servers/crash.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { assertNothingLostOrLeft, audit, cleanUp, findFile, withServerContext } from "../support/servers/server-context.ts";
import { startSponsoring } from "../support/servers/sponsored-server.ts";
import { storedFiles, withDatabase } from "../support/servers/state.ts";
import { type CallPoint, straceMissing } from "../support/servers/strace.ts";
import { untilHealthy } from "../support/shares/scanning.ts";
import { changeLink } from "../support/shares/shares.ts";
import { fetchCard, NO_THUMBNAIL, shownThumbnails, waitForIdle, waitForThumbnail } from "../support/shares/thumbnails.ts";

const NOTHING = { missing: [], orphans: [] };

const sendImage = (server: TestServer, fields: Record<string, string> = {}, key?: string): Promise<Upload> =>
  upload(server, { name: "picture.png", type: "image/png", bytes: pngOf(960, 640), fields }, { ...(key !== undefined && { key }) });

/** thumbnails, "Which files have one", "Where they are", "Who sees them" and "Their URLs". */
describe("thumbnails", () => {
  let server: TestServer;
  let key: string;

  before(async () => {
    server = await startPlainServer();
    ({ key } = await addAccount(server, { tier: "pro" }));
  });

  after(() => server[Symbol.asyncDispose]());

  async function assertNotShown({ shortId, id }: Upload, signedUrl?: string): Promise<void> {
    await waitForIdle(server);
    assert.equal((await fetchCard(server, shortId)).status, 404);
    if (signedUrl !== undefined) assert.ok([403, 404].includes((await fetch(signedUrl)).status), `${id} is not shown`);
  }

  test("are served at a signed URL and as the image of the card, without the image's metadata", async () => {
    const bytes = await turnedJpeg(960, 640);
    const { shortId } = await upload(server, { name: "picture.jpg", type: "image/jpeg", bytes });
    const url = await waitForThumbnail(server, shortId);
    assert.deepEqual(
      (await shownThumbnails(server, shortId)).map(({ thumbnailWidth, thumbnailHeight }) => [thumbnailWidth, thumbnailHeight]),
      [[320, 480]],
    );
    for (const [address, cache] of [
      [url, /^private, max-age=(?:3[6-9]|[4-7]\d)\d\d$/],
      [`${server.url}/d/${shortId}/card.webp`, /^public, max-age=300$/],
    ] as const) {
      const response = await fetch(address);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), "image/webp");
      assert.match(response.headers.get("cache-control") ?? "", cache);
      assert.match(response.headers.get("content-security-policy") ?? "", /^sandbox/);
      const image = new Uint8Array(await response.arrayBuffer());
      assert.deepEqual(readWebpSize(image), { width: 320, height: 480 });
      assert.ok(!Buffer.from(image).includes(SECRET));
      const head = await fetch(address, { method: "HEAD" });
      assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(image.length)]);
    }
    assert.equal(await waitForThumbnail(server, shortId), url, "the URL is the same within the hour");
  });

  test("have URLs that are valid for their file only", async () => {
    const [one, other] = [await sendImage(server), await sendImage(server)];
    const url = new URL(await waitForThumbnail(server, one.shortId));
    await waitForThumbnail(server, other.shortId);
    for (const path of [
      `/thumb/${other.id}${url.search}`,
      `/thumb/${one.id}`,
      `/thumb/${one.id}?e=zzzzzz&s=x`,
      `/dl/${one.id}/x${url.search}&p=d`,
    ])
      assert.equal((await fetch(server.url + path)).status, 403, path);
  });

  /** pages, "Pages are compressed, secrets are not". */
  test("have URLs in compressed lists of random length", async () => {
    const owner = await addAccount(server, {});
    for (const title of ["a", "b", "c", "d"]) {
      const { shortId } = await sendImage(server, { title }, owner.key);
      await waitForThumbnail(server, shortId);
    }
    const list = async () => {
      const response = await fetch(`${server.url}/api/files/list`, {
        headers: { Authorization: `Bearer ${owner.key}`, "Accept-Encoding": "gzip" },
      });
      assert.equal(response.headers.get("content-encoding"), "gzip");
      return await response.text();
    };
    const texts = await Promise.all(Array.from({ length: 8 }, list));
    assert.equal(new Set(texts.map((text) => text.trimEnd())).size, 1);
    assert.ok(new Set(texts.map(({ length }) => length)).size > 1);
    assert.match(texts[0] ?? "", /\/thumb\//);
  });

  test("are not made of a file that only looks like an image, and the attempt is not repeated", async () => {
    const { shortId, id } = await upload(server, { name: "picture.png", type: "image/png", bytes: pngOf(960, 640).subarray(0, 500) });
    await waitForIdle(server);
    assert.deepEqual(await shownThumbnails(server, shortId), [NO_THUMBNAIL]);
    assert.equal(server.logs().filter(({ msg, fileId }) => msg === "no thumbnail" && fileId === id).length, 1);
    assert.equal((await fetchCard(server, shortId)).status, 404);
  });

  test("of a protected share are shown only on its unlocked page, until its protection changes", async () => {
    const file = await sendImage(server, { protect: "true" });
    const url = await waitForThumbnail(server, file.shortId);
    assert.deepEqual(await shownThumbnails(server, file.shortId, { access: { kind: "locked" } }), []);
    assert.equal((await fetch(url)).status, 200);
    await assertNotShown(file);
    await changeLink(server, { fileId: file.id, claimToken: file.claimToken ?? "", protect: true });
    assert.equal((await fetch(url)).status, 403);
  });

  test("of a share with a limit or a price are not shown, also at a URL that was signed before", async () => {
    const limited = await sendImage(server, { maxDownloads: "3" }, key);
    await assertNotShown(limited);
    assert.deepEqual(await shownThumbnails(server, limited.shortId), [NO_THUMBNAIL]);
    const priced = await sendImage(server, {}, key);
    const url = await waitForThumbnail(server, priced.shortId);
    await withDatabase(server, (db) => db.updateTable("shares").set({ price_cents: 100 }).where("short_id", "=", priced.shortId).execute());
    await assertNotShown(priced, url);
    assert.deepEqual(await shownThumbnails(server, priced.shortId), [NO_THUMBNAIL]);
  });

  test("are removed with the bytes of a deleted file, and do not count against a quota", async () => {
    const owner = await addAccount(server);
    const file = await sendImage(server, {}, owner.key);
    const url = await waitForThumbnail(server, file.shortId);
    const { data } = await clientOf(server, owner).call("getMe", {});
    assert.equal(data.storage.usedBytes, file.size);
    const row = await findFile(server, file.id);
    assert.ok(row);
    const ofFile = async (): Promise<string[]> => (await storedFiles(server)).filter((path) => path.includes(row.blob_key));
    assert.deepEqual(await ofFile(), [`blobs/${row.blob_key}`, `blobs/${thumbnailKey(row.blob_key)}`]);
    await deleteFile(server, { fileId: file.id }, owner);
    await assertNotShown(file, url);
    await until("the bytes are removed", async () => (await ofFile()).length === 0);
    assert.deepEqual(await audit(server), NOTHING);
  });

  test("end when the share expires or is taken down, or its file is put on the blocklist or scanned again", async () => {
    const [expired, takenDown, rescanned, blocked] = [
      await sendImage(server),
      await sendImage(server),
      await sendImage(server),
      await sendImage(server),
    ];
    const urls = new Map<Upload, string>();
    for (const file of [expired, takenDown, rescanned, blocked]) urls.set(file, await waitForThumbnail(server, file.shortId));
    await withDatabase(server, async (db) => {
      await db.updateTable("shares").set({ expires_at: Date.now() }).where("short_id", "=", expired.shortId).execute();
      await db.updateTable("files").set({ scan_status: "pending" }).where("id", "=", rescanned.id).execute();
    });
    assert.equal((await server.run(["takedown", takenDown.shortId])).code, 0);
    for (const change of ["add", "remove"]) assert.equal((await server.run(["blocklist", change, blocked.sha256 ?? ""])).code, 0);
    for (const [file, url] of urls) await assertNotShown(file, url);
  });

  test("without a row are orphans, which the cleanup removes", async () => {
    const { shortId, id } = await sendImage(server);
    await waitForThumbnail(server, shortId);
    const strayKey = thumbnailKey("0123456789abcdef0123456789abcdef");
    await withServerContext(server, ({ blobs }) => putBlob(blobs, new Uint8Array(3), strayKey));
    assert.deepEqual(await audit(server), { missing: [], orphans: [{ key: strayKey, where: "visible" }] });
    assert.equal((await cleanUp(server)).orphans, 1);
    assert.deepEqual(await audit(server), NOTHING);
    assert.equal((await fetchCard(server, shortId)).status, 200, id);
  });
});

/** thumbnails, "Their URLs". */
test("a page with thumbnails allows images from the content address", async () => {
  const content = "http://content.example:8080/bytes";
  await using server = await startPlainServer({ FILEHOST_CONTENT_URL: content });
  const [image, note] = [await sendImage(server), await upload(server, { bytes: "hello" })];
  const [shown] = await until("the thumbnail is made", async () => {
    const row = await findFile(server, image.id);
    return row !== undefined && row.thumbnail_bytes !== null && (await shownThumbnails(server, image.shortId, { contentUrl: content }));
  });
  assert.ok(shown?.thumbnailUrl?.startsWith(`${content}/thumb/${image.id}?e=`), shown?.thumbnailUrl ?? "none");
  const imagesOf = async ({ shortId }: Upload): Promise<string[]> => {
    const policy = (await fetch(`${server.url}/d/${shortId}`)).headers.get("content-security-policy") ?? "";
    return [...policy.matchAll(/img-src ([^;,]*)/g)].map(([, sources = ""]) => sources);
  };
  assert.deepEqual(await imagesOf(image), Array(2).fill(`'self' data: ${content}/thumb/ ${content}/pv/`));
  assert.deepEqual(await imagesOf(note), Array(2).fill("'self' data:"));
});

/** thumbnails, "Who sees them". */
test("recipients who have to wait before a download see no thumbnail", async () => {
  await using server = await startSponsoring("<p>A sponsor</p>", { FILEHOST_DOWNLOAD_WAIT: "30" });
  const { shortId } = await sendImage(server);
  await waitForThumbnail(server, shortId);
  assert.deepEqual(await shownThumbnails(server, shortId, { isWaiting: true }), [NO_THUMBNAIL]);
  assert.equal((await fetchCard(server, shortId)).status, 404);
});

/** thumbnails, "Which files have one". */
test("FILEHOST_THUMBNAILS=off makes no thumbnail and shows none", async () => {
  await using server = await startPlainServer();
  const made = await sendImage(server);
  const { pathname, search } = new URL(await waitForThumbnail(server, made.shortId));
  await server.restart({ env: { FILEHOST_THUMBNAILS: "off" } });
  const unmade = await sendImage(server);
  await waitForIdle(server);
  assert.equal((await findFile(server, unmade.id))?.thumbnail_bytes, null);
  for (const { shortId } of [made, unmade]) assert.equal((await fetchCard(server, shortId)).status, 404);
  assert.equal((await fetch(server.url + pathname + search)).status, 404);
});

/** thumbnails, "Which files have one". */
test("an image has a thumbnail only after its scan", { skip: clamdMissing }, async () => {
  const clamd = await joinClamd();
  await using relay = await startRelay(clamd.unix);
  await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
  await untilHealthy(server);
  relay.holdResponses(true);
  const { shortId, id } = await sendImage(server);
  await until("the scan waits", async () => (await findFile(server, id))?.scan_status === "scanning");
  assert.equal((await findFile(server, id))?.thumbnail_bytes, null);
  assert.equal((await fetchCard(server, shortId)).status, 404);
  relay.holdResponses(false);
  assert.equal((await fetch(await waitForThumbnail(server, shortId))).status, 200);
});

/** thumbnails, "Where they are". */
test("a server that was killed while it made a thumbnail makes it after its restart", {
  skip: clamdMissing ?? straceMissing,
}, async (t) => {
  const clamd = await joinClamd();
  await using relay = await startRelay(clamd.unix);
  await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
  const points: Record<string, (leaf: string) => CallPoint> = {
    "before the thumbnail is stored": () => ({ call: "rename", when: 1 }),
    "before its folder is durable, and its size recorded": (leaf) => ({ call: "fsync", when: 1, path: leaf }),
  };
  for (const [when, pointOf] of Object.entries(points)) {
    await t.test(`killed ${when}`, async () => {
      await untilHealthy(server);
      relay.holdResponses(true);
      const { shortId, id } = await sendImage(server);
      const { blob_key } = await until("the scan waits", async () => {
        const row = await findFile(server, id);
        return row?.scan_status === "scanning" && row;
      });
      const leaf = join(server.dataDir, "blobs", blob_key.slice(0, 2), blob_key.slice(2, 4));
      await killServerAt(server, pointOf(leaf), async () => relay.holdResponses(false));
      assert.equal((await fetch(await waitForThumbnail(server, shortId))).status, 200);
      await waitForIdle(server);
      await assertNothingLostOrLeft(server);
    });
  }
});

/** thumbnails, "Where they are". */
test("thumbnails are in the bucket of a server on S3, and removed with their files", { skip: swiftMissing }, async () => {
  await using server = await startOnS3(await joinSwift());
  const file = await sendImage(server);
  const card = await until("the thumbnail is made", async () => {
    const response = await fetchCard(server, file.shortId);
    return response.status === 200 ? response : undefined;
  });
  assert.deepEqual(readWebpSize(new Uint8Array(await card.arrayBuffer())), { width: 480, height: 320 });
  assert.deepEqual(await audit(server), NOTHING);
  await deleteFile(server, { fileId: file.id, token: file.deletionToken });
  await until("the bytes are removed", async () => (await cleanUp(server)) && (await findFile(server, file.id))?.blob_state === "removed");
  assert.deepEqual(await audit(server), NOTHING);
});
