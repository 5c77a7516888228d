import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, getShare } from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import {
  abort,
  complete,
  getPartUrls,
  init,
  MB,
  partCalls,
  partUrl,
  postComplete,
  postInit,
  postUrls,
  putPart,
  sendParts,
  sha256,
  someBytes,
} from "../support/uploads/multipart.ts";

const GB = 1024 * MB;

/** uploads, "Uploads in parts" and "Completing". */
describe("faulty parts", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_MIN_FREE: "0" });
  });
  after(() => server[Symbol.asyncDispose]());

  const { bytes, first, initUpload, uploadedParts } = partCalls(() => server);

  test("wrong bytes are refused and leave nothing", async () => {
    const session = await initUpload();
    const url = await partUrl(server, session, 1, first);
    assertRefused(await putPart(url, someBytes(MB, 2)), { status: 400, code: "DIGEST_MISMATCH" });
    assert.deepEqual(await uploadedParts(session), []);
    assert.equal((await putPart(url, first)).status, 200);
    assert.deepEqual(await uploadedParts(session), [[1, sha256(first)]]);
  });

  test("wrong bytes do not change a part that is already stored", async () => {
    const session = await initUpload();
    await sendParts(server, session, bytes);
    assertRefused(await putPart(await partUrl(server, session, 1, first), someBytes(MB, 3)), { status: 400, code: "DIGEST_MISMATCH" });
    assertRefused(await putPart(await partUrl(server, session, 1, someBytes(MB, 4)), someBytes(MB, 5)), {
      status: 400,
      code: "DIGEST_MISMATCH",
    });
    const file = await complete(server, session);
    assert.equal(sha256(new Uint8Array(await (await fetch(file.url)).arrayBuffer())), sha256(bytes));
  });

  test("a part with more or fewer bytes than expected is refused", async () => {
    const session = await initUpload();
    for (const wrong of [someBytes(MB - 1), someBytes(MB + 1), someBytes(0), bytes]) {
      assertRefused(await putPart(await partUrl(server, session, 1, wrong), wrong), { status: 400, code: "SIZE_MISMATCH" });
    }
    assert.deepEqual(await uploadedParts(session), []);
  });

  test("a chunked part without a length is accepted only with exactly its expected size", async () => {
    const session = await initUpload();
    const stream = (content: Uint8Array) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(content);
          controller.close();
        },
      });
    for (const [content, status] of [
      [someBytes(MB - 1), 400],
      [someBytes(MB + 1), 400],
      [first, 200],
    ] as const) {
      const response = await fetch(await partUrl(server, session, 1, content), { method: "PUT", body: stream(content) });
      assert.equal(response.status, status, await response.text());
    }
    assert.deepEqual(await uploadedParts(session), [[1, sha256(first)]]);
  });

  test("a part whose client disconnects leaves nothing and can be sent again", async () => {
    const session = await initUpload();
    const url = new URL(await partUrl(server, session, 1, first));
    for (let round = 0; round < 3; round += 1) {
      const head = `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${MB}\r\n\r\n`;
      await sendRaw(server, [head, first.subarray(0, 500_000)], { cutAfter: () => askShare(server, session.shortId) });
    }
    assert.deepEqual(await uploadedParts(session), []);
    assert.equal((await putPart(url.href, first)).status, 200);
  });

  test("the same part can be sent many times concurrently", async () => {
    const session = await initUpload();
    const url = await partUrl(server, session, 1, first);
    const responses = await Promise.all(Array.from({ length: 8 }, () => putPart(url, first)));
    assert.ok(responses.some((response) => response.status === 200));
    for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 409, code: "CONFLICT" });
    await sendParts(server, session, bytes);
    const file = await complete(server, session);
    assert.equal(sha256(new Uint8Array(await (await fetch(file.url)).arrayBuffer())), sha256(bytes));
  });

  test("a part that is sent again with other bytes replaces the first", async () => {
    const session = await initUpload();
    await sendParts(server, session, bytes);
    const other = someBytes(MB, 9);
    const { status, headers } = await putPart(await partUrl(server, session, 1, other), other);
    assert.equal(status, 200);
    const old = createHash("sha256").update(first).digest("hex");
    assert.notDeepEqual((await uploadedParts(session))[0], [1, old]);
    const file = await complete(server, session, { parts: [{ partNumber: 1, etag: headers.get("etag") ?? "" }] });
    const whole = new Uint8Array(await (await fetch(file.url)).arrayBuffer());
    assert.equal(sha256(whole), sha256(Buffer.concat([other, bytes.slice(MB)])));
  });

  test("complete refuses parts with wrong ETags and parts that the upload does not have", async () => {
    const session = await initUpload();
    const [one, two] = await sendParts(server, session, bytes);
    const other = await initUpload();
    const [foreign] = await sendParts(server, other, someBytes(2 * MB, 11));
    assert.ok(one && two && foreign);
    for (const parts of [
      [{ ...one, etag: foreign.etag }, two],
      [one, two, { partNumber: 3, etag: two.etag }],
      [one, { partNumber: 2, etag: "" }],
      [{ partNumber: 1, etag: two.etag }, two],
    ]) {
      assertRefused(await postComplete(server, session, { parts }), { status: 400, code: "VALIDATION_FAILED" });
    }
    await complete(server, session, { parts: [one, two] });
    await abort(server, other);
  });

  test("complete lists all missing parts", async () => {
    const session = await initUpload();
    const { status, body } = await postComplete(server, session, { parts: [] });
    assert.deepEqual([status, body.errorCode, body.missing], [409, "PARTS_MISSING", [1, 2]]);
    await abort(server, session);
  });

  test("invalid part numbers and digests are refused", async () => {
    const session = await initUpload();
    for (const number of ["0", "3", "-1", "1.5", "01", "one", "10001", "99999999999", " 1", ""]) {
      assertRefused(await postUrls(server, session, { [number]: sha256("x") }), { status: 400, code: "VALIDATION_FAILED" });
    }
    assertRefused(await postUrls(server, session, {}), { status: 400, code: "VALIDATION_FAILED" });
    for (const digest of ["", "x", sha256("x").slice(1), `${sha256("x")}0`, "g".repeat(64)]) {
      assertRefused(await postUrls(server, session, { 1: digest }), { status: 400, code: "VALIDATION_FAILED" });
    }
    await getPartUrls(server, session, { 1: sha256(first).toUpperCase() });
  });

  test("a file that would need more than 10,000 parts gets larger parts, and a list of 10,001 is refused", async () => {
    const { key } = await addAccount(server, { tier: "pro" });
    const session = await init(server, { fileName: "huge", fileSize: 30 * GB, partSize: MB }, { key });
    assert.ok(session.totalParts <= 10_000, String(session.totalParts));
    assert.ok(session.chunkSize > MB && session.chunkSize % MB === 0);
    assert.equal(session.totalParts, Math.ceil((30 * GB) / session.chunkSize));
    assertRefused(await postUrls(server, session, { 10001: sha256("x") }, { key }), { status: 400, code: "VALIDATION_FAILED" });
    const parts = Array.from({ length: 10_001 }, (_, index) => ({ partNumber: index + 1, etag: '"x"' }));
    assertRefused(await postComplete(server, session, { parts }, { key }), { status: 400, code: "VALIDATION_FAILED" });
    const digests = Object.fromEntries(Array.from({ length: session.totalParts }, (_, index) => [index + 1, sha256("x")]));
    const urls = await getPartUrls(server, session, digests, { key });
    assert.equal(Object.keys(urls).length, session.totalParts);
    await abort(server, session, { key });
  });

  test("part sizes out of bounds and invalid file sizes are refused", async () => {
    for (const partSize of [0, 1, MB - 1, 64 * MB + 1, -MB, 1.5, "1048576"]) {
      assertRefused(await postInit(server, { fileName: "a", fileSize: 1, partSize }), { status: 400, code: "VALIDATION_FAILED" });
    }
    for (const fileSize of [-1, 1.5, "1", null, undefined, 2 ** 60]) {
      assertRefused(await postInit(server, { fileName: "a", fileSize }), { status: 400, code: "VALIDATION_FAILED" });
    }
  });

  test("a file that differs from its expected digest never becomes clean", async () => {
    for (const [declared, status] of [
      [sha256(bytes), "clean"],
      [sha256("other"), "unavailable"],
    ]) {
      const session = await init(server, { fileSize: bytes.length, partSize: MB, sha256: declared });
      await sendParts(server, session, bytes);
      await complete(server, session);
      await until(`it is ${status}`, async () => (await getShare(server, session.shortId)).scanStatus === status);
    }
  });

  test("complete and concurrent parts leave one consistent file", async () => {
    const session = await initUpload();
    await sendParts(server, session, bytes);
    const other = someBytes(MB, 21);
    const url = await partUrl(server, session, 1, other);
    const second = bytes.slice(MB);
    const secondUrl = await partUrl(server, session, 2, second);
    const [done] = await Promise.all([postComplete(server, session), putPart(url, other), putPart(secondUrl, second)]);
    const final =
      done.status === 200
        ? done
        : await until("it completes", async () => {
            await sendParts(server, session, bytes);
            const again = await postComplete(server, session);
            return again.status === 200 ? again : undefined;
          });
    const whole = new Uint8Array(await (await fetch(final.body.data.url)).arrayBuffer());
    const digest = sha256(whole);
    assert.ok([sha256(bytes), sha256(Buffer.concat([other, bytes.slice(MB)]))].includes(digest));
    await until("the digest is known", async () => (await getShare(server, session.shortId)).sha256 === digest);
  });
});
