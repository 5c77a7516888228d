import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { access, mkdir, mkdtemp, readdir, readlink, rename, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { openDiskStore } from "../../../src/blobs/disk/disk-store.ts";
import type { BlobStore } from "../../../src/blobs/store.ts";
import { runKilledAt, straceMissing } from "../../e2e/support/servers/strace.ts";
import { body, newKey, nothing, partOf, putBlob, readAll } from "../bodies.ts";
import { testBlobStore } from "../store-suite.ts";

const MB = 1024 * 1024;

const newFolder = () => mkdtemp(join(tmpdir(), "filehost-blobs-"));

testBlobStore("disk", async () => {
  const dir = await newFolder();
  return { store: await openDiskStore({ dir, minFreeBytes: 0 }), close: () => rm(dir, { recursive: true }) };
});

/** storage, "Rows and bytes" and "Disk". */
describe("disk store", () => {
  let dir: string;
  let store: BlobStore;
  beforeEach(async () => {
    dir = await newFolder();
    store = await openDiskStore({ dir, minFreeBytes: 0 });
  });
  afterEach(() => rm(dir, { recursive: true }));

  const staging = () => readdir(join(dir, "staging"));

  test("lays out two levels of folders that nobody else may read", async () => {
    const key = await putBlob(store, randomBytes(10));
    const path = join(dir, "blobs", key.slice(0, 2), key.slice(2, 4), key);
    assert.equal(store.localPath(key), path);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    for (const folder of ["blobs", "staging", "quarantine", `blobs/${key.slice(0, 2)}`, `blobs/${key.slice(0, 4).replace(/^../, "$&/")}`]) {
      assert.equal((await stat(join(dir, folder))).mode & 0o777, 0o700, folder);
    }
    assert.deepEqual(await staging(), []);
  });

  test("removes what a process that was killed has left of a mark when it is opened an hour later", { skip: straceMissing }, async () => {
    const command = [process.execPath, join(import.meta.dirname, "mark.child.ts"), dir];
    assert.ok(await runKilledAt(command, process.env, { call: "rename", when: 1 }));
    assert.deepEqual(await readdir(join(dir, "blobs")), []);
    const [left = ""] = await staging();
    assert.deepEqual((await store.listStaged()).items, []);
    await openDiskStore({ dir, minFreeBytes: 0 });
    assert.deepEqual(await staging(), [left]);
    const anHourAgo = new Date(Date.now() - 3_601_000);
    await utimes(join(dir, "staging", left), anHourAgo, anHourAgo);
    await openDiskStore({ dir, minFreeBytes: 0 });
    assert.deepEqual(await staging(), []);
  });

  test("lists no mark that is being written, so that nobody takes one for an orphan", async () => {
    let isWriting = true;
    const writing = (async () => {
      for (let i = 0; i < 100; i++) await store.marks.write("identity", String(i));
    })().finally(() => (isWriting = false));
    const seen = new Set<string>();
    while (isWriting) {
      for (const { key } of (await store.listStaged()).items) seen.add(key);
      for await (const { path } of store.listUnknownFiles?.() ?? []) seen.add(path);
    }
    await writing;
    assert.deepEqual([...seen], []);
  });

  test("rejects any name but a blob key", async () => {
    for (const key of ["../../etc/passwd", "", "a".repeat(31), "A".repeat(32), `${"a".repeat(30)}/.`, `${"a".repeat(32)}\n`]) {
      await assert.rejects(store.stage(key, 1), /key of a blob/);
      await assert.rejects(store.writeAll({ key, ref: "" }, body(randomBytes(1))), /key of a blob/);
      await assert.rejects(store.commit({ key, ref: "" }), /key of a blob/);
      await assert.rejects(store.discard({ key, ref: "" }), /key of a blob/);
      await assert.rejects(store.size(key), /key of a blob/);
      await assert.rejects(readAll(store.read(key)), /key of a blob/);
      assert.throws(() => store.localPath(key), /key of a blob/);
    }
  });

  test("leaves nothing of a body that fails, and accepts a body shorter than its staged size", async () => {
    const staged = await store.stage(newKey(), 4 * MB);
    await assert.rejects(store.writeAll(staged, body(randomBytes(3 * MB), { error: new Error("gone") })));
    assert.deepEqual(await staging(), []);
    const longer = await store.stage(newKey(), 4 * MB);
    await store.writeAll(longer, body(Buffer.from("short")));
    await store.commit(longer);
    assert.equal(await store.size(longer.key), 5);
  });

  test("stops a body that is still being received when its upload is discarded", async () => {
    const staged = await store.stage(newKey(), undefined);
    const reached = Promise.withResolvers<void>();
    async function* endless() {
      yield randomBytes(2 * MB);
      reached.resolve();
      await new Promise(() => undefined);
    }
    const outcome = assert.rejects(store.writeAll(staged, endless()), { code: "UPLOAD_CLOSED" });
    await reached.promise;
    await assert.rejects(store.writeAll(staged, body(randomBytes(1))), { code: "CONFLICT" });
    await store.discard(staged);
    await outcome;
    assert.deepEqual(await staging(), []);
  });

  test("closes its file when a reader ends early", { skip: process.platform !== "linux" }, async () => {
    const key = await putBlob(store, randomBytes(3 * MB));
    const openFiles = async () => {
      const targets = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
      return (await Promise.all(targets)).filter((path) => path.startsWith(dir));
    };
    for (let i = 0; i < 20; i++) for await (const _ of store.read(key)) break;
    const staged = await store.stage(newKey(), 3 * MB);
    const { input, bytes } = partOf(randomBytes(3 * MB), 3 * MB, 1);
    for (const isUploaded of [false, true, true]) await store.writePart(staged, { ...input, isUploaded }, body(bytes), nothing);
    await assert.rejects(store.writePart(staged, input, body(randomBytes(3 * MB)), nothing));
    await store.discard(staged);
    assert.deepEqual(await openFiles(), []);
  });

  test("rejects if bytes are missing, rather than ending a range early", async () => {
    const key = await putBlob(store, randomBytes(1000));
    await truncate(`${store.localPath(key)}`, 500);
    await assert.rejects(readAll(store.read(key, { range: { start: 0, end: 1000 } })), { code: "UNAVAILABLE" });
  });

  test("continues an upload of a stopped process", async () => {
    const whole = randomBytes(2 * MB + 5);
    const staged = await store.stage(newKey(), whole.length);
    const first = partOf(whole, MB, 1);
    await store.writePart(staged, first.input, body(first.bytes), nothing);
    await mkdir(join(dir, "staging", `${staged.key}.parts`));
    await writeFile(join(dir, "staging", `${staged.key}.parts`, "1.0123456789abcdef"), "half a part");
    const onlySide = newKey();
    await mkdir(join(dir, "staging", `${onlySide}.parts`));

    const next = await openDiskStore({ dir, minFreeBytes: 0 });
    assert.deepEqual(
      (await next.listStaged()).items.map(({ key }) => key),
      [staged.key, onlySide].sort(),
    );
    for (const partNumber of [2, 3]) {
      const { input, bytes } = partOf(whole, MB, partNumber);
      await next.writePart(staged, input, body(bytes), nothing);
    }
    await next.commit(staged, []);
    assert.ok((await readAll(next.read(staged.key))).equals(whole));
    await next.discard({ key: onlySide, ref: "" });
    assert.deepEqual(await staging(), []);
  });

  test("commits again after a rename whose result was lost", async () => {
    const key = await putBlob(store, randomBytes(100));
    const next = await openDiskStore({ dir, minFreeBytes: 0 });
    await next.commit({ key, ref: "" });
    assert.equal(await next.size(key), 100);
  });

  test("recreates a folder that another program removed", async () => {
    const key = newKey();
    const sibling = `${key.slice(0, 4)}${newKey().slice(4)}`;
    await putBlob(store, randomBytes(1), key);
    await rm(join(dir, "blobs", key.slice(0, 2)), { recursive: true });
    await putBlob(store, randomBytes(7), sibling);
    assert.equal(await store.size(sibling), 7);
  });

  test("lists keys in pages of a thousand, and skips unknown files", async () => {
    const keys = Array.from({ length: 2100 }, (_, i) => `${(i % 3).toString(16).padStart(4, "0")}${newKey().slice(4)}`).sort();
    for (const leaf of ["0000", "0001", "0002"]) await mkdir(join(dir, "blobs", leaf.slice(0, 2), leaf.slice(2)), { recursive: true });
    await Promise.all(keys.map((key) => writeFile(`${store.localPath(key)}`, "1")));
    await writeFile(join(dir, "blobs", "00", "00", "lost+found"), "");
    await writeFile(join(dir, "blobs", "README"), "");
    const pages: string[][] = [];
    for (let after: string | undefined, more = true; more; more = after !== undefined) {
      const page = await store.list("visible", after);
      pages.push(page.items.map(({ key }) => key));
      after = page.next;
    }
    assert.deepEqual(
      pages.map(({ length }) => length),
      [1000, 1000, 100],
    );
    assert.deepEqual(pages.flat(), keys);
  });

  test("lists staged keys page by page", async () => {
    const keys = Array.from({ length: 2300 }, newKey).sort();
    await Promise.all(keys.map((key) => writeFile(join(dir, "staging", key), "")));
    const first = await store.listStaged();
    assert.deepEqual(
      first.items.map(({ key }) => key),
      keys.slice(0, 1000),
    );
    const second = await store.listStaged(first.next);
    assert.deepEqual(
      (await store.listStaged(second.next)).items.map(({ key }) => key),
      keys.slice(2000),
    );
  });

  test("writes past 4 GB", async () => {
    const sizeBytes = 5 * 1024 * MB;
    const staged = await store.stage(newKey(), sizeBytes);
    const { input, bytes } = partOf(randomBytes(MB + 1), MB + 1, 1);
    const offset = sizeBytes - bytes.length;
    await store.writePart(staged, { ...input, partNumber: 2, offset }, body(bytes), nothing);
    await store.commit(staged, []);
    assert.equal(await store.size(staged.key), sizeBytes);
    assert.ok((await readAll(store.read(staged.key, { range: { start: offset, end: sizeBytes } }))).equals(bytes));
  });

  test("says that it is not available, not that bytes were deleted, while its folder is missing", async () => {
    const stored = newKey();
    await putBlob(store, randomBytes(10), stored);
    const staged = await store.stage(newKey(), 10);
    await store.writeAll(staged, body(randomBytes(10)));
    await rename(join(dir, "blobs"), join(dir, "moved"));
    const isUnavailable = (error: Error): boolean => "code" in error && error.code === "UNAVAILABLE";
    await assert.rejects(store.commit(staged), isUnavailable);
    await assert.rejects(readAll(store.read(stored)), isUnavailable);
    await rename(join(dir, "moved"), join(dir, "blobs"));
    await store.commit(staged);
    assert.deepEqual([await store.size(staged.key), await store.size(stored)], [10, 10]);
  });

  test("check reports a missing folder without naming it", async () => {
    await rm(join(dir, "staging"), { recursive: true });
    await assert.rejects(store.check(), (error: Error) => !error.message.includes(dir) && "code" in error && error.code === "UNAVAILABLE");
    await assert.rejects(
      store.stage(newKey(), 5),
      (error: Error) => !error.message.includes(dir) && "code" in error && error.code === "UNAVAILABLE",
    );
    await assert.rejects(access(join(dir, "staging")));
  });
});
