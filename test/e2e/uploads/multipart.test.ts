import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, authorize, call, clientOf, getShare } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState, sha256Of } from "../support/servers/state.ts";
import {
  abort,
  complete,
  init,
  MB,
  partUrl,
  postAbort,
  postComplete,
  postInit,
  postUrls,
  putPart,
  type Session,
  sendParts,
  sha256,
  someBytes,
  split,
  uploadInParts,
} from "../support/uploads/multipart.ts";

/** uploads, "Uploads in parts", "Completing" and "A file that has changed". */
describe("multipart uploads", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const statusOf = async ({ uploadId }: Session) => (await clientOf(server).call("getMultipart", { uploadId })).data;

  test("init returns its fields at the top level and under data", async () => {
    const { data, success, ...top } = await clientOf(server).call("initMultipart", {
      fileName: "film.mp4",
      fileSize: 40 * MB,
      fileType: "video/mp4",
    });
    assert.equal(success, true);
    assert.deepEqual(top, { ...data });
    assert.match(data.uploadId, /^[\w-]{43}$/);
    assert.ok(data.key.length > 0 && data.key !== data.uploadId);
    assert.equal(data.chunkSize, 16 * MB);
    assert.equal(data.totalParts, 3);
    assert.match(data.fileId, /^[0-9A-Za-z]{16}$/);
    assert.equal(data.shareUrl, `http://localhost:${new URL(server.url).port}/d/${data.shortId}`);
    assert.ok(Math.abs(Date.parse(data.expiresAt) - Date.now() - 7 * DAY_MS) < 60_000);
    await abort(server, data);
  });

  test("an upload that replaces another has the same link and file ID, and leaves nothing of the other", async () => {
    const before = await countStoredState(server);
    const first = await init(server, { fileName: "log.bin", fileSize: 3 * MB });
    await sendParts(server, first, someBytes(3 * MB));
    const bytes = someBytes(5 * MB, 2);
    const second = await init(server, { fileName: "log.bin", fileSize: bytes.length, replacesUploadId: first.uploadId });
    assert.deepEqual([second.shortId, second.fileId], [first.shortId, first.fileId]);
    assert.notEqual(second.uploadId, first.uploadId);
    assertRefused(await postAbort(server, first), { status: 404, code: "NOT_FOUND" });
    assert.equal((await getShare(server, first.shortId)).size_bytes, bytes.length);
    assert.equal((await countStoredState(server)).reservedBytes, before.reservedBytes + bytes.length);
    await abort(server, second);
    assert.deepEqual(await countStoredState(server), before);
  });

  test("an upload that replaces another keeps the settings of the link, and a refused one does not change the former", async () => {
    const { key } = await addAccount(server);
    const first = await init(server, { fileName: "log.bin", fileSize: 3, maxDownloads: 2 }, { key });
    const change = { shortId: first.shortId, protect: true };
    const { unlockCode } = (await clientOf(server, { key }).call("updateShareSettings", change)).data;
    const before = await countStoredState(server);
    const tooLarge = { fileName: "log.bin", fileSize: 2 ** 50, replacesUploadId: first.uploadId };
    assert.equal((await postInit(server, tooLarge, { key })).status, 413);
    assert.deepEqual(await countStoredState(server), before);
    const bytes = someBytes(5 * MB, 2);
    const second = await init(server, { fileName: "new.bin", fileSize: bytes.length, replacesUploadId: first.uploadId }, { key });
    await sendParts(server, second, bytes, { key });
    assert.equal((await complete(server, second, {}, { key })).shortId, first.shortId);
    assert.equal(await sha256Of(server, first.shortId), sha256(bytes));
    assertRefused(await authorize(server, second.fileId), { status: 403, code: "UNLOCK_REQUIRED" });
    const credentials = { fileId: second.fileId, unlockCode };
    for (let count = 0; count < 2; count += 1) await clientOf(server).call("authorizeDownload", credentials);
    await assert.rejects(clientOf(server).call("authorizeDownload", credentials), { code: "NOT_FOUND" });
  });

  test("the link works from init and says that the file is still uploading", async () => {
    const session = await init(server, { fileName: "film.mp4", fileSize: 3 * MB });
    const share = await getShare(server, session.shortId);
    assert.deepEqual(
      [share.id, share.name, share.size_bytes, share.uploading, share.scanStatus],
      [session.fileId, "film.mp4", 3 * MB, true, "pending"],
    );
    const pending = await authorize(server, session.fileId);
    assertRefused(pending, { status: 409, code: "SCAN_PENDING" });
    assert.equal(pending.body.scanPending, true);
    assert.equal(pending.body.retryAfterSeconds, 15);
    const page = await fetch(`${server.url}/d/${session.shortId}`, { headers: { Accept: "text/html" } });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /film\.mp4/);
    await abort(server, session);
    assert.equal((await askShare(server, session.shortId)).status, 404);
  });

  test("parts sent concurrently in any order make the file, and complete returns it as both file and data", async () => {
    const bytes = someBytes(5 * MB + 123);
    const session = await init(server, { fileName: "a.bin", fileSize: bytes.length, partSize: MB });
    assert.deepEqual([session.chunkSize, session.totalParts], [MB, 6]);
    const parts = await sendParts(server, session, bytes);
    const { uploadId, key } = session;
    const body = await clientOf(server).call("completeMultipart", { uploadId, key, parts: parts.reverse() });
    assert.equal(body.success, true);
    assert.deepEqual(body.file, body.data);
    const file = body.data;
    assert.deepEqual([file.id, file.shortId, file.size, file.name], [session.fileId, session.shortId, bytes.length, "a.bin"]);
    assert.equal(file.isAnonymous, true);
    assert.match(file.claimToken ?? "", /^claim_/);
    assert.match(file.deletionToken ?? "", /^del_/);
    await sha256Of(server, file.shortId);
    const downloaded = new Uint8Array(await (await fetch(file.url)).arrayBuffer());
    assert.equal(sha256(downloaded), sha256(bytes));
    await until("the digest is known", async () => (await getShare(server, file.shortId)).sha256 === sha256(bytes));
  });

  test("complete accepts no list of parts, and ETags with and without quotes", async () => {
    const bytes = someBytes(2 * MB);
    for (const spell of [undefined, (etag: string) => etag, (etag: string) => etag.replaceAll('"', "")]) {
      const session = await init(server, { fileSize: bytes.length, partSize: MB });
      const parts = await sendParts(server, session, bytes);
      await complete(server, session, spell && { parts: parts.map(({ partNumber, etag }) => ({ partNumber, etag: spell(etag) })) });
    }
  });

  test("the upload's state lists the stored parts, so that another client can continue", async () => {
    const bytes = someBytes(3 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: MB });
    const second = split(bytes, session)[1] ?? bytes;
    const { headers } = await putPart(await partUrl(server, session, 2, second), second);
    assert.equal(headers.get("etag"), `"${sha256(second)}"`);
    const { parts, ...fields } = await statusOf(session);
    assert.deepEqual(fields, { ...session });
    assert.deepEqual(parts, [{ partNumber: 2, size: MB, sha256: sha256(second), etag: headers.get("etag") }]);
    const early = await postComplete(server, session);
    assertRefused(early, { status: 409, code: "PARTS_MISSING" });
    assert.deepEqual(early.body.missing, [1, 3]);
    await sendParts(server, session, bytes);
    await complete(server, session);
  });

  test("repeated and concurrent complete requests return the same response with its tokens", async () => {
    const bytes = someBytes(2 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: MB });
    await sendParts(server, session, bytes);
    const responses = await Promise.all(Array.from({ length: 6 }, () => postComplete(server, session)));
    const done = responses.filter((response) => response.status === 200);
    assert.ok(done.length >= 1);
    for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 409, code: "UPLOAD_IN_PROGRESS" });
    const again = await postComplete(server, session);
    assert.equal(again.status, 200);
    for (const response of done) assert.deepEqual(response.body, again.body);
    assert.ok(again.body.data.claimToken);
  });

  test("fields sent at complete replace those of init, the size must match, and the expiry counts from complete", async () => {
    const bytes = someBytes(MB);
    const session = await init(server, { fileName: "old.txt", fileSize: bytes.length, ttl: "1h", runId: "first", maxDownloads: 9 });
    await sendParts(server, session, bytes);
    assertRefused(await postComplete(server, session, { fileSize: 5 }), { status: 400, code: "SIZE_MISMATCH" });
    assertRefused(await postComplete(server, session, { ttl: "4d" }), { status: 400, code: "EXPIRY_TOO_LONG" });
    const fields = {
      fileName: "new.csv",
      contentType: "text/csv",
      fileSize: bytes.length,
      expiresAt: new Date(Date.now() + 2 * DAY_MS).toISOString(),
      runId: "second",
    };
    const file = await complete(server, session, fields);
    assert.deepEqual([file.name, file.mimeType, file.runId], ["new.csv", "text/csv", "second"]);
    assert.ok(Math.abs(Date.parse(file.expiresAt ?? "") - Date.now() - 2 * DAY_MS) < 60_000);
  });

  test("an empty file is uploaded without parts", async () => {
    const session = await init(server, { fileName: "empty.txt", fileSize: 0 });
    assert.equal(session.totalParts, 0);
    const file = await complete(server, session, { parts: [] });
    assert.equal(file.size, 0);
    assert.equal((await (await fetch(file.url)).arrayBuffer()).byteLength, 0);
  });

  test("a file of one byte is uploaded in one part", async () => {
    const file = await uploadInParts(server, someBytes(1));
    assert.equal((await (await fetch(file.url)).arrayBuffer()).byteLength, 1);
  });

  test("abort removes every row and byte of the upload", async () => {
    const before = await countStoredState(server);
    const bytes = someBytes(2 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: MB });
    const url = await partUrl(server, session, 1, bytes.subarray(0, MB));
    await putPart(url, bytes.slice(0, MB));
    const body = await abort(server, session);
    assert.deepEqual(body, { success: true });
    assert.deepEqual(await countStoredState(server), before);
    assertRefused(await putPart(url, bytes.slice(0, MB)), { status: 404, code: "NOT_FOUND" });
    assertRefused(await postUrls(server, session, { 1: sha256("x") }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await postComplete(server, session), { status: 404, code: "NOT_FOUND" });
    assertRefused(await postAbort(server, session), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "GET", `/api/files/multipart/${session.uploadId}`), { status: 404, code: "NOT_FOUND" });
  });

  test("exactly one of concurrent complete and abort requests succeeds", async () => {
    const bytes = someBytes(MB);
    const { reservedBytes } = await countStoredState(server);
    for (let round = 0; round < 8; round += 1) {
      const session = await init(server, { fileSize: bytes.length });
      await sendParts(server, session, bytes);
      const [completed, aborted] = await Promise.all([postComplete(server, session), postAbort(server, session)]);
      assert.notEqual(completed.status === 200, aborted.status === 200, `${completed.status} ${aborted.status}`);
      assert.equal((await askShare(server, session.shortId)).status, completed.status === 200 ? 200 : 404);
    }
    assert.equal((await countStoredState(server)).reservedBytes, reservedBytes);
  });

  test("a completed upload cannot be changed", async () => {
    const bytes = someBytes(MB);
    const session = await init(server, { fileSize: bytes.length });
    const url = await partUrl(server, session, 1, bytes);
    const { body: first } = await putPart(url, bytes);
    const otherUrl = await partUrl(server, session, 1, bytes.toReversed());
    const file = await complete(server, session);
    assertRefused(await putPart(otherUrl, bytes.toReversed()), { status: 409, code: "UPLOAD_CLOSED" });
    assertRefused(await postUrls(server, session, { 1: sha256("x") }), { status: 409, code: "UPLOAD_CLOSED" });
    assertRefused(await putPart(url, bytes.toReversed()), { status: 400, code: "DIGEST_MISMATCH" });
    assertRefused(await putPart(url, bytes.subarray(1)), { status: 400, code: "SIZE_MISMATCH" });
    const again = await putPart(await partUrl(server, session, 1, bytes), bytes);
    assert.deepEqual([again.status, again.body], [200, first], "a part of the completed file is confirmed again");
    assertRefused(await postAbort(server, session), { status: 409, code: "UPLOAD_CLOSED" });
    assert.equal(sha256(new Uint8Array(await (await fetch(file.url)).arrayBuffer())), sha256(bytes));
  });

  test("an upload continues after the server was killed", async () => {
    const bytes = someBytes(3 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: MB });
    const parts = split(bytes, session);
    const first = parts[0] ?? bytes;
    assert.equal((await putPart(await partUrl(server, session, 1, first), first)).status, 200);
    await server.restart({ signal: "SIGKILL" });
    const { parts: stored } = await statusOf(session);
    assert.deepEqual(
      stored.map((part) => part.partNumber),
      [1],
    );
    for (const number of [2, 3]) {
      const part = parts[number - 1] ?? bytes;
      const url = new URL(await partUrl(server, session, number, part));
      assert.equal((await putPart(`${server.url}${url.pathname}${url.search}`, part)).status, 200);
    }
    await complete(server, session);
    await until("the digest is known", async () => (await getShare(server, session.shortId)).sha256 === sha256(bytes));
  });
});
