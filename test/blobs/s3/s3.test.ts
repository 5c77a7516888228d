import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { S3StoreOptions } from "../../../src/blobs/s3/s3-store.ts";
import type { BlobPage, StagedBlob } from "../../../src/blobs/store.ts";
import { type FaultySwift, startFaultySwift } from "../../support/services/faulty-swift.ts";
import { swiftMissing } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { body, newKey, nothing, partOf, putBlob, readAll } from "../bodies.ts";
import { openOnSwift } from "../on-swift.ts";
import { testBlobStore } from "../store-suite.ts";

const MB = 1024 * 1024;
/** The largest whole body that is sent in one request. */
const HELD_BYTES = 8 * MB;

/** storage, "Rows and bytes" and "Parts and an S3 store". */
describeUnless(swiftMissing, "S3 store", () => {
  let swift: FaultySwift;
  before(async () => {
    swift = await startFaultySwift();
  });
  after(() => swift[Symbol.asyncDispose]());

  const open = (options: Partial<S3StoreOptions> = {}) => openOnSwift(swift, options);

  testBlobStore(
    "S3",
    async () => {
      const store = await open();
      return { store, close: async () => await store[Symbol.asyncDispose]() };
    },
    { minPartBytes: 5 * MB, heldBytes: HELD_BYTES },
  );

  test("rejects any name but a blob key", async () => {
    await using store = await open();
    for (const key of ["../x", "", "A".repeat(32)]) {
      await assert.rejects(store.stage(key, 1), /key of a blob/);
      await assert.rejects(store.size(key), /key of a blob/);
      await assert.rejects(readAll(store.read(key)), /key of a blob/);
    }
  });

  test("sends a body in one request if it fits in the first part, and otherwise in parts", async () => {
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
      const staged = await store.stage(newKey(), announced, { isDirect: true });
      await store.writeAll(staged, body(bytes));
      await store.commit(staged);
      assert.deepEqual(requests, expected);
      assert.ok((await readAll(store.read(staged.key))).equals(bytes));
    }
    swift.proxy.decide = () => undefined;
  });

  test("discards a body staged by another process, by its key", async () => {
    const bucket = await swift.createBucket();
    await using store = await open({ bucket });
    await using other = await open({ bucket });
    for (const sizeBytes of [1000, HELD_BYTES + 1]) {
      const staged = await store.stage(newKey(), sizeBytes, { isDirect: true });
      await store.writeAll(staged, body(randomBytes(sizeBytes)));
      if (sizeBytes <= HELD_BYTES) await store.commit(staged);
      await other.discard({ key: staged.key, ref: staged.ref });
      assert.equal(await other.size(staged.key), undefined);
      if (sizeBytes > HELD_BYTES) await assert.rejects(store.commit(staged), { code: "NOT_FOUND" });
    }
    assert.deepEqual((await store.listStaged()).items, []);
  });

  test("deletes the record of a stored part before different bytes replace it, and not for the same bytes", async () => {
    await using store = await open();
    const staged = await store.stage(newKey(), MB);
    const [old, now] = [randomBytes(MB), randomBytes(MB)];
    let takenBack = 0;
    const onReplace = async () => {
      takenBack++;
    };
    await store.writePart(staged, partOf(old, MB, 1).input, body(old), nothing);
    await store.writePart(staged, { ...partOf(old, MB, 1).input, isUploaded: true, onReplace }, body(old), nothing);
    assert.equal(takenBack, 0);
    const { etag } = await store.writePart(staged, { ...partOf(now, MB, 1).input, isUploaded: true, onReplace }, body(now), nothing);
    assert.equal(takenBack, 1);
    await store.commit(staged, [{ partNumber: 1, etag }]);
    assert.ok((await readAll(store.read(staged.key))).equals(now));
  });

  test("aborts the uploads of a key whose reference was lost", async () => {
    await using store = await open();
    const key = newKey();
    await store.stage(key, 5);
    await store.stage(key, 5);
    assert.equal((await store.listStaged()).items.length, 2);
    await store.discard({ key, ref: "" });
    assert.deepEqual((await store.listStaged()).items, []);
  });

  test("lists each blob and each staged upload once, page by page, and skips unknown files", async () => {
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

  test("moves a blob that is too large for one copy request in parts", async () => {
    await using store = await open({ maxCopyBytes: 5 * MB });
    const bytes = randomBytes(12 * MB + 1);
    const key = await putBlob(store, bytes);
    await store.quarantine(key);
    assert.equal(await store.size(key), undefined);
    await store.restore(key);
    assert.ok((await readAll(store.read(key))).equals(bytes));
  });

  test("check reports a missing bucket and refused credentials", async () => {
    await using missing = await open({ bucket: "no-such-bucket" });
    await assert.rejects(missing.check(), { code: "UNAVAILABLE" });
    await using locked = await open({ credentials: { accessKeyId: "test:tester", secretAccessKey: "wrong" } });
    await assert.rejects(locked.check(), { code: "UNAVAILABLE" });
  });
});
