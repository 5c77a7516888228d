import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { openDiskStore } from "../../../src/blobs/disk/disk-store.ts";
import { RESERVATION_IDLE_TIMEOUT_MS } from "../../../src/blobs/disk/space.ts";
import type { OpenUpload, SpaceGroup, StagedBlob } from "../../../src/blobs/store.ts";
import { mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import { describeUnless } from "../../support/suite.ts";
import { body, hangingBody, neverRecorded, newKey, nothing, partOf } from "../bodies.ts";

const MB = 1024 * 1024;
const GB = 1024 * MB;

// Other programs use the disk too, so the sizes are far larger than what they may write meanwhile. Sparse files take no space.
describe("disk store: the reservation of an idle upload", () => {
  let dir: string;
  let nowMs: number;
  let open: Map<string, OpenUpload>;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "filehost-blobs-"));
    nowMs = Date.now();
    open = new Map();
  });
  afterEach(() => rm(dir, { recursive: true }));

  const listAll = async (): Promise<ReadonlyMap<string, OpenUpload>> => open;

  async function openWithRoom(roomBytes: number, listOpen = listAll) {
    const { bavail, bsize } = await statfs(dir);
    return openDiskStore({ dir, minFreeBytes: bavail * bsize - roomBytes, now: () => nowMs, listOpen });
  }

  type Store = Awaited<ReturnType<typeof openWithRoom>>;

  async function stage(store: Store, sizeBytes: number, groups: readonly SpaceGroup[] = []): Promise<StagedBlob> {
    const key = newKey();
    open.set(key, { groups, lastByteAtMs: nowMs });
    return await store.stage(key, sizeBytes, { groups });
  }

  const first = partOf(randomBytes(MB), MB, 1);
  const sendFirst = (store: Store, staged: StagedBlob) => store.writePart(staged, first.input, body(first.bytes), nothing);

  for (const restarted of [false, true]) {
    test(`is released after ten minutes without a byte, and made again by the next part${restarted ? ", also after a restart" : ""}`, async () => {
      let store = await openWithRoom(30 * GB);
      const idle = await stage(store, 20 * GB);
      nowMs += RESERVATION_IDLE_TIMEOUT_MS - 1;
      await assert.rejects(stage(store, 20 * GB), { code: "STORAGE_FULL" });
      nowMs += 1;
      if (restarted) store = await openWithRoom(30 * GB);
      const next = await stage(store, 20 * GB);
      await assert.rejects(sendFirst(store, idle), { code: "STORAGE_FULL" });
      await assert.rejects(store.writePart(idle, first.input, body(first.bytes), neverRecorded), { code: "STORAGE_FULL" });
      await store.discard(next);
      await sendFirst(store, idle);
      await assert.rejects(stage(store, 20 * GB), { code: "STORAGE_FULL" });
    });
  }

  test("remains while a part is being sent, and for ten minutes after it breaks off", async () => {
    const store = await openWithRoom(30 * GB);
    const slow = await stage(store, 20 * GB);
    const sent = hangingBody(first.bytes.subarray(0, 10), new Uint8Array());
    const part = assert.rejects(store.writePart(slow, first.input, sent.chunks, neverRecorded), { code: "SIZE_MISMATCH" });
    await sent.reached;
    nowMs += 2 * RESERVATION_IDLE_TIMEOUT_MS;
    await assert.rejects(stage(store, 20 * GB), { code: "STORAGE_FULL" });
    sent.release();
    await part;
    nowMs += RESERVATION_IDLE_TIMEOUT_MS - 1;
    await assert.rejects(stage(store, 20 * GB), { code: "STORAGE_FULL" });
    nowMs += 1;
    await stage(store, 20 * GB);
  });

  test("does not count if its upload cannot be continued", async () => {
    const store = await openWithRoom(30 * GB);
    const ended = await stage(store, 20 * GB);
    open.delete(ended.key);
    await stage(store, 20 * GB);
  });

  test("is not made again for an upload that ends while its next part waits for space", async () => {
    const ended: StagedBlob[] = [];
    const store = await openWithRoom(30 * GB, async () => {
      for (const { key } of ended) open.delete(key);
      return open;
    });
    const idle = await stage(store, 20 * GB);
    nowMs += RESERVATION_IDLE_TIMEOUT_MS;
    const next = await stage(store, 20 * GB);
    // Their rows are deleted after the part has found its session, and before the open uploads are listed for it.
    ended.push(idle, next);
    await assert.rejects(sendFirst(store, idle), { code: "UPLOAD_CLOSED" });
    await store.discard(idle);
    await stage(store, 20 * GB);
  });

  test("remains for an upload that starts while the disk is counted", async () => {
    const listing = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let isHeld = false;
    const store = await openWithRoom(30 * GB, async () => {
      const listed = new Map(open);
      if (isHeld) {
        listing.resolve();
        await go.promise;
      }
      return listed;
    });
    await stage(store, GB);
    isHeld = true;
    const refused = assert.rejects(stage(store, 40 * GB), { code: "STORAGE_FULL" });
    await listing.promise;
    await stage(store, 20 * GB);
    isHeld = false;
    go.resolve();
    await refused;
    await assert.rejects(stage(store, 20 * GB), { code: "STORAGE_FULL" });
  });

  test("counts for the groups of its upload, also after a restart", async () => {
    const groups = [{ name: "all", fraction: 0.8 }];
    await stage(await openWithRoom(30 * GB), 20 * GB, groups);
    const store = await openWithRoom(30 * GB);
    await assert.rejects(stage(store, 5 * GB, groups), { code: "STORAGE_FULL", message: /complete or abort/i });
    await stage(store, 5 * GB);
  });
});

const refusal = await whyNoDisk();
const DISK_BYTES = 64 * MB;
const MIN_FREE_BYTES = 8 * MB;

describeUnless(refusal, "disk store: the reservation of unwritten bytes", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mountDisk(DISK_BYTES);
  });
  afterEach(() => unmountDisk(dir));

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  }

  const openStore = () => openDiskStore({ dir, minFreeBytes: MIN_FREE_BYTES });

  test("is made for a repeated part before it is written, and released with its file", async () => {
    const store = await openStore();
    const partBytes = 8 * MB;
    const whole = randomBytes(3 * partBytes);
    const other = randomBytes(3 * partBytes);
    const staged = await store.stage(newKey(), whole.length);
    for (const number of [1, 2, 3]) {
      const { input, bytes } = partOf(whole, partBytes, number);
      await store.writePart(staged, input, body(bytes), nothing);
    }
    // 32 MB are left to be reserved: four parts beside.
    const sent = Array.from({ length: 6 }, (_, i) => {
      const { input, bytes } = partOf(other, partBytes, (i % 3) + 1);
      const before = hangingBody(new Uint8Array(), bytes.subarray(0, -1));
      const last = hangingBody(new Uint8Array(), bytes.subarray(-1));
      const ended = store.writePart(staged, { ...input, isUploaded: true }, inTurn(before.chunks, last.chunks), nothing);
      const refused = ended.catch(() => undefined);
      return { before, last, ended, started: Promise.race([before.reached, refused]), received: Promise.race([last.reached, refused]) };
    });
    await Promise.all(sent.map(({ started }) => started));
    await assert.rejects(store.stage(newKey(), 4 * MB), { code: "STORAGE_FULL" });
    for (const { before } of sent) before.release();
    await Promise.all(sent.map(({ received }) => received));
    assert.ok((await freeBytes()) >= MIN_FREE_BYTES, `${await freeBytes()} bytes are left`);
    for (const { last } of sent) last.release();
    const codes = (await Promise.allSettled(sent.map(({ ended }) => ended))).map((outcome) =>
      outcome.status === "fulfilled" ? "placed" : outcome.reason.code,
    );
    assert.equal(codes.filter((code) => code === "placed").length, 4, codes.join());
    assert.equal(codes.filter((code) => code === "STORAGE_FULL").length, 2, codes.join());
    assert.deepEqual(await readdir(join(dir, "staging")), [staged.key]);
    await store.discard(await store.stage(newKey(), 30 * MB));
  });

  test("is made for a body without a size before it is written", async () => {
    const store = await openStore();
    const bodies = Array.from({ length: 8 }, () => hangingBody(randomBytes(16 * MB)));
    const ended = bodies.map(async ({ chunks }) => store.writeAll(await store.stage(newKey(), undefined), chunks));
    await Promise.all(bodies.map(({ reached }, i) => Promise.race([reached, ended[i]?.catch(() => undefined)])));
    assert.ok((await freeBytes()) >= MIN_FREE_BYTES, `${await freeBytes()} bytes are left`);
    for (const { release } of bodies) release();
    const outcomes = await Promise.allSettled(ended);
    assert.ok(outcomes.some(({ status }) => status === "fulfilled"));
    for (const outcome of outcomes) if (outcome.status === "rejected") assert.equal(outcome.reason.code, "STORAGE_FULL");
  });

  test("a repeated part replaces a stalled transfer if there is no space for a side file", async () => {
    const store = await openStore();
    const bytes = randomBytes(40 * MB);
    const { input } = partOf(bytes, bytes.length, 1);
    const staged = await store.stage(newKey(), bytes.length);
    const dead = hangingBody(bytes.subarray(0, MB));
    const lost = assert.rejects(store.writePart(staged, input, dead.chunks, neverRecorded), { code: "CONFLICT" });
    await dead.reached;
    await store.writePart(staged, input, body(bytes), nothing);
    await lost;
    assert.ok((await freeBytes()) >= MIN_FREE_BYTES);
  });
});

async function* inTurn(...bodies: readonly AsyncIterable<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  for (const each of bodies) yield* each;
}
