import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openS3Store } from "../../../src/blobs/s3/s3-store.ts";
import { makeFolder } from "../../support/folder.ts";
import { unzipMissing } from "../../support/formats/unzip.ts";
import type { TestServer } from "../../support/server.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, authorize, clientOf, deleteFile, signedUrl, upload } from "../support/api/api.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { audit } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { addWebhook } from "../support/shares/webhooks.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { toPdf } from "../support/uploads/pdf.ts";
import { putFile } from "../support/uploads/transfers.ts";

/** storage, "Downloads from an S3 store"; addresses, "The content host"; previews, "Signed URLs": how files in a bucket are downloaded. */
describeUnless(swiftMissing, "downloads from a server on S3", () => {
  let swift: TestSwift;
  let server: TestServer;
  before(async () => {
    swift = await joinSwift();
    server = await startOnS3(swift, { env: { FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" } });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
  });

  const bytesOf = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    assert.ok(response.ok, `${response.status}`);
    return { status: response.status, headers: response.headers, sha256: sha256(new Uint8Array(await response.arrayBuffer())) };
  };

  test("a download is redirected to the store for one minute, with the headers that the server itself would send", async () => {
    const bytes = someBytes(2 * MB, 5);
    const file = await upload(server, { name: "Übung 1.bin", type: "application/octet-stream", bytes });
    const url = await signedUrl(server, file.id);
    const redirect = await fetch(url, { redirect: "manual" });
    assert.equal(redirect.status, 302);
    assert.match(redirect.headers.get("cache-control") ?? "", /no-store/);
    const location = new URL(redirect.headers.get("location") ?? "");
    assert.equal(location.origin, swift.endpoint);
    assert.equal(location.searchParams.get("X-Amz-Expires"), "60");
    const whole = await bytesOf(url);
    assert.equal(whole.sha256, sha256(bytes));
    assert.match(whole.headers.get("content-disposition") ?? "", /^attachment; .*filename\*=UTF-8''%C3%9Cbung%201\.bin/);
    assert.match(whole.headers.get("cache-control") ?? "", /no-store/);
    const part = await bytesOf(url, { Range: "bytes=1000000-1000099" });
    assert.deepEqual([part.status, part.sha256], [206, sha256(bytes.subarray(1_000_000, 1_000_100))]);
    const head = await fetch(url, { method: "HEAD", redirect: "manual" });
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(bytes.length)]);
    await deleteFile(server, { fileId: file.id, token: file.deletionToken });
    assert.equal((await fetch(url, { redirect: "manual" })).status, 404);
  });

  test("a content host redirects downloads to the store as the site does, and sends previews itself", async () => {
    await using other = await startOnS3(swift, { env: { FILEHOST_CONTENT_URL: "http://bytes.example" } });
    const ask = (url: URL, host: string) => fetch(other.url + url.pathname + url.search, { headers: { Host: host }, redirect: "manual" });
    const bytes = toPdf({ text: "Hello" });
    const file = await upload(other, { name: "a.pdf", type: "application/pdf", bytes });
    const download = new URL(await signedUrl(other, file.id));
    const page = await (await fetch(other.url + file.sharePath)).text();
    const preview = new URL(/<iframe src="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? assert.fail(page));
    preview.pathname += "/a.pdf";
    assert.deepEqual([download.host, preview.host], ["bytes.example", "bytes.example"]);
    for (const host of ["bytes.example", new URL(other.url).host]) {
      const redirect = await ask(download, host);
      const location = redirect.headers.get("location") ?? "";
      assert.deepEqual([redirect.status, new URL(location).origin], [302, swift.endpoint], host);
      assert.equal((await bytesOf(location)).sha256, sha256(bytes), host);
      const shown = await ask(preview, host);
      assert.deepEqual([shown.status, await shown.text()], [200, bytes], host);
    }
  });

  test("an archive of a share contains the bytes from the bucket", { skip: unzipMissing }, async () => {
    const { key } = await addAccount(server);
    const first = await upload(server, { name: "a.bin", bytes: someBytes(2 * MB), fields: { openShare: "true" } }, { key });
    await upload(server, { name: "b.txt", bytes: "second", fields: { shareShortId: first.shortId } }, { key });
    const body = await clientOf(server).call("authorizeArchive", { shortId: first.shortId });
    await using folder = await makeFolder();
    const path = join(folder.path, "archive.zip");
    await writeFile(path, new Uint8Array(await (await fetch(body.url)).arrayBuffer()));
    const { stdout } = spawnSync("unzip", ["-p", path, "a.bin"], { maxBuffer: 4 * MB });
    assert.equal(sha256(stdout), sha256(someBytes(2 * MB)));
  });

  test("a file with a download limit is streamed by the server", async () => {
    const file = await upload(server, { bytes: "once", fields: { maxDownloads: "1" } });
    const response = await fetch(await signedUrl(server, file.id), { redirect: "manual" });
    assert.deepEqual([response.status, await response.text()], [200, "once"]);
    assertRefused(await authorize(server, file.id), { status: 404, code: "NOT_FOUND" });
  });

  test("a file with a download webhook is streamed by the server, and its completion is an event", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { bytes: "webhook" }, { key });
    assert.equal((await fetch(await signedUrl(server, file.id), { redirect: "manual" })).status, 302);
    await addWebhook(server, key, { url: "http://127.0.0.1:9/hook", events: ["file.downloaded"] });
    const response = await fetch(await signedUrl(server, file.id), { redirect: "manual" });
    assert.deepEqual([response.status, await response.text()], [200, "webhook"]);
    await until("the event is in the outbox", () =>
      withDatabase(server, async (db) => {
        const events = db.selectFrom("events").select("id").where("file_id", "=", file.id).where("type", "=", "file.downloaded");
        return (await events.execute()).length === 1;
      }),
    );
  });

  test("FILEHOST_S3_DOWNLOADS=proxy streams every download, with ranges", async () => {
    await using proxy = await startOnS3(swift, { env: { FILEHOST_S3_DOWNLOADS: "proxy" } });
    const bytes = someBytes(3 * MB, 6);
    const file = await upload(proxy, { bytes });
    const url = await signedUrl(proxy, file.id);
    const whole = await fetch(url, { redirect: "manual" });
    assert.deepEqual([whole.status, sha256(new Uint8Array(await whole.arrayBuffer()))], [200, sha256(bytes)]);
    const part = await fetch(url, { headers: { Range: "bytes=-100" }, redirect: "manual" });
    assert.deepEqual([part.status, sha256(new Uint8Array(await part.arrayBuffer()))], [206, sha256(bytes.subarray(-100))]);
  });

  test("a download is an error and not a truncated file if the store lost the bytes", async () => {
    await using proxy = await startOnS3(swift, { env: { FILEHOST_S3_DOWNLOADS: "proxy" } });
    const file = await putFile(proxy, "/stream.bin", someBytes(6 * MB));
    const { blob_key: key } = await withDatabase(proxy, (db) => db.selectFrom("files").select("blob_key").executeTakeFirstOrThrow());
    await using store = await openS3Store({
      ...swift,
      credentials: swift,
      bucket: proxy.bucket,
      prefix: "files/",
      pathStyle: true,
      uploads: "proxy",
      downloads: "proxy",
    });
    await store.remove(key);
    assert.equal((await fetch(await signedUrl(proxy, file.id))).status, 404);
    assert.equal((await audit(proxy)).missing.length, 1);
  });
});
