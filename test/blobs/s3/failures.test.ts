import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { S3StoreOptions } from "../../../src/blobs/s3/s3-store.ts";
import { type FaultySwift, relaySwift, startFaultySwift } from "../../support/faulty-swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { swiftMissing } from "../../support/swift.ts";
import { body, hangingBody, neverRecorded, newKey, nothing, partOf, putBlob, readAll } from "../bodies.ts";
import { openOnSwift } from "../on-swift.ts";

const MB = 1024 * 1024;
/** The largest whole body that is sent in one request. */
const HELD_BYTES = 8 * MB;

/** request limits, "Direct uploads on S3"; storage, "Rows and bytes": a store that refuses, breaks off, stalls, or whose responses are lost. */
describeUnless(swiftMissing, "S3 store with failing requests", () => {
  let swift: FaultySwift;
  before(async () => {
    swift = await startFaultySwift();
  });
  after(() => swift[Symbol.asyncDispose]());

  const open = (options: Partial<S3StoreOptions> = {}) => openOnSwift(swift, options);

  test("sends a failed part of a body again", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    const bytes = randomBytes(20 * MB + 3);
    let refused = 0;
    swift.proxy.decide = ({ url }) => (url.includes("partNumber=2") && refused++ === 0 ? { status: 503 } : undefined);
    const staged = await store.stage(newKey(), undefined);
    await store.writeAll(staged, body(bytes, { pieceBytes: MB + 1 }));
    await store.commit(staged);
    assert.equal(refused, 2);
    assert.ok((await readAll(store.read(staged.key))).equals(bytes));
  });

  for (const sizeBytes of [0, 1000, HELD_BYTES + 1]) {
    test(`commits ${sizeBytes} bytes once although the store's responses are lost`, async () => {
      await using store = await open({ endpoint: swift.proxy.url });
      const bytes = randomBytes(sizeBytes);
      const staged = await store.stage(newKey(), undefined);
      swift.proxy.decide = () => undefined;
      await store.writeAll(staged, body(bytes));
      let lost = 0;
      swift.proxy.decide = ({ method }) => (method !== "HEAD" && ++lost <= 10 ? { cutAfterBytes: 0 } : undefined);
      await store.commit(staged);
      assert.ok(lost >= 1);
      swift.proxy.decide = () => undefined;
      await store.commit(staged);
      assert.ok((await readAll(store.read(staged.key))).equals(bytes));
      assert.deepEqual((await store.listStaged()).items, []);
    });
  }

  test("sends the store no request for a small body that fails", async () => {
    await using store = await open({ endpoint: "http://127.0.0.1:9" });
    const staged = await store.stage(newKey(), undefined);
    await store.writeAll(staged, body(randomBytes(1000)));
    await store.discard(staged);
    await assert.rejects(store.writeAll(staged, body(randomBytes(1000))), { code: "UPLOAD_CLOSED" });
  });

  test("retains a small body that the store refuses until it is committed or discarded", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    const bytes = randomBytes(1000);
    for (const isTaken of [true, false]) {
      swift.proxy.decide = ({ method }) => (method === "PUT" ? { status: 503 } : undefined);
      const staged = await store.stage(newKey(), bytes.length, { isDirect: true });
      await store.writeAll(staged, body(bytes));
      await assert.rejects(store.commit(staged), { code: "UNAVAILABLE", retryAfterSeconds: 10 });
      swift.proxy.decide = () => undefined;
      assert.equal(await store.size(staged.key), undefined);
      if (isTaken) {
        await store.commit(staged);
        assert.ok((await readAll(store.read(staged.key))).equals(bytes));
      } else {
        await store.discard(staged);
        await assert.rejects(store.commit(staged), { code: "NOT_FOUND" });
      }
    }
  });

  test("leaves no second upload if the response to the first attempt was lost", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    let lost = 0;
    swift.proxy.decide = ({ method, url }) =>
      method === "POST" && url.includes("uploads") && lost++ === 0 ? { cutAfterBytes: 0 } : undefined;
    const staged = await store.stage(newKey(), 5 * MB);
    assert.equal(lost, 2);
    assert.deepEqual((await store.listStaged()).items, [staged]);
    swift.proxy.decide = () => undefined;
  });

  test("resumes a broken read, and rejects when it breaks each time", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    const bytes = randomBytes(3 * MB);
    const key = await putBlob(store, bytes);
    let broken = 0;
    swift.proxy.decide = ({ method }) => (method === "GET" && broken++ < 2 ? { cutAfterBytes: MB } : undefined);
    assert.ok((await readAll(store.read(key))).equals(bytes));
    assert.equal(broken, 3);
    swift.proxy.decide = ({ method }) => (method === "GET" ? { cutAfterBytes: 1000 } : undefined);
    await assert.rejects(readAll(store.read(key)), { code: "UNAVAILABLE" });
  });

  test("never returns bytes of another range than requested", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    const bytes = randomBytes(10_000);
    const key = await putBlob(store, bytes);
    const range = { start: 7, end: 1000 };
    for (const other of ["bytes 0-992/10000", "bytes 70-1062/10000"]) {
      swift.proxy.decide = ({ method }) => (method === "GET" ? { responseHeaders: { "content-range": other } } : undefined);
      await assert.rejects(readAll(store.read(key, { range })), { code: "UNAVAILABLE" });
    }
    swift.proxy.decide = () => undefined;
    assert.ok((await readAll(store.read(key, { range }))).equals(bytes.subarray(7, 1000)));
  });

  test("aborts a write to a store that accepts no more bytes, and releases its memory", async () => {
    const bucket = await swift.createBucket();
    await using relay = await relaySwift(swift);
    await using store = await open({ bucket });
    await using impatient = await open({ bucket, endpoint: relay.url, responseTimeoutMs: 300 });
    const sizeBytes = 64 * MB;
    async function* zeros() {
      for (let sent = 0; sent < sizeBytes; sent += MB) {
        // By then the store has some of the bytes, and has created the upload of a direct upload.
        if (sent === 24 * MB) relay.holdRequests(true);
        yield new Uint8Array(MB);
      }
    }
    const input = { partNumber: 1, offset: 0, sizeBytes, sha256: "0".repeat(64), isUploaded: false };
    for (const kind of ["part", "whole"] as const) {
      // A part's upload is created here, so that the short limit applies to its bytes only.
      const staged = await (kind === "whole" ? impatient : store).stage(newKey(), sizeBytes, { isDirect: kind === "whole" });
      try {
        const writing = kind === "whole" ? impatient.writeAll(staged, zeros()) : impatient.writePart(staged, input, zeros(), neverRecorded);
        await assert.rejects(writing, { code: "UNAVAILABLE" });
        await impatient.discard(staged).catch(() => undefined);
      } finally {
        relay.holdRequests(false);
      }
      await store.discard(staged);
    }
    assert.deepEqual((await store.listStaged()).items, []);
  });

  test("rejects a part that the store refuses with Retry-After, and keeps the stored part", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    const bytes = randomBytes(MB);
    const { input } = partOf(bytes, MB, 1);
    const staged = await store.stage(newKey(), MB);
    swift.proxy.decide = () => undefined;
    const { etag } = await store.writePart(staged, input, body(bytes), nothing);
    swift.proxy.decide = ({ method }) => (method === "PUT" ? { status: 503 } : undefined);
    await assert.rejects(store.writePart(staged, input, body(bytes), neverRecorded), { code: "UNAVAILABLE", retryAfterSeconds: 10 });
    swift.proxy.decide = () => undefined;
    await store.commit(staged, [{ partNumber: 1, etag }]);
    assert.ok((await readAll(store.read(staged.key))).equals(bytes));
  });

  test("stops a stalled part and a stalled direct upload when they are discarded", async () => {
    await using store = await open();
    for (const kind of ["part", "whole"] as const) {
      const bytes = randomBytes(2 * MB);
      const staged = await store.stage(newKey(), bytes.length, { isDirect: kind === "whole" });
      const hanging = hangingBody(bytes.subarray(0, MB));
      const writing =
        kind === "whole"
          ? store.writeAll(staged, hanging.chunks)
          : store.writePart(staged, partOf(bytes, bytes.length, 1).input, hanging.chunks, neverRecorded);
      const stopped = assert.rejects(writing, { code: "UPLOAD_CLOSED" });
      await hanging.reached;
      await store.discard(staged);
      await stopped;
      hanging.release();
    }
    assert.deepEqual((await store.listStaged()).items, []);
  });
});
