import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { BlobStore, WrittenPart } from "../../src/blobs/store.ts";
import { body, newKey, nothing, partOf, putBlob, readAll } from "./bodies.ts";

export interface OpenedStore {
  readonly store: BlobStore;
  readonly close: () => Promise<void>;
}

const MB = 1024 * 1024;

export interface StoreTraits {
  /** The smallest part, but for the last, that the store takes. */
  readonly minPartBytes?: number;
  /** Direct uploads of up to this size stay in the process until `commit`. */
  readonly heldBytes?: number;
}

/** Tests what every BlobStore must do. */
export function testBlobStore(name: string, open: () => Promise<OpenedStore>, { minPartBytes = 1, heldBytes = 0 }: StoreTraits = {}): void {
  describe(`${name} as a blob store`, () => {
    let opened: OpenedStore;
    let store: BlobStore;
    before(async () => {
      opened = await open();
      store = opened.store;
    });
    after(() => opened.close());

    for (const sizeBytes of [0, 1, 4096, 10_240, MB, MB + 1, 3 * MB + 77]) {
      test(`stores ${sizeBytes} bytes unchanged`, async () => {
        const bytes = randomBytes(sizeBytes);
        const staged = await store.stage(newKey(), undefined);
        assert.deepEqual(await store.writeAll(staged, body(bytes)), { sizeBytes });
        await store.commit(staged);
        assert.equal(await store.size(staged.key), sizeBytes);
        assert.ok((await readAll(store.read(staged.key))).equals(bytes));
      });
    }

    test("copies chunks, because a body may reuse its buffer", async () => {
      const buffer = new Uint8Array(1000);
      const staged = await store.stage(newKey(), undefined);
      async function* reusing() {
        for (let i = 1; i <= 3; i++) yield buffer.fill(i);
      }
      await store.writeAll(staged, reusing());
      await store.commit(staged);
      const read = await readAll(store.read(staged.key));
      assert.deepEqual([read[0], read[1000], read[2000]], [1, 2, 3]);
    });

    test("reads ranges, and allows a reader to stop early", async () => {
      const bytes = randomBytes(2 * MB + 5);
      const key = await putBlob(store, bytes);
      for (const [start, end] of [
        [0, 1],
        [1, 1],
        [MB - 1, MB + 1],
        [2 * MB, 2 * MB + 5],
      ] as const) {
        assert.ok((await readAll(store.read(key, { range: { start, end } }))).equals(bytes.subarray(start, end)), `${start}-${end}`);
      }
      for await (const chunk of store.read(key)) {
        assert.ok(chunk.length < bytes.length);
        break;
      }
    });

    test("shows nothing before commit, and nothing for unknown keys", async () => {
      for (const sizeBytes of [3, heldBytes + 1]) {
        const staged = await store.stage(newKey(), sizeBytes, { isDirect: true });
        await store.writeAll(staged, body(randomBytes(sizeBytes)));
        assert.equal(await store.size(staged.key), undefined);
        await assert.rejects(readAll(store.read(staged.key)), { code: "NOT_FOUND" });
        assert.equal(
          (await store.listStaged()).items.some(({ key }) => key === staged.key),
          sizeBytes > heldBytes,
        );
        await store.discard(staged);
        assert.ok(!(await store.listStaged()).items.some(({ key }) => key === staged.key));
        await assert.rejects(store.commit(staged), { code: "NOT_FOUND" });
        await assert.rejects(readAll(store.read(staged.key)), { code: "NOT_FOUND" });
      }
    });

    test("rejects with the error that the body throws, and leaves nothing after discard", async () => {
      const broken = new Error("the connection broke");
      for (const sizeBytes of [10, 3 * MB, heldBytes + MB]) {
        const staged = await store.stage(newKey(), sizeBytes + 1, { isDirect: true });
        await assert.rejects(store.writeAll(staged, body(randomBytes(sizeBytes), { error: broken })), broken);
        await store.discard(staged);
        assert.ok(!(await store.listStaged()).items.some(({ key }) => key === staged.key));
      }
    });

    test("assembles parts sent concurrently in any order", async () => {
      const partBytes = Math.max(minPartBytes, MB + 4096 + 3);
      const whole = randomBytes(4 * partBytes + 1234);
      const staged = await store.stage(newKey(), whole.length);
      const placed = new Map<number, WrittenPart>();
      await Promise.all(
        [5, 2, 4, 1, 3].map(async (partNumber) => {
          const { input, bytes } = partOf(whole, partBytes, partNumber);
          const part = await store.writePart(staged, input, body(bytes), async (written) => {
            assert.ok(!placed.has(partNumber));
            placed.set(partNumber, written);
          });
          assert.deepEqual(placed.get(partNumber), part);
        }),
      );
      const parts = [...placed].map(([partNumber, { etag }]) => ({ partNumber, etag })).sort((a, b) => a.partNumber - b.partNumber);
      await store.commit(staged, parts);
      assert.ok((await readAll(store.read(staged.key))).equals(whole));
      await store.commit(staged, parts);
    });

    test("makes an empty blob of one empty part", async () => {
      const staged = await store.stage(newKey(), 0);
      const { input, bytes } = partOf(new Uint8Array(), 1, 1);
      const { etag } = await store.writePart(staged, input, body(bytes), nothing);
      await store.commit(staged, [{ partNumber: 1, etag }]);
      assert.equal(await store.size(staged.key), 0);
    });

    test("rejects a part with wrong bytes or a wrong size, and keeps the stored part", async () => {
      const partBytes = Math.max(minPartBytes, 2 * MB);
      const whole = randomBytes(partBytes + 100);
      const staged = await store.stage(newKey(), whole.length);
      const first = partOf(whole, partBytes, 1);
      const last = partOf(whole, partBytes, 2);
      const etags: string[] = [];
      let recorded = 0;
      const attempt = (input: typeof first.input, bytes: Uint8Array) =>
        store.writePart(staged, input, body(bytes), async () => {
          recorded++;
        });
      for (const isUploaded of [false, true]) {
        recorded = 0;
        const input = { ...first.input, isUploaded };
        await assert.rejects(attempt(input, randomBytes(partBytes)), { code: "DIGEST_MISMATCH" });
        await assert.rejects(attempt(input, first.bytes.subarray(1)), { code: "SIZE_MISMATCH" });
        await assert.rejects(attempt(input, Buffer.concat([first.bytes, randomBytes(200)])), { code: "SIZE_MISMATCH" });
        await assert.rejects(attempt(input, new Uint8Array()), { code: "SIZE_MISMATCH" });
        assert.equal(recorded, 0);
        if (!isUploaded) etags.push((await attempt(input, first.bytes)).etag);
      }
      etags.push((await attempt(last.input, last.bytes)).etag);
      await store.commit(
        staged,
        etags.map((etag, i) => ({ partNumber: i + 1, etag })),
      );
      assert.ok((await readAll(store.read(staged.key))).equals(whole));
    });

    test("replaces a stored part by a complete new one", async () => {
      const old = randomBytes(MB + 9);
      const bytes = randomBytes(MB + 9);
      const staged = await store.stage(newKey(), bytes.length);
      const before = partOf(old, bytes.length, 1);
      const now = partOf(bytes, bytes.length, 1);
      await store.writePart(staged, before.input, body(old), nothing);
      const { etag } = await store.writePart(staged, { ...now.input, isUploaded: true }, body(bytes), nothing);
      await store.commit(staged, [{ partNumber: 1, etag }]);
      assert.ok((await readAll(store.read(staged.key))).equals(bytes));
    });

    test("rejects parts after commit or discard", async () => {
      const bytes = randomBytes(5000);
      const { input } = partOf(bytes, 5000, 1);
      const staged = await store.stage(newKey(), 5000);
      const { etag } = await store.writePart(staged, input, body(bytes), nothing);
      await store.commit(staged, [{ partNumber: 1, etag }]);
      for (const isUploaded of [false, true]) {
        await assert.rejects(store.writePart(staged, { ...input, isUploaded }, body(randomBytes(5000)), nothing), {
          code: "UPLOAD_CLOSED",
        });
      }
      assert.ok((await readAll(store.read(staged.key))).equals(bytes));
      await store.discard(staged);
      assert.equal(await store.size(staged.key), undefined);
      await assert.rejects(store.writePart(staged, input, body(bytes), nothing), { code: "UPLOAD_CLOSED" });
      assert.ok(!(await store.listStaged()).items.some(({ key }) => key === staged.key));
      await store.discard(staged);
    });

    test("moves into quarantine and back, and removes from either", async () => {
      const bytes = randomBytes(4321);
      const key = await putBlob(store, bytes);
      await store.restore(key);
      assert.equal(await store.size(key), 4321);
      await store.quarantine(key);
      await store.quarantine(key);
      assert.equal(await store.size(key), undefined);
      assert.equal(await store.size(key, "quarantine"), 4321);
      await assert.rejects(readAll(store.read(key)), { code: "NOT_FOUND" });
      assert.ok((await readAll(store.read(key, { area: "quarantine" }))).equals(bytes));
      await store.restore(key);
      await store.restore(key);
      assert.equal(await store.size(key, "quarantine"), undefined);
      assert.ok((await readAll(store.read(key))).equals(bytes));
      await store.quarantine(key);
      await store.remove(key);
      await store.remove(key);
      assert.equal(await store.size(key, "quarantine"), undefined);
      await assert.rejects(store.quarantine(key), { code: "NOT_FOUND" });
      await assert.rejects(store.restore(key), { code: "NOT_FOUND" });
    });

    test("a staged blob that is open can be read before and after it is committed", async (t) => {
      const bytes = randomBytes(3 * 65_537);
      const staged = await store.stage(newKey(), bytes.length);
      if (!store.openStaged) return t.skip("this store does not read staged blobs");
      const { input } = partOf(bytes, bytes.length, 1);
      await store.writePart(staged, input, body(bytes), nothing);
      const reader = await store.openStaged(staged);
      try {
        assert.deepEqual(await readAll(reader.read({ range: { start: 10, end: 100_000 } })), bytes.subarray(10, 100_000));
        await store.commit(staged, [{ partNumber: 1, etag: "", sha256: input.sha256 }]);
        assert.deepEqual(await readAll(reader.read({ range: { start: 100_000, end: bytes.length } })), bytes.subarray(100_000));
      } finally {
        await reader.close();
      }
      await assert.rejects(store.openStaged(staged), { code: "NOT_FOUND" });
    });

    test("lists keys in order, also from the middle", async () => {
      const keys: string[] = [];
      for (let i = 0; i < 5; i++) keys.push(await putBlob(store, randomBytes(i)));
      keys.sort();
      const listed = (await store.list("visible")).items.map(({ key }) => key);
      assert.deepEqual(listed, [...listed].sort());
      assert.deepEqual(
        listed.filter((key) => keys.includes(key)),
        keys,
      );
      const rest = (await store.list("visible", keys[2])).items;
      assert.deepEqual(
        rest.map(({ key }) => key),
        listed.filter((key) => key > `${keys[2]}`),
      );
      for (const { key, sizeBytes } of rest) assert.equal(await store.size(key), sizeBytes);
    });

    test("passes its own check", async () => {
      const { freeBytes } = await store.check();
      assert.ok(freeBytes === undefined || freeBytes > 0);
    });
  });
}
