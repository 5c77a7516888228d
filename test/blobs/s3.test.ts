import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { openS3Store, type S3StoreOptions } from "../../src/blobs/s3.ts";
import type { BlobPage, StagedBlob } from "../../src/blobs/store.ts";
import { type FaultySwift, startFaultySwift } from "../support/faulty-swift.ts";
import { swiftMissing } from "../support/swift.ts";
import { body, hangingBody, neverPlaced, newKey, nothing, partOf, putBlob, readAll } from "./bodies.ts";
import { testBlobStore } from "./store-suite.ts";

const MB = 1024 * 1024;
/** The largest whole body that is sent in one request. */
const HELD_BYTES = 8 * MB;

/** decisions, "Storage". */
describe("S3 store", { skip: swiftMissing }, () => {
  let swift: FaultySwift;
  before(async () => {
    swift = await startFaultySwift();
  });
  after(() => swift[Symbol.asyncDispose]());

  const open = async (options: Partial<S3StoreOptions> = {}) =>
    await openS3Store({
      endpoint: swift.endpoint,
      region: swift.region,
      bucket: await swift.createBucket(),
      prefix: "some/where/",
      credentials: swift,
      pathStyle: true,
      uploads: "proxy",
      downloads: "redirect",
      ...options,
    });

  testBlobStore(
    "S3",
    async () => {
      const store = await open();
      return { store, close: async () => await store[Symbol.asyncDispose]() };
    },
    { minPartBytes: 5 * MB, heldBytes: HELD_BYTES },
  );

  test("takes no name but a key of its own", async () => {
    await using store = await open();
    for (const key of ["../x", "", "A".repeat(32)]) {
      await assert.rejects(store.stage(key, 1), /key of a blob/);
      await assert.rejects(store.size(key), /key of a blob/);
      await assert.rejects(readAll(store.read(key)), /key of a blob/);
    }
  });

  test("sends a body of several parts, of which a failed one is sent again", async () => {
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
    test(`commits ${sizeBytes} bytes once, though the store's answers are lost`, async () => {
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

  test("sends a body in one request where the first piece holds it, whatever was announced, and else in parts", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    const requests: string[] = [];
    swift.proxy.decide = ({ method, url }) => {
      requests.push(`${method} ${new URL(url, swift.proxy.url).searchParams.get("partNumber") ?? ""}`);
      return undefined;
    };
    for (const [sizeBytes, announced, expected] of [
      [0, undefined, ["PUT "]],
      [10_000, 10_000, ["PUT "]],
      [10_000, 100 * MB, ["PUT "]],
      [HELD_BYTES, undefined, ["PUT "]],
      [HELD_BYTES + 1, undefined, ["POST ", "PUT 1", "PUT 2", "POST "]],
    ] as const) {
      requests.length = 0;
      const bytes = randomBytes(sizeBytes);
      const staged = await store.stage(newKey(), announced, { whole: true });
      await store.writeAll(staged, body(bytes));
      await store.commit(staged);
      assert.deepEqual(requests, expected);
      assert.ok((await readAll(store.read(staged.key))).equals(bytes));
    }
    swift.proxy.decide = () => undefined;
  });

  test("asks the store nothing for a small body that comes to nothing", async () => {
    await using store = await open({ endpoint: "http://127.0.0.1:9" });
    const staged = await store.stage(newKey(), undefined);
    await store.writeAll(staged, body(randomBytes(1000)));
    await store.discard(staged);
    await assert.rejects(store.writeAll(staged, body(randomBytes(1000))), { code: "UPLOAD_CLOSED" });
  });

  test("keeps a small body that the store refuses until it is taken or given up; nothing of it is there before", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    const bytes = randomBytes(1000);
    for (const isTaken of [true, false]) {
      swift.proxy.decide = ({ method }) => (method === "PUT" ? { status: 503 } : undefined);
      const staged = await store.stage(newKey(), bytes.length, { whole: true });
      await store.writeAll(staged, body(bytes));
      await assert.rejects(store.commit(staged), (error: Error & { headers?: object }) => {
        assert.deepEqual([Reflect.get(error, "code"), error.headers], ["UNAVAILABLE", { "Retry-After": "10" }]);
        return true;
      });
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

  test("gives up what another process makes of a body, by its key alone", async () => {
    const bucket = await swift.createBucket();
    await using store = await open({ bucket });
    await using other = await open({ bucket });
    for (const sizeBytes of [1000, HELD_BYTES + 1]) {
      const staged = await store.stage(newKey(), sizeBytes, { whole: true });
      await store.writeAll(staged, body(randomBytes(sizeBytes)));
      if (sizeBytes <= HELD_BYTES) await store.commit(staged);
      await other.discard({ key: staged.key, ref: staged.ref });
      assert.equal(await other.size(staged.key), undefined);
      if (sizeBytes > HELD_BYTES) await assert.rejects(store.commit(staged), { code: "NOT_FOUND" });
    }
    assert.deepEqual((await store.listStaged()).items, []);
  });

  test("leaves no second upload where the answer to the first try was lost", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    let lost = 0;
    swift.proxy.decide = ({ method, url }) =>
      method === "POST" && url.includes("uploads") && lost++ === 0 ? { cutAfterBytes: 0 } : undefined;
    const staged = await store.stage(newKey(), 5 * MB);
    assert.equal(lost, 2);
    assert.deepEqual((await store.listStaged()).items, [staged]);
    swift.proxy.decide = () => undefined;
  });

  test("goes on reading where a transfer broke, and says so where it breaks each time", async () => {
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

  test("gives no other bytes than were asked for where the store gives those of another range", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    const bytes = randomBytes(10_000);
    const key = await putBlob(store, bytes);
    const range = { start: 7, end: 1000 };
    for (const other of ["bytes 0-992/10000", "bytes 70-1062/10000"]) {
      swift.proxy.decide = ({ method }) => (method === "GET" ? { answerHeaders: { "content-range": other } } : undefined);
      await assert.rejects(readAll(store.read(key, { range })), { code: "UNAVAILABLE" });
    }
    swift.proxy.decide = () => undefined;
    assert.ok((await readAll(store.read(key, { range }))).equals(bytes.subarray(7, 1000)));
  });

  test("ends what it writes to a store that takes no bytes any more, and lets go of it", async () => {
    const bucket = await swift.createBucket();
    await using store = await open({ bucket });
    await using impatient = await open({ bucket, answerMs: 300 });
    const sizeBytes = 64 * MB;
    async function* zeros() {
      for (let sent = 0; sent < sizeBytes; sent += MB) {
        // When some of it is there, and of a whole body its upload.
        if (sent === 24 * MB) swift.pause();
        yield new Uint8Array(MB);
      }
    }
    const place = { partNumber: 1, offset: 0, sizeBytes, sha256: "0".repeat(64), arrived: false };
    for (const kind of ["part", "whole"] as const) {
      const staged = await impatient.stage(newKey(), sizeBytes, { whole: kind === "whole" });
      try {
        const writing = kind === "whole" ? impatient.writeAll(staged, zeros()) : impatient.writePart(staged, place, zeros(), neverPlaced);
        await assert.rejects(writing, { code: "UNAVAILABLE" });
        await impatient.discard(staged).catch(() => undefined);
      } finally {
        swift.resume();
      }
      await store.discard(staged);
    }
    assert.deepEqual((await store.listStaged()).items, []);
  });

  test("refuses a part that the store refuses, with the time to try again; what had arrived stays", async () => {
    await using store = await open({ endpoint: swift.proxy.url });
    const bytes = randomBytes(MB);
    const { place } = partOf(bytes, MB, 1);
    const staged = await store.stage(newKey(), MB);
    swift.proxy.decide = () => undefined;
    const { etag } = await store.writePart(staged, place, body(bytes), nothing);
    swift.proxy.decide = ({ method }) => (method === "PUT" ? { status: 503 } : undefined);
    await assert.rejects(store.writePart(staged, place, body(bytes), neverPlaced), (error: Error & { headers?: object }) => {
      assert.deepEqual(
        { code: "code" in error && error.code, headers: error.headers },
        { code: "UNAVAILABLE", headers: { "Retry-After": "10" } },
      );
      return true;
    });
    swift.proxy.decide = () => undefined;
    await store.commit(staged, [{ partNumber: 1, etag }]);
    assert.ok((await readAll(store.read(staged.key))).equals(bytes));
  });

  test("takes back the record of an arrived part before other bytes replace it, and not for the same ones", async () => {
    await using store = await open();
    const staged = await store.stage(newKey(), MB);
    const [old, now] = [randomBytes(MB), randomBytes(MB)];
    let takenBack = 0;
    const onReplace = async () => {
      takenBack++;
    };
    await store.writePart(staged, partOf(old, MB, 1).place, body(old), nothing);
    await store.writePart(staged, { ...partOf(old, MB, 1).place, arrived: true, onReplace }, body(old), nothing);
    assert.equal(takenBack, 0);
    const { etag } = await store.writePart(staged, { ...partOf(now, MB, 1).place, arrived: true, onReplace }, body(now), nothing);
    assert.equal(takenBack, 1);
    await store.commit(staged, [{ partNumber: 1, etag }]);
    assert.ok((await readAll(store.read(staged.key))).equals(now));
  });

  test("stops a part and a whole that hang when their upload is discarded", async () => {
    await using store = await open();
    for (const kind of ["part", "whole"] as const) {
      const bytes = randomBytes(2 * MB);
      const staged = await store.stage(newKey(), bytes.length, { whole: kind === "whole" });
      const hanging = hangingBody(bytes.subarray(0, MB));
      const writing =
        kind === "whole"
          ? store.writeAll(staged, hanging.chunks)
          : store.writePart(staged, partOf(bytes, bytes.length, 1).place, hanging.chunks, neverPlaced);
      const stopped = assert.rejects(writing, { code: "UPLOAD_CLOSED" });
      await hanging.reached;
      await store.discard(staged);
      await stopped;
      hanging.release();
    }
    assert.deepEqual((await store.listStaged()).items, []);
  });

  test("forgets the uploads of a key whose reference was lost", async () => {
    await using store = await open();
    const key = newKey();
    await store.stage(key, 5);
    await store.stage(key, 5);
    assert.equal((await store.listStaged()).items.length, 2);
    await store.discard({ key, ref: "" });
    assert.deepEqual((await store.listStaged()).items, []);
  });

  test("lists page by page, each item once, also several uploads of one key, and passes over what is not its own", async () => {
    await using store = await open({ pageSize: 2 });
    const keys: string[] = [];
    for (let i = 0; i < 5; i++) keys.push(await putBlob(store, randomBytes(i + 1)));
    const staged: StagedBlob[] = [];
    const twice = newKey();
    for (const key of [newKey(), twice, twice, twice, newKey()]) staged.push(await store.stage(key, 5));
    const pages = async <T>(list: (after?: string) => Promise<BlobPage<T>>): Promise<T[]> => {
      const items: T[] = [];
      for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
        const page = await list(after);
        assert.ok(page.items.length <= 2);
        items.push(...page.items);
        after = page.next;
      }
      return items;
    };
    const listed = await pages((after) => store.list("visible", after));
    assert.deepEqual(
      listed.map(({ key }) => key),
      keys.sort(),
    );
    const refs = (uploads: readonly StagedBlob[]) => uploads.map(({ key, ref }) => `${key} ${ref}`).sort();
    assert.deepEqual(refs(await pages((after) => store.listStaged(after))), refs(staged));
    assert.deepEqual(await pages((after) => store.list("quarantine", after)), []);
  });

  test("moves what is too large for one copy, in parts", async () => {
    await using store = await open({ maxCopyBytes: 5 * MB });
    const bytes = randomBytes(12 * MB + 1);
    const key = await putBlob(store, bytes);
    await store.quarantine(key);
    assert.equal(await store.size(key), undefined);
    await store.restore(key);
    assert.ok((await readAll(store.read(key))).equals(bytes));
  });

  test("says in check that the bucket is not there, or refuses its keys", async () => {
    await using missing = await open({ bucket: "no-such-bucket" });
    await assert.rejects(missing.check(), { code: "UNAVAILABLE" });
    await using locked = await open({ credentials: { accessKeyId: "test:tester", secretAccessKey: "wrong" } });
    await assert.rejects(locked.check(), { code: "UNAVAILABLE" });
  });
});
