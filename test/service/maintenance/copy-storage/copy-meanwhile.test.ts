import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { BlobStore } from "../../../../src/blobs/store.ts";
import { copyBlob } from "../../../../src/service/maintenance/copy-storage/copy-blob.ts";
import { copyBlobs } from "../../../../src/service/maintenance/copy-storage/copy-blobs.ts";
import { withCopyLease } from "../../../../src/service/maintenance/copy-storage/copy-lease.ts";
import { type CopyReport, createCopyStats } from "../../../../src/service/maintenance/copy-storage/copy-stats.ts";
import { findBlobRow } from "../../../../src/service/maintenance/copy-storage/queries.ts";
import { openOnSwift } from "../../../blobs/on-swift.ts";
import { execute } from "../../../cli/support.ts";
import { type FaultySwift, startFaultySwift } from "../../../support/services/faulty-swift.ts";
import { swiftMissing } from "../../../support/services/swift.ts";
import { describeUnless } from "../../../support/suite.ts";
import { contentOf, contentWith, isPlacing, openTwoStores, type TwoStores } from "./support.ts";

/** A source that calls `happen` just before a blob is read. */
const beforeRead = (store: BlobStore, happen: (key: string) => Promise<void>): BlobStore => ({
  ...store,
  async *read(key, options) {
    await happen(key);
    yield* store.read(key, options);
  },
});

describeUnless(swiftMissing, "a storage copy during other changes", () => {
  let swift: FaultySwift;
  before(async () => {
    swift = await startFaultySwift();
  });
  after(() => swift[Symbol.asyncDispose]());

  async function copyWith({ ctx }: TwoStores, source: BlobStore, target: BlobStore): Promise<CopyReport> {
    const stats = createCopyStats({ files: 0, bytes: 0 });
    await withCopyLease(ctx, target.kind, (lease) =>
      copyBlobs({ db: ctx.db, source, target, parallel: 2, dryRun: false, verify: false, mayRemove: true, lease, stats }),
    );
    return stats.report({ from: source.kind, to: target.kind, dryRun: false, unfinishedUploads: 0 });
  }

  for (const order of ["row first", "bytes first"] as const) {
    test(`does not fail and copies nothing if a file is deleted meanwhile: ${order}`, async () => {
      await using stores = await openTwoStores(swift);
      const stays = await stores.addFile(stores.disk);
      const deleted = await stores.addFile(stores.disk);
      const source = beforeRead(stores.disk, async (key) => {
        if (key !== deleted.key) return;
        // An open file can still be read.
        if (order === "bytes first") await stores.disk.remove(key);
        await stores.setState(key, order === "bytes first" ? "removing" : "removed");
      });
      const report = await copyWith(stores, source, stores.s3);
      assert.deepEqual([report.copied.files, report.deletedMeanwhile, report.failed], [1, 1, 0]);
      assert.deepEqual(await contentOf(stores.s3), contentWith({ visible: [stays] }));
    });
  }

  test("a file that is blocked meanwhile is quarantined, and a restored one becomes visible", async () => {
    await using stores = await openTwoStores(swift);
    const blocked = await stores.addFile(stores.disk);
    const broughtBack = await stores.addFile(stores.disk, { state: "quarantined" });
    const source = beforeRead(stores.disk, async (key) => {
      if (key === blocked.key && (await stores.disk.size(key)) !== undefined) {
        await stores.disk.quarantine(key);
        await stores.setState(key, "quarantined");
      }
      if (key === broughtBack.key && (await stores.disk.size(key, "quarantine")) !== undefined) {
        await stores.disk.restore(key);
        await stores.ctx.db
          .updateTable("files")
          .set({ blob_state: "stored", scan_reason: null, scan_status: "pending" })
          .where("blob_key", "=", key)
          .execute();
      }
    });
    assert.equal((await copyWith(stores, source, stores.s3)).failed, 0);
    assert.deepEqual(await contentOf(stores.s3), contentWith({ visible: [broughtBack], quarantine: [blocked] }));
  });

  test("the next run copies only a file that was uploaded meanwhile", async () => {
    await using stores = await openTwoStores(swift);
    const files = [await stores.addFile(stores.disk)];
    const source = beforeRead(stores.disk, async () => {
      if (files.length === 1) files.push(await stores.addFile(stores.disk));
    });
    await copyWith(stores, source, stores.s3);
    await stores.copy("disk", "s3");
    assert.deepEqual(await contentOf(stores.s3), contentWith({ visible: files }));
  });

  test("a copy that reads back differently is removed", async () => {
    await using stores = await openTwoStores(swift);
    const file = await stores.addFile(stores.s3);
    const target: BlobStore = {
      ...stores.disk,
      async commit(staged, parts) {
        await stores.disk.commit(staged, parts);
        await writeFile(stores.path("blobs", staged.key), randomBytes(1000));
      },
    };
    const report = await copyWith(stores, stores.s3, target);
    assert.equal(report.failed, 1);
    assert.match(report.failures[0]?.reason ?? "", /the copy has the SHA-256/);
    assert.deepEqual(await contentOf(stores.disk), contentWith({}));
    assert.equal((await stores.copy("s3", "disk")).copied.files, 1);
    assert.deepEqual(await contentOf(stores.disk), contentWith({ visible: [file] }));
  });

  test("blobs that an earlier copy staged are discarded", async () => {
    await using stores = await openTwoStores(swift);
    const file = await stores.addFile(stores.disk);
    for (let count = 0; count < 2; count++) await stores.s3.stage(file.key, 1000);
    assert.deepEqual((await contentOf(stores.s3)).staged, [file.key, file.key]);
    await stores.copy("disk", "s3");
    assert.deepEqual(await contentOf(stores.s3), contentWith({ visible: [file] }));
  });

  test("a blob that the target cannot commit is discarded", async () => {
    await using stores = await openTwoStores(swift);
    const { key } = await stores.addFile(stores.disk);
    const row = await findBlobRow(stores.ctx.db, key);
    assert.ok(row);
    await using target = await openOnSwift(swift, { endpoint: swift.proxy.url });
    swift.proxy.decide = (request) => (isPlacing(request) ? { status: 503 } : undefined);
    const copying = { db: stores.ctx.db, source: stores.disk, target, onBytes: () => {} };
    await assert.rejects(copyBlob(copying, row, "visible"), { code: "UNAVAILABLE" });
    swift.proxy.decide = () => undefined;
    await assert.rejects(target.commit({ key, ref: "" }), { code: "NOT_FOUND" });
    assert.deepEqual(await contentOf(target), contentWith({}));
  });

  test("another copy to the same store is refused until the first one has succeeded or failed", async () => {
    await using stores = await openTwoStores(swift);
    const second = (...more: string[]) =>
      execute(["storage", "copy", "--from", "disk", "--to", "s3", ...more], { cwd: "/", env: stores.env });
    const broken = new Error("something went wrong");
    const first = withCopyLease(stores.ctx, "s3", async () => {
      const { code, stderr } = await second();
      assert.equal(code, 6);
      assert.match(stderr, /Another copy to that store is running/);
      assert.equal((await second("--dry-run")).code, 0);
      throw broken;
    });
    await assert.rejects(first, broken);
    assert.equal((await second()).code, 0);
  });

  test("an unavailable store stops the copy, which continues when the store is back; one unreadable blob does not stop it", async () => {
    await using stores = await openTwoStores(swift);
    const files = [];
    for (let count = 0; count < 5; count++) files.push(await stores.addFile(stores.disk));
    const env = { ...stores.env, FILEHOST_S3_ENDPOINT: swift.proxy.url };
    const copy = () => execute(["storage", "copy", "--from", "disk", "--to", "s3", "--json"], { cwd: "/", env });
    let placed = 0;
    swift.proxy.decide = (request) => {
      if (isPlacing(request)) placed += 1;
      return placed > 2 ? { status: 503 } : undefined;
    };
    const gone = await copy();
    assert.equal(gone.code, 8, gone.stdout);
    assert.match(gone.stderr, /UNAVAILABLE/);

    const [unlucky] = (await contentOf(stores.disk)).visible.map((line) => line.slice(0, 32)).slice(-1);
    await stores.s3.remove(unlucky ?? "");
    swift.proxy.decide = (request) => (isPlacing(request) && request.url.includes(unlucky ?? "?") ? { status: 503 } : undefined);
    const { code, stdout } = await copy();
    assert.equal(code, 1);
    const report: CopyReport = JSON.parse(stdout);
    assert.deepEqual(
      report.failures.map(({ fileId }) => fileId),
      files.filter(({ key }) => key === unlucky).map(({ id }) => id),
    );

    swift.proxy.decide = () => undefined;
    assert.equal((await copy()).code, 0);
    assert.deepEqual(await contentOf(stores.s3), contentWith({ visible: files }));
  });

  test("a full disk stops the copy with a specific exit code", async () => {
    await using stores = await openTwoStores(swift);
    await stores.addFile(stores.s3);
    const env = { ...stores.env, FILEHOST_MIN_FREE: "1000TB" };
    const { code, stderr } = await execute(["storage", "copy", "--from", "s3", "--to", "disk"], { cwd: "/", env });
    assert.equal(code, 5);
    assert.match(stderr, /disk has no space left/);
    assert.deepEqual(await contentOf(stores.disk), contentWith({}));
  });
});
