import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { before, test } from "node:test";
import { putBlob } from "../../../blobs/bodies.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../../support/services/swift.ts";
import { describeUnless } from "../../../support/suite.ts";
import { type AddedFile, contentOf, contentWith, openTwoStores, reportWith } from "./support.ts";

const MB = 1024 ** 2;

const countOf = (files: readonly AddedFile[]) => ({ files: files.length, bytes: files.reduce((sum, file) => sum + file.bytes.length, 0) });

describeUnless(swiftMissing, "copying between stores", () => {
  let swift: TestSwift;
  before(async () => {
    swift = await joinSwift();
  });

  for (const [from, to] of [
    ["disk", "s3"],
    ["s3", "disk"],
  ] as const) {
    test(`copies every file from ${from} to ${to} into its area, once`, async () => {
      await using stores = await openTwoStores(swift);
      const [source, target] = [stores[from], stores[to]];
      const visible = [
        await stores.addFile(source, { bytes: randomBytes(17 * MB + 3) }),
        await stores.addFile(source, { bytes: new Uint8Array() }),
        await stores.addFile(source, { isChecked: false }),
        await stores.addFile(source),
      ];
      const quarantine = [await stores.addFile(source, { state: "quarantined" })];
      const all = [...visible, ...quarantine];
      const dry = await stores.copy(from, to, { dryRun: true });
      assert.deepEqual(dry, reportWith(from, to, { dryRun: true, copied: countOf(all) }));
      assert.deepEqual(await contentOf(target), contentWith({}));
      const before = await contentOf(source);

      assert.deepEqual(await stores.copy(from, to), reportWith(from, to, { copied: countOf(all) }));
      assert.deepEqual(await contentOf(target), contentWith({ visible, quarantine }));
      assert.deepEqual(await contentOf(source), before);
      assert.deepEqual(await stores.copy(from, to), reportWith(from, to, { present: countOf(all) }));
      assert.deepEqual(await stores.copy(from, to, { verify: true }), reportWith(from, to, { verified: countOf(all) }));
      assert.deepEqual(await stores.copy(to, from), reportWith(to, from, { present: countOf(all) }));
    });
  }

  test("applies later changes: new, deleted, quarantined and restored files", async () => {
    await using stores = await openTwoStores(swift);
    const stays = await stores.addFile(stores.disk);
    const deleted = await stores.addFile(stores.disk);
    const setAside = await stores.addFile(stores.disk);
    const broughtBack = await stores.addFile(stores.disk, { state: "quarantined" });
    await stores.copy("disk", "s3");

    const added = await stores.addFile(stores.disk);
    await stores.disk.remove(deleted.key);
    await stores.setState(deleted.key, "removed");
    await stores.disk.quarantine(setAside.key);
    await stores.setState(setAside.key, "quarantined");
    await stores.disk.restore(broughtBack.key);
    await stores.ctx.db
      .updateTable("files")
      .set({ blob_state: "stored", scan_reason: null, scan_status: "pending" })
      .where("blob_key", "=", broughtBack.key)
      .execute();
    const changes = { copied: countOf([added]), present: countOf([stays]), moved: 2, removed: 1 };
    assert.deepEqual(await stores.copy("disk", "s3", { dryRun: true }), reportWith("disk", "s3", { dryRun: true, ...changes }));
    assert.deepEqual(await stores.copy("disk", "s3"), reportWith("disk", "s3", changes));
    assert.deepEqual(await contentOf(stores.s3), contentWith({ visible: [stays, added, broughtBack], quarantine: [setAside] }));
  });

  /** thumbnails, "Where they are". */
  test("copies thumbnails like files, and removes the thumbnails of removed files", async () => {
    await using stores = await openTwoStores(swift);
    const files = [await stores.addFile(stores.disk), await stores.addFile(stores.disk), await stores.addFile(stores.disk)];
    const [kept, plain, removed] = files;
    assert.ok(kept && plain && removed);
    const keptThumbnail = await stores.addThumbnail(stores.disk, kept);
    const all = [...files, keptThumbnail, await stores.addThumbnail(stores.disk, removed)];
    assert.deepEqual(await stores.copy("disk", "s3"), reportWith("disk", "s3", { copied: countOf(all) }));
    assert.deepEqual(await contentOf(stores.s3), contentWith({ visible: all }));
    assert.deepEqual(await stores.copy("disk", "s3", { verify: true }), reportWith("disk", "s3", { verified: countOf(all) }));

    await stores.setState(removed.key, "removed");
    const later = await stores.addThumbnail(stores.disk, plain);
    const changes = { copied: countOf([later]), present: countOf([kept, plain, keptThumbnail]), removed: 2 };
    assert.deepEqual(await stores.copy("disk", "s3"), reportWith("disk", "s3", changes));
    assert.deepEqual(await contentOf(stores.s3), contentWith({ visible: [kept, plain, keptThumbnail, later] }));
  });

  test("ignores blobs without a file, running uploads and files that are being removed", async () => {
    await using stores = await openTwoStores(swift);
    const stray = await putBlob(stores.s3, randomBytes(10));
    const removing = await stores.addFile(stores.s3);
    await stores.setState(removing.key, "removing");
    assert.deepEqual(await stores.copy("disk", "s3"), reportWith("disk", "s3", { unknown: 1 }));
    assert.deepEqual(
      (await stores.s3.list("visible")).items.map(({ key }) => key),
      [stray, removing.key].sort(),
    );
  });

  test("reports missing and damaged blobs of the source, and copies the others", async () => {
    await using stores = await openTwoStores(swift);
    const good = await stores.addFile(stores.disk);
    const altered = await stores.addFile(stores.disk);
    const cut = await stores.addFile(stores.disk);
    const grown = await stores.addFile(stores.disk);
    const missing = await stores.addFile(stores.disk);
    await writeFile(stores.path("blobs", altered.key), randomBytes(1000));
    await writeFile(stores.path("blobs", cut.key), cut.bytes.subarray(0, 999));
    await writeFile(stores.path("blobs", grown.key), randomBytes(1001));
    await stores.disk.remove(missing.key);
    const report = await stores.copy("disk", "s3");
    assert.deepEqual([report.copied.files, report.failed], [1, 4]);
    const reasons = new Map(report.failures.map(({ fileId, reason }) => [fileId, reason]));
    assert.match(reasons.get(altered.id) ?? "", /SHA-256 [0-9a-f]{64} instead of [0-9a-f]{64}/);
    assert.match(reasons.get(cut.id) ?? "", /999 bytes instead of 1000/);
    assert.match(reasons.get(grown.id) ?? "", /more bytes instead of 1000/);
    assert.match(reasons.get(missing.id) ?? "", /bytes were deleted/);
    assert.deepEqual(await contentOf(stores.s3), contentWith({ visible: [good] }));
  });

  test("keeps a good copy when the source is damaged", async () => {
    await using stores = await openTwoStores(swift);
    const file = await stores.addFile(stores.disk);
    await stores.copy("disk", "s3");
    await writeFile(stores.path("blobs", file.key), randomBytes(1000));
    assert.deepEqual(await stores.copy("disk", "s3", { verify: true }), reportWith("disk", "s3", { verified: countOf([file]) }));
    await stores.disk.remove(file.key);
    assert.deepEqual(await stores.copy("disk", "s3"), reportWith("disk", "s3", { present: countOf([file]) }));
    assert.deepEqual(await stores.copy("s3", "disk"), reportWith("s3", "disk", { copied: countOf([file]) }));
  });

  test("replaces a damaged copy: another size always, other bytes with verify", async () => {
    await using stores = await openTwoStores(swift);
    const files = [await stores.addFile(stores.s3), await stores.addFile(stores.s3), await stores.addFile(stores.s3, { isChecked: false })];
    await stores.copy("s3", "disk");
    const [cut, altered, unchecked] = files;
    assert.ok(cut && altered && unchecked);
    await writeFile(stores.path("blobs", cut.key), cut.bytes.subarray(1));
    assert.deepEqual((await stores.copy("s3", "disk")).copied, countOf([cut]));
    for (const { key } of [altered, unchecked]) await writeFile(stores.path("blobs", key), randomBytes(1000));
    assert.deepEqual((await stores.copy("s3", "disk")).copied, countOf([]));
    const dry = await stores.copy("s3", "disk", { verify: true, dryRun: true });
    assert.deepEqual([dry.copied, dry.verified], [countOf([altered, unchecked]), countOf([cut])]);
    const report = await stores.copy("s3", "disk", { verify: true });
    assert.deepEqual([report.copied, report.verified], [countOf([altered, unchecked]), countOf([cut])]);
    assert.deepEqual(await contentOf(stores.disk), contentWith({ visible: files }));
  });

  test("refuses two equal stores, a missing bucket setting, and a bucket that does not exist", async () => {
    await using stores = await openTwoStores(swift);
    await assert.rejects(stores.copy("disk", "disk"), { code: "VALIDATION_FAILED", message: /both disk/ });
    const without = { ...stores.ctx.config, stores: { ...stores.ctx.config.stores, s3: undefined } };
    const { copyStorage } = await import("../../../../src/service/maintenance/copy-storage/copy-storage.ts");
    const options = { from: "disk", to: "s3", parallel: 1, dryRun: false, verify: false } as const;
    await assert.rejects(copyStorage({ ...stores.ctx, config: without }, options), { code: "VALIDATION_FAILED", message: /S3_BUCKET/ });
    const { s3 } = stores.ctx.config.stores;
    assert.ok(s3?.kind === "s3");
    const elsewhere = { ...stores.ctx.config, stores: { ...stores.ctx.config.stores, s3: { ...s3, bucket: "no-such-bucket" } } };
    await assert.rejects(copyStorage({ ...stores.ctx, config: elsewhere }, options), {
      code: "UNAVAILABLE",
      message: /target store \(s3\) is not available/,
    });
  });
});
