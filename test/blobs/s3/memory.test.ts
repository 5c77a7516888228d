import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { S3StoreOptions } from "../../../src/blobs/s3/s3-store.ts";
import type { BlobStore, StagedBlob } from "../../../src/blobs/store.ts";
import { type FaultySwift, startFaultySwift } from "../../support/services/faulty-swift.ts";
import { swiftMissing } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { body, hangingBody, newKey, readAll } from "../bodies.ts";
import { openOnSwift } from "../on-swift.ts";

const MB = 1024 * 1024;
const SMALL = { totalBytes: 24 * MB, waitMs: 60_000 };

/** request limits, "Direct uploads on S3". */
describeUnless(swiftMissing, "memory of direct uploads on S3", () => {
  let swift: FaultySwift;
  const requests: string[] = [];
  before(async () => {
    swift = await startFaultySwift();
    swift.proxy.decide = ({ method, url }) => {
      requests.push(`${method} ${new URL(url, swift.proxy.url).searchParams.get("partNumber") ?? ""}`.trim());
      return undefined;
    };
  });
  after(() => swift[Symbol.asyncDispose]());

  const open = (options: Partial<S3StoreOptions> = {}) => openOnSwift(swift, { endpoint: swift.proxy.url, memory: SMALL, ...options });

  /** The requests that a body takes; its bytes are compared. */
  async function put(store: BlobStore, sizeBytes: number, announced: number | undefined = sizeBytes): Promise<readonly string[]> {
    const bytes = randomBytes(sizeBytes);
    const staged = await store.stage(newKey(), announced, { isDirect: true });
    requests.length = 0;
    await store.writeAll(staged, body(bytes));
    await store.commit(staged);
    const made = [...requests];
    assert.ok((await readAll(store.read(staged.key))).equals(bytes));
    return made;
  }

  interface Hanging {
    readonly staged: StagedBlob;
    readonly written: Promise<unknown>;
    release(): void;
  }

  /** A body whose last bytes are sent by `release`. */
  async function hang(store: BlobStore, sizeBytes: number, announced?: number): Promise<Hanging> {
    const staged = await store.stage(newKey(), announced, { isDirect: true });
    const { chunks, reached, release } = hangingBody(new Uint8Array(sizeBytes), new Uint8Array(1));
    const written = store.writeAll(staged, chunks);
    written.catch(() => undefined);
    await reached;
    return { staged, written, release };
  }

  test("is not required for parts, and the blob is not visible before commit", async () => {
    await using store = await open();
    // One body takes all 8 MB of optional memory.
    const slow = await hang(store, 7 * MB, 7 * MB + 1);
    const direct = ["POST", "PUT 1", "POST"];
    assert.deepEqual(await put(store, 8 * MB), direct);
    assert.deepEqual(await put(store, 7 * MB + 7), direct);
    assert.deepEqual(await put(store, 19 * MB + 7), ["POST", "PUT 1", "PUT 2", "PUT 3", "POST"]);
    assert.deepEqual(await put(store, 400_000), ["PUT"]);
    const second = await hang(store, 7 * MB, 8 * MB);
    assert.equal(await store.size(second.staged.key), undefined);
    assert.equal((await store.listStaged()).items.length, 1);
    await store.discard(second.staged);
    assert.deepEqual((await store.listStaged()).items, []);
    slow.release();
    await slow.written;
    await store.commit(slow.staged);
    assert.equal(await store.size(slow.staged.key), 7 * MB + 1);
    assert.deepEqual(await put(store, 8 * MB), ["PUT"]);
  });

  test("suffices for an upload if it has space for one buffer but not for two", async () => {
    await using store = await open({ memory: { totalBytes: 14 * MB } });
    assert.deepEqual(await put(store, 19 * MB, undefined), ["POST", "PUT 1", "PUT 2", "PUT 3", "POST"]);
  });

  test("a body of unknown size waits for memory, and is UNAVAILABLE after the timeout", async () => {
    for (const waitMs of [60_000, 1]) {
      await using store = await open({ memory: { totalBytes: 15 * MB, waitMs } });
      const slow = await hang(store, 5 * MB);
      const staged = await store.stage(newKey(), undefined, { isDirect: true });
      const other = hangingBody(new Uint8Array(MB), new Uint8Array(6 * MB));
      const written = store.writeAll(staged, other.chunks);
      written.catch(() => undefined);
      await other.reached;
      other.release();
      if (waitMs === 1) {
        await assert.rejects(written, { code: "UNAVAILABLE", retryAfterSeconds: 5 });
        slow.release();
      } else {
        slow.release();
        await slow.written;
        await store.commit(slow.staged);
        assert.deepEqual(await written, { sizeBytes: 7 * MB });
        await store.commit(staged);
        assert.equal(await store.size(staged.key), 7 * MB);
      }
    }
  });

  test("is released when a body fails, is stopped, discarded, or refused by the store", async () => {
    await using store = await open();
    const ends: readonly (() => Promise<void>)[] = [
      async () => {
        const staged = await store.stage(newKey(), 8 * MB, { isDirect: true });
        await assert.rejects(store.writeAll(staged, body(randomBytes(7 * MB), { error: new Error("cut") })), /cut/);
      },
      async () => {
        const { staged, written } = await hang(store, 7 * MB, 8 * MB);
        await store.discard(staged);
        await assert.rejects(written, { code: "UPLOAD_CLOSED" });
      },
      async () => {
        const staged = await store.stage(newKey(), 8 * MB, { isDirect: true });
        await store.writeAll(staged, body(randomBytes(8 * MB)));
        await store.discard(staged);
      },
      async () => {
        // The second is streamed.
        const both = [await hang(store, 7 * MB, 8 * MB), await hang(store, 7 * MB, 8 * MB)];
        for (const { staged, written } of both) {
          await store.discard(staged);
          await assert.rejects(written, { code: "UPLOAD_CLOSED" });
        }
      },
      async () => {
        const staged = await store.stage(newKey(), 8 * MB, { isDirect: true });
        await store.writeAll(staged, body(randomBytes(8 * MB)));
        const { decide } = swift.proxy;
        swift.proxy.decide = ({ method }) => (method === "PUT" ? { status: 503 } : undefined);
        await assert.rejects(store.commit(staged), { code: "UNAVAILABLE" });
        swift.proxy.decide = decide;
        await store.discard(staged);
      },
      async () => void (await put(store, 33 * MB)),
    ];
    for (const end of ends) {
      // Twice, because a body uses all available memory.
      await end();
      await end();
      assert.deepEqual(await put(store, 8 * MB), ["PUT"]);
      assert.deepEqual((await store.listStaged()).items, []);
    }
  });
});
