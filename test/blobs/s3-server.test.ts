import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openS3Store } from "../../src/blobs/s3.ts";
import { eicar } from "../../src/scan/self-test.ts";
import { addAccount } from "../e2e/support/accounts.ts";
import { assertRefused, authorize, call, getShare, type SentForm, signedUrl, type Upload, upload } from "../e2e/support/api.ts";
import { audit, cleanUp } from "../e2e/support/inside.ts";
import {
  init,
  MB,
  partUrl,
  postAbort,
  postComplete,
  putPart,
  sendParts,
  sha256,
  someBytes,
  uploadInParts,
} from "../e2e/support/multipart.ts";
import { withDatabase } from "../e2e/support/state.ts";
import { clamdMissing, startClamd } from "../support/clamd.ts";
import { makeFolder } from "../support/folder.ts";
import { sendFile, startOrigin } from "../support/origin-server.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { startSwift, swiftMissing, type TestSwift } from "../support/swift.ts";
import { until } from "../support/until.ts";
import { unzipMissing } from "../support/unzip.ts";

const NOTHING = { missing: [], orphans: [] };

/** decisions, "Storage": the whole server with its bytes in a bucket. */
describe("a server on S3", { skip: swiftMissing }, () => {
  let swift: TestSwift;
  let server: TestServer;
  before(async () => {
    swift = await startSwift();
    server = await startOn({ FILEHOST_S3_BUCKET: await swift.createBucket(), FILEHOST_S3_PREFIX: "files" });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await swift[Symbol.asyncDispose]();
  });

  const startOn = (env: Record<string, string>) =>
    startServer({
      env: {
        FILEHOST_SCANNER: "off",
        FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
        FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
        FILEHOST_STORAGE: "s3",
        FILEHOST_S3_ENDPOINT: swift.endpoint,
        FILEHOST_S3_ACCESS_KEY_ID: swift.accessKeyId,
        FILEHOST_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
        ...env,
      },
    });

  const put = async (on: TestServer, body: BodyInit): Promise<Upload> => {
    const init = { method: "PUT", body, headers: { Accept: "application/json" }, duplex: "half" };
    const response = await fetch(`${on.url}/stream.bin`, init);
    const answer = (await response.json()) as { data: Upload };
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer.data;
  };
  const bytesOf = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    assert.ok(response.ok, `${response.status}`);
    return { status: response.status, headers: response.headers, sha256: sha256(new Uint8Array(await response.arrayBuffer())) };
  };

  test("keeps a form, a stream of no announced length, and parts, as they came", async () => {
    const large = someBytes(19 * MB + 7);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < large.length; at += MB) controller.enqueue(large.slice(at, at + MB));
        controller.close();
      },
    });
    const form: SentForm = { bytes: "a note" };
    for (const [file, digest] of [
      [await upload(server, form), sha256("a note")],
      [await upload(server, { bytes: "" }), sha256("")],
      [await put(server, large), sha256(large)],
      [await put(server, stream), sha256(large)],
      [await uploadInParts(server, large, { partSize: MB }), sha256(large)],
    ] as const) {
      assert.equal((await bytesOf(await signedUrl(server, file.id))).sha256, digest, file.name);
    }
    assert.deepEqual(await audit(server), NOTHING);
  });

  test("refuses a wrong part and keeps the right one; an abort leaves nothing", async () => {
    const bytes = someBytes(7 * MB, 3);
    const session = await init(server, { fileSize: bytes.length, partSize: 5 * MB });
    const parts = await sendParts(server, session, bytes);
    const url = await partUrl(server, session, 1, bytes.subarray(0, 5 * MB));
    assertRefused(await putPart(url, someBytes(5 * MB, 4)), { status: 400, code: "DIGEST_MISMATCH" });
    const { body } = await postComplete(server, session, { parts });
    assert.equal((await bytesOf(await signedUrl(server, body.data.id))).sha256, sha256(bytes));
    // What is in the file already is confirmed, what is not is refused; neither is written.
    assert.equal((await putPart(url, bytes.subarray(0, 5 * MB))).status, 200);
    assertRefused(await putPart(url, someBytes(5 * MB, 4)), { status: 400, code: "DIGEST_MISMATCH" });
    assert.equal((await bytesOf(await signedUrl(server, body.data.id))).sha256, sha256(bytes));

    const given = await init(server, { fileSize: bytes.length, partSize: 5 * MB });
    await sendParts(server, given, bytes);
    assert.equal((await postAbort(server, given)).status, 200);
    assert.deepEqual(await audit(server), NOTHING);
  });

  test("sends downloads to the store by an address that is valid for a minute, and says there what it would say itself", async () => {
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
    await call(server, "DELETE", `/api/files/delete?fileId=${file.id}&token=${file.deletionToken}`);
    assert.equal((await fetch(url, { redirect: "manual" })).status, 404);
  });

  test("makes an archive of a share", { skip: unzipMissing }, async () => {
    const { key } = await addAccount(server);
    const first = await upload(server, { name: "a.bin", bytes: someBytes(2 * MB), fields: { openShare: "true" } }, { key });
    await upload(server, { name: "b.txt", bytes: "second", fields: { shareShortId: first.shortId } }, { key });
    const { body } = await call(server, "GET", `/api/files/share/${first.shortId}/archive`);
    await using folder = await makeFolder();
    const path = join(folder.path, "archive.zip");
    await writeFile(path, new Uint8Array(await (await fetch(body.url ?? "")).arrayBuffer()));
    const { stdout } = spawnSync("unzip", ["-p", path, "a.bin"], { maxBuffer: 4 * MB });
    assert.equal(sha256(stdout), sha256(someBytes(2 * MB)));
  });

  test("streams what can be downloaded a limited number of times itself", async () => {
    const file = await upload(server, { bytes: "once", fields: { maxDownloads: "1" } });
    const response = await fetch(await signedUrl(server, file.id), { redirect: "manual" });
    assert.deepEqual([response.status, await response.text()], [200, "once"]);
    assertRefused(await authorize(server, file.id), { status: 404, code: "NOT_FOUND" });
  });

  test("streams what somebody waits for the end of, and tells of that", async () => {
    const { key } = await addAccount(server);
    const webhook = { url: "http://127.0.0.1:9/hook", events: ["file.downloaded"] };
    const file = await upload(server, { bytes: "told" }, { key });
    assert.equal((await fetch(await signedUrl(server, file.id), { redirect: "manual" })).status, 302);
    assert.equal((await call(server, "POST", "/api/webhooks", { key, json: webhook })).status, 200);
    const response = await fetch(await signedUrl(server, file.id), { redirect: "manual" });
    assert.deepEqual([response.status, await response.text()], [200, "told"]);
    await until("it is told", () =>
      withDatabase(server, async (db) => {
        const events = db.selectFrom("events").select("id").where("file_id", "=", file.id).where("type", "=", "file.downloaded");
        return (await events.execute()).length === 1;
      }),
    );
  });

  test("imports into the bucket", async () => {
    const bytes = someBytes(18 * MB, 9);
    await using origin = await startOrigin({ "/film.bin": sendFile({ bytes, headers: { etag: '"1"', "accept-ranges": "bytes" } }) });
    const { status, body } = await call<{ data: Upload }>(server, "POST", "/api/files/remote-upload", {
      json: { url: `${origin.url}/film.bin` },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await bytesOf(await signedUrl(server, body.data.id))).sha256, sha256(bytes));
  });

  test("keeps aside what the scanner found, and serves what it passed", { skip: clamdMissing }, async () => {
    await using clamd = await startClamd();
    const socket = clamd.unix.kind === "unix" ? clamd.unix.path : "";
    const bucket = await swift.createBucket();
    await using scanned = await startOn({ FILEHOST_S3_BUCKET: bucket, FILEHOST_SCANNER: "clamd", FILEHOST_CLAMD: `unix:${socket}` });
    const clean = await upload(scanned, { bytes: "harmless" });
    const infected = await upload(scanned, { bytes: new Uint8Array(eicar()) });
    await until("both are checked", () =>
      withDatabase(scanned, async (db) => {
        const rows = await db.selectFrom("files").select(["id", "blob_state", "scan_status"]).execute();
        const states = new Map(rows.map((row) => [row.id, `${row.blob_state} ${row.scan_status}`]));
        return states.get(clean.id) === "stored clean" && states.get(infected.id)?.startsWith("quarantined");
      }),
    );
    assert.equal((await bytesOf(await signedUrl(scanned, clean.id))).sha256, sha256("harmless"));
    assert.equal((await authorize(scanned, infected.id)).status, 404);
    assert.deepEqual(await audit(scanned), NOTHING);
  });

  test("streams everything itself where it is told to, in ranges too", async () => {
    await using proxy = await startOn({ FILEHOST_S3_BUCKET: await swift.createBucket(), FILEHOST_S3_DOWNLOADS: "proxy" });
    const bytes = someBytes(3 * MB, 6);
    const file = await upload(proxy, { bytes });
    const url = await signedUrl(proxy, file.id);
    const whole = await fetch(url, { redirect: "manual" });
    assert.deepEqual([whole.status, sha256(new Uint8Array(await whole.arrayBuffer()))], [200, sha256(bytes)]);
    const part = await fetch(url, { headers: { Range: "bytes=-100" }, redirect: "manual" });
    assert.deepEqual([part.status, sha256(new Uint8Array(await part.arrayBuffer()))], [206, sha256(bytes.subarray(-100))]);
  });

  test("answers with an error, not with a broken file, where the store has lost the bytes", async () => {
    const bucket = await swift.createBucket();
    await using proxy = await startOn({ FILEHOST_S3_BUCKET: bucket, FILEHOST_S3_DOWNLOADS: "proxy" });
    const file = await put(proxy, someBytes(6 * MB));
    const { blob_key: key } = await withDatabase(proxy, (db) => db.selectFrom("files").select("blob_key").executeTakeFirstOrThrow());
    const options = { endpoint: swift.endpoint, region: swift.region, bucket, prefix: "", credentials: swift, pathStyle: true } as const;
    await using store = await openS3Store({ ...options, uploads: "proxy", downloads: "proxy" });
    await store.remove(key);
    assert.equal((await fetch(await signedUrl(proxy, file.id))).status, 404);
    assert.equal((await audit(proxy)).missing.length, 1);
  });

  test("takes the bytes of what was deleted or has expired, and those that no row speaks of", async () => {
    const [deleted, expired] = [await upload(server, { bytes: "x" }), await upload(server, { bytes: "y" })];
    await call(server, "DELETE", `/api/files/delete?fileId=${deleted.id}&token=${deleted.deletionToken}`);
    await withDatabase(server, (db) => db.updateTable("shares").set({ expires_at: 1 }).where("short_id", "=", expired.shortId).execute());
    assert.equal((await getShare(server, expired.shortId)).status, 404);
    const abandoned = await init(server, { fileSize: 6 * MB, partSize: 5 * MB });
    await withDatabase(server, (db) => db.deleteFrom("upload_sessions").where("file_id", "=", abandoned.fileId).execute());
    await withDatabase(server, (db) => db.deleteFrom("files").where("id", "=", abandoned.fileId).execute());
    const found = await audit(server);
    assert.deepEqual(found.missing, []);
    assert.deepEqual(
      found.orphans.map(({ where }) => where),
      ["staging"],
    );
    await cleanUp(server);
    assert.deepEqual(await audit(server), NOTHING);
  });

  test("leaves nothing of an upload whose sender goes away", async () => {
    const aborter = new AbortController();
    let sentBytes = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        sentBytes += MB;
        if (sentBytes > 12 * MB) aborter.abort();
        else controller.enqueue(new Uint8Array(MB));
      },
    });
    const init = { method: "PUT", body: stream, signal: aborter.signal, duplex: "half" };
    await assert.rejects(fetch(`${server.url}/gone.bin`, init));
    await until("its rows are gone", () =>
      withDatabase(
        server,
        async (db) => (await db.selectFrom("upload_sessions").select("id").where("kind", "=", "stream").execute()).length === 0,
      ),
    );
    await until("its parts are gone", async () => (await audit(server)).orphans.length === 0);
  });

  test("says that the store does not work, and when to try again; nothing half-made stays", async () => {
    await using lost = await startOn({ FILEHOST_S3_BUCKET: "bucket", FILEHOST_S3_ENDPOINT: "http://127.0.0.1:9" });
    const refused = await call(lost, "PUT", "/note.txt", { body: "x", headers: { Accept: "application/json" } });
    assertRefused(refused, { status: 503, code: "UNAVAILABLE" });
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    const rows = await withDatabase(lost, (db) => db.selectFrom("files").select("id").execute());
    assert.deepEqual(rows, []);
    assert.equal((await fetch(`${lost.url}/health`)).status, 503);
    await until("the log says so", () => lost.logs().some(({ msg }) => msg === "the file store does not work"));
  });
});
