import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { openDiskStore } from "../../../src/blobs/disk/disk-store.ts";
import { mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import { describeUnless } from "../../support/suite.ts";
import { body, neverRecorded, newKey, nothing, partOf, putBlob, readAll } from "../bodies.ts";

const MB = 1024 * 1024;
const DISK_BYTES = 16 * MB;

const refusal = await whyNoDisk();

/** disk space, "What is reserved". */
describeUnless(refusal, "disk store on a full disk", () => {
  let dir: string;
  before(async () => {
    dir = await mountDisk(DISK_BYTES);
  });
  after(() => unmountDisk(dir));
  const staging = () => readdir(join(dir, "staging"));

  test("rejects a direct upload and parts, in place or in side files, when the disk is full, and leaves nothing", async () => {
    const store = await openDiskStore({ dir, minFreeBytes: 0 });
    const whole = await store.stage(newKey(), undefined);
    await assert.rejects(store.writeAll(whole, body(randomBytes(DISK_BYTES + MB))), { code: "STORAGE_FULL" });
    assert.deepEqual(await staging(), []);

    const bytes = randomBytes(6 * MB);
    const staged = await store.stage(newKey(), 12 * MB);
    const { input } = partOf(bytes, bytes.length, 1);
    await store.writePart(staged, input, body(bytes), nothing);
    const filler = await putBlob(await openDiskStore({ dir, minFreeBytes: -DISK_BYTES }), randomBytes(7 * MB));
    const next = { ...input, partNumber: 2, offset: 6 * MB };
    await assert.rejects(store.writePart(staged, next, body(bytes), neverRecorded), { code: "STORAGE_FULL" });
    const again = store.writePart(staged, { ...input, isUploaded: true }, body(bytes), neverRecorded);
    await assert.rejects(again, { code: "STORAGE_FULL" });
    assert.deepEqual(await staging(), [staged.key]);

    await store.remove(filler);
    await store.writePart(staged, next, body(bytes), nothing);
    await store.commit(staged, []);
    assert.ok((await readAll(store.read(staged.key))).equals(Buffer.concat([bytes, bytes])));
    await store.remove(staged.key);
  });
});

describe("disk store: minimum free space", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "filehost-blobs-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  /** A store on this disk that has some `roomBytes` for uploads. */
  async function openWithRoom(roomBytes: number) {
    const { bavail, bsize } = await statfs(dir);
    return openDiskStore({ dir, minFreeBytes: bavail * bsize - roomBytes });
  }

  test("rejects an upload that would leave less free space, and creates nothing", async () => {
    const store = await openWithRoom(-1024 * 1024 * MB);
    for (const sizeBytes of [undefined, 0, 10_000]) {
      await assert.rejects(store.stage(newKey(), sizeBytes), {
        code: "STORAGE_FULL",
        message: /has no space left for uploads\. .*administrator to free space/,
      });
    }
    assert.deepEqual(await readdir(join(dir, "staging")), []);
    const small = await openWithRoom(20 * 1024 * MB);
    const message = /^This upload needs 2 TB more, and the server's disk has \d+ GB left for uploads\. .*administrator to free space/;
    await assert.rejects(small.stage(newKey(), 2 * 1024 * 1024 * MB), { code: "STORAGE_FULL", message });
  });

  // Other programs use the disk too, so the sizes are far larger than what they may write meanwhile. Sparse files take no space.
  const GB = 1024 * MB;

  test("counts the reservations of running uploads, also after a restart", async () => {
    const store = await openWithRoom(30 * GB);
    const first = await store.stage(newKey(), 20 * GB);
    await assert.rejects(store.stage(newKey(), 20 * GB), { code: "STORAGE_FULL" });
    const restarted = await openWithRoom(30 * GB);
    await assert.rejects(restarted.stage(newKey(), 20 * GB), { code: "STORAGE_FULL" });
    await restarted.stage(newKey(), 1 * GB);
    await assert.rejects(restarted.stage(newKey(), 15 * GB), { code: "STORAGE_FULL" });
    await restarted.discard(first);
    await restarted.stage(newKey(), 20 * GB);
  });

  test("reserves no more than the free space for concurrent uploads", async () => {
    const store = await openWithRoom(30 * GB);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => store.stage(newKey(), 8 * GB, { isDirect: true })));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 3);
  });

  test("releases a reservation on discard, on commit and when a body fails", async () => {
    const store = await openWithRoom(30 * GB);
    for (let i = 0; i < 3; i++) {
      await store.discard(await store.stage(newKey(), 20 * GB));
      const short = await store.stage(newKey(), 20 * GB, { isDirect: true });
      await store.writeAll(short, body(randomBytes(10)));
      await store.commit(short);
      const failing = await store.stage(newKey(), 20 * GB, { isDirect: true });
      await assert.rejects(store.writeAll(failing, body(randomBytes(10), { error: new Error("gone") })));
    }
  });
});
