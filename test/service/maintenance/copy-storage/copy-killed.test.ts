import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import type { BlobStore } from "../../../../src/blobs/store.ts";
import { start } from "../../../cli/support.ts";
import { runKilledAt, straceMissing } from "../../../e2e/support/servers/strace.ts";
import { longSkipped } from "../../../support/long.ts";
import { type FaultySwift, startFaultySwift } from "../../../support/services/faulty-swift.ts";
import { swiftMissing } from "../../../support/services/swift.ts";
import { describeUnless } from "../../../support/suite.ts";
import { type AddedFile, contentOf, contentWith, isPlacing, openTwoStores, type TwoStores } from "./support.ts";

const MB = 1024 ** 2;
const program = join(resolve(import.meta.dirname, "../../../.."), "filehost");

async function addFiles(stores: TwoStores, source: BlobStore, { more }: { readonly more: number }): Promise<AddedFile[]> {
  const files = [await stores.addFile(source, { bytes: randomBytes(9 * MB) })];
  for (let count = 1; count <= more; count++)
    files.push(await stores.addFile(source, { bytes: randomBytes(count * 100), isChecked: count % 3 !== 0 }));
  return files;
}

/** Asserts that every visible blob is complete. */
async function assertNothingPartial(target: BlobStore, files: readonly AddedFile[]): Promise<void> {
  const whole = new Set(contentWith({ visible: files }).visible);
  for (const line of (await contentOf(target)).visible) assert.ok(whole.has(line), line);
}

/** The most blobs that a killed copy may leave unverified: one stored batch, and the copies in progress of the batch before. */
const MAX_UNVERIFIED = 54;

/** Completes the copy and asserts that it did not start over. Resolves to the number of blobs that it verified again. */
async function finish(
  stores: TwoStores,
  [from, to]: readonly ["disk", "s3"] | readonly ["s3", "disk"],
  files: readonly AddedFile[],
): Promise<number> {
  const before = (await contentOf(stores[to])).visible.length;
  const { copied, present, verified, failed } = await stores.copy(from, to);
  assert.equal(failed, 0);
  assert.equal(copied.files, files.length - before);
  assert.equal(present.files + verified.files, before);
  assert.ok(verified.files <= MAX_UNVERIFIED, `${verified.files} were read again`);
  assert.deepEqual(await contentOf(stores[to]), contentWith({ visible: files }));
  assert.equal((await stores.copy(from, to)).present.files, files.length);
  return verified.files;
}

describeUnless(swiftMissing ?? longSkipped, "a copy that is killed", () => {
  let swift: FaultySwift;
  before(async () => {
    swift = await startFaultySwift();
  });
  after(() => swift[Symbol.asyncDispose]());

  const requests: Record<string, (request: { readonly method: string; readonly url: string }) => boolean> = {
    "before the first part is stored": ({ method, url }) => method === "PUT" && url.includes("partNumber="),
    "before the second part of a large blob is stored": ({ method, url }) => method === "PUT" && url.includes("partNumber=2"),
    "before a blob is committed": isPlacing,
    "before a blob is read back": ({ method, url }) => method === "GET" && url.includes("/blobs/"),
  };

  test("continues where it stopped when it copies to a bucket, and shows no partial blob", async (t) => {
    for (const [when, matches] of Object.entries(requests)) {
      await t.test(`the copy is killed ${when}`, async () => {
        await using stores = await openTwoStores(swift);
        const isLate = when.includes("read back");
        const files = await addFiles(stores, stores.disk, { more: isLate ? MAX_UNVERIFIED + 9 : 15 });
        let left = when.includes("part") ? 1 : isLate ? MAX_UNVERIFIED + 8 : 10;
        const env = { ...stores.env, FILEHOST_S3_ENDPOINT: swift.proxy.url };
        const child = start(["storage", "copy", "--from", "disk", "--to", "s3"], { cwd: "/", env });
        swift.proxy.decide = (request) => {
          if (!matches(request) || --left > 0) return undefined;
          child.kill("SIGKILL");
          return { status: 503 };
        };
        const [, signal] = await once(child, "close");
        assert.equal(signal, "SIGKILL");
        await assertNothingPartial(stores.s3, files);
        const readAgain = await finish(stores, ["disk", "s3"], files);
        if (isLate) assert.ok(readAgain > 0);
      });
    }
  });

  const points = [
    { call: "fdatasync", when: 1 },
    { call: "fdatasync", when: 5 },
    { call: "rename", when: 1 },
    { call: "rename", when: 8 },
  ];

  test("continues where it stopped when it copies to a disk, and shows no partial blob", { skip: straceMissing }, async (t) => {
    await using stores = await openTwoStores(swift);
    const files = await addFiles(stores, stores.s3, { more: 24 });
    for (const point of points) {
      await t.test(`the copy is killed at ${point.call} ${point.when}`, async () => {
        for (const { key } of files) await stores.disk.remove(key);
        const command = [program, "storage", "copy", "--from", "s3", "--to", "disk"];
        assert.ok(await runKilledAt(command, { ...process.env, ...stores.env }, point));
        await assertNothingPartial(stores.disk, files);
        await finish(stores, ["s3", "disk"], files);
      });
    }
  });
});
