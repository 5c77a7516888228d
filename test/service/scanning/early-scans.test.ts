import assert from "node:assert/strict";
import { createHash, randomFillSync } from "node:crypto";
import { test } from "node:test";
import { openDiskStore } from "../../../src/blobs/disk/disk-store.ts";
import type { BlobStore, StagedBlob } from "../../../src/blobs/store.ts";
import { eicarFile } from "../../../src/scan/eicar.ts";
import { createScannerService } from "../../../src/scan/scanner-service.ts";
import { createEarlyScans } from "../../../src/service/scanning/early-scans.ts";
import { body, newKey, nothing, partOf, putBlob } from "../../blobs/bodies.ts";
import { startRelay } from "../../scan/relay.ts";
import { MB, makeScanner } from "../../scan/sources.ts";
import { makeFolder } from "../../support/folder.ts";
import { clamdMissing, joinClamd } from "../../support/services/clamd.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const PART_BYTES = 16 * MB;
const PART_COUNT = 4;
const WINDOW_BYTES = 8 * MB;

/** A position at which the EICAR pattern crosses the end of the first window. */
const ACROSS_WINDOWS = WINDOW_BYTES - 30;

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A file of four parts that was never scanned, with the EICAR pattern at `eicarAt`. */
function newFile(eicarAt?: number): Uint8Array {
  const bytes = randomFillSync(new Uint8Array(PART_COUNT * PART_BYTES));
  if (eicarAt !== undefined) bytes.set(eicarFile(), eicarAt);
  return bytes;
}

/** scanning, "Early scans". */
describeUnless(clamdMissing, "early scans", () => {
  /** Opens a disk store whose uploads are scanned early, with windows of 8 MB, by a clamd behind a relay. Time passes only as a test says. */
  async function open({ processors = 2 } = {}) {
    const clamd = await joinClamd();
    const relay = await startRelay(clamd.unix);
    const folder = await makeFolder();
    const clock = { ms: 0 };
    const scanner = await createScannerService({
      wanted: "clamd",
      configured: makeScanner({ address: relay.address, windowBytes: WINDOW_BYTES }),
      find: async () => undefined,
      seen: { load: async () => true, save: nothing },
    });
    await scanner.state();
    const scans = createEarlyScans({ scanner, isEnabled: true, processors, now: () => clock.ms });
    const store: BlobStore = scans.watch(await openDiskStore({ dir: folder.path, minFreeBytes: 0 }));
    const bytesBefore = relay.bytesIn;
    return {
      store,
      scans,
      scanner,
      clock,
      relay,
      sentBytes: () => relay.bytesIn - bytesBefore,
      async [Symbol.asyncDispose]() {
        scans.stop();
        await relay[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  }

  type Opened = Awaited<ReturnType<typeof open>>;

  async function writePart(
    { store, clock }: Opened,
    staged: StagedBlob,
    file: Uint8Array,
    partNumber: number,
    { isUploaded = false, tookMs = 2_000 } = {},
  ) {
    const { input, bytes } = partOf(file, PART_BYTES, partNumber);
    await store.writePart(staged, { ...input, isUploaded, onReplace: nothing }, body(bytes), nothing);
    clock.ms += tookMs;
  }

  /** Writes all parts but the last, and waits until clamd has got a window of them. */
  async function sendMost(opened: Opened, file: Uint8Array, sentBytes = 16 * MB): Promise<StagedBlob> {
    const start = opened.sentBytes();
    const staged = await opened.store.stage(newKey(), file.length);
    for (let partNumber = 1; partNumber < PART_COUNT; partNumber += 1) await writePart(opened, staged, file, partNumber);
    await until("a window is scanned", () => opened.sentBytes() - start > sentBytes);
    return staged;
  }

  async function commitParts({ store }: Opened, staged: StagedBlob, file: Uint8Array): Promise<void> {
    const parts = Array.from({ length: PART_COUNT }, (_, index) => partOf(file, PART_BYTES, index + 1).input);
    await store.commit(
      staged,
      parts.map(({ partNumber, sha256 }) => ({ partNumber, etag: sha256, sha256 })),
    );
  }

  test("a file in parts has its verdict and digest from windows that were scanned before its last part arrived", async () => {
    await using opened = await open();
    const file = newFile();
    const staged = await sendMost(opened, file);
    await writePart(opened, staged, file, PART_COUNT);
    await commitParts(opened, staged, file);
    const found = await opened.scans.claim(staged.key, null);
    assert.deepEqual([found?.verdict, found?.digests.sha256], [{ kind: "clean", coverage: "windowed" }, sha256(file)]);
    assert.equal(await opened.scans.claim(staged.key, null), undefined);
    const overlaps = opened.sentBytes() - file.length;
    assert.ok(overlaps > 0 && overlaps < 12 * MB, `${opened.sentBytes()} bytes were scanned`);
  });

  test("malware at the boundary of two windows is found, and known only when the file is complete", async () => {
    await using opened = await open();
    const file = newFile(ACROSS_WINDOWS);
    const staged = await sendMost(opened, file);
    assert.equal(await opened.scans.claim(staged.key, null), undefined);
    await writePart(opened, staged, file, PART_COUNT);
    await commitParts(opened, staged, file);
    const found = await opened.scans.claim(staged.key, sha256(file));
    assert.deepEqual(found?.verdict, { kind: "infected", signature: "Eicar-Test.UNOFFICIAL", coverage: "windowed" });
  });

  test("an upload in which malware was found uses no slot while the rest of it arrives", async () => {
    await using opened = await open();
    await sendMost(opened, newFile(100), 4 * MB);
    await sendMost(opened, newFile());
  });

  for (const replaced of [1, PART_COUNT - 1])
    test(`a file whose part ${replaced} was replaced after it was scanned has no early verdict`, async () => {
      await using opened = await open();
      const first = newFile();
      const staged = await sendMost(opened, first, 44 * MB);
      const file = first.slice();
      file.set(eicarFile(), (replaced - 1) * PART_BYTES + 100);
      await writePart(opened, staged, file, replaced, { isUploaded: true });
      await writePart(opened, staged, file, PART_COUNT);
      await commitParts(opened, staged, file);
      assert.equal(await opened.scans.claim(staged.key, null), undefined);
    });

  test("a file that is committed with other parts has no early verdict", async () => {
    await using opened = await open();
    const file = newFile();
    const staged = await opened.store.stage(newKey(), file.length);
    for (let partNumber = 1; partNumber <= PART_COUNT; partNumber += 1) await writePart(opened, staged, file, partNumber);
    await opened.store.commit(staged, []);
    assert.equal(await opened.scans.claim(staged.key, null), undefined);
  });

  /** Sends a direct upload, of which the last quarter waits until clamd has got a window of the others. */
  async function sendDirect(opened: Opened, file: Uint8Array): Promise<StagedBlob> {
    const staged = await opened.store.stage(newKey(), file.length, { isDirect: true });
    async function* slowly(): AsyncGenerator<Uint8Array> {
      const most = file.length - PART_BYTES;
      opened.clock.ms += 2_000;
      yield* body(file.subarray(0, most));
      await until("a window is scanned", () => opened.sentBytes() > 16 * MB);
      yield* body(file.subarray(most));
    }
    await opened.store.writeAll(staged, slowly());
    await opened.store.commit(staged);
    return staged;
  }

  test("a direct upload is scanned while it arrives; its verdict counts only for the digest that was received", async () => {
    await using opened = await open();
    const file = newFile(ACROSS_WINDOWS);
    const staged = await sendDirect(opened, file);
    const found = await opened.scans.claim(staged.key, sha256(file));
    assert.deepEqual([found?.verdict.kind, found?.digests.sha256], ["infected", sha256(file)]);
    for (const digest of [sha256(eicarFile()), null]) {
      const other = await sendDirect(opened, newFile());
      assert.equal(await opened.scans.claim(other.key, digest), undefined);
    }
  });

  test("an unreachable clamd leaves no verdict", async () => {
    await using opened = await open();
    const file = newFile();
    const lost = await sendMost(opened, file);
    opened.relay.holdResponses(true);
    await writePart(opened, lost, file, PART_COUNT);
    await commitParts(opened, lost, file);
    const claimed = opened.scans.claim(lost.key, null);
    await until("clamd has a window", () => opened.relay.withholds);
    await opened.relay[Symbol.asyncDispose]();
    assert.equal(await claimed, undefined);
  });

  test("a connection to clamd that breaks leaves no verdict, because what is read again may have been replaced", async () => {
    await using opened = await open();
    const file = newFile();
    opened.relay.holdResponses(true);
    const staged = await opened.store.stage(newKey(), file.length);
    for (let partNumber = 1; partNumber < PART_COUNT; partNumber += 1) await writePart(opened, staged, file, partNumber);
    await until("clamd has answered for a window", () => opened.relay.withholds);
    opened.relay.cut();
    opened.relay.holdResponses(false);
    await writePart(opened, staged, file, PART_COUNT);
    await commitParts(opened, staged, file);
    assert.equal(await opened.scans.claim(staged.key, null), undefined);
  });

  test("windows of several uploads use no more slots than there are", async () => {
    await using opened = await open();
    opened.relay.holdResponses(true);
    const connections = opened.relay.connections;
    const endJob = opened.scans.startJob();
    for (let count = 0; count < 3; count += 1) {
      const file = newFile();
      const staged = await opened.store.stage(newKey(), file.length);
      for (let partNumber = 1; partNumber < PART_COUNT; partNumber += 1) await writePart(opened, staged, file, partNumber);
    }
    endJob();
    await until("clamd has answered for a window", () => opened.relay.withholds);
    assert.equal(opened.relay.connections - connections, 1);
  });

  test("an upload that took longer than an hour has no early verdict", async () => {
    await using opened = await open();
    const file = newFile();
    const staged = await sendMost(opened, file);
    opened.clock.ms += 3_600_000;
    await writePart(opened, staged, file, PART_COUNT);
    await commitParts(opened, staged, file);
    assert.equal(await opened.scans.claim(staged.key, null), undefined);
  });

  test("an upload that is discarded or forgotten is not scanned any more, and its place is free", async () => {
    await using opened = await open();
    for (let count = 0; count < 10; count += 1) {
      const file = newFile();
      const staged = await sendMost(opened, file);
      if (count % 2 === 0) await opened.store.discard(staged);
      else opened.scans.forget(staged.key);
      await commitParts(opened, staged, file).catch(nothing);
      assert.equal(await opened.scans.claim(staged.key, null), undefined);
    }
  });

  test("no window is sent while a scan job runs or the upload is fast; the scan job then scans the file", async () => {
    await using opened = await open();
    const scanned = async (start: number) => {
      const small = randomFillSync(new Uint8Array(MB));
      await opened.scanner.scanner?.scan({ body: body(small), reopen: () => body(small) }, small.length);
      return opened.sentBytes() - start;
    };
    for (const isFast of [true, false]) {
      const file = newFile();
      const start = opened.sentBytes();
      const staged = await opened.store.stage(newKey(), file.length);
      const endJob = isFast ? undefined : opened.scans.startJob();
      for (let partNumber = 1; partNumber <= PART_COUNT; partNumber += 1) {
        await writePart(opened, staged, file, partNumber, isFast ? { tookMs: 1 } : {});
      }
      assert.ok((await scanned(start)) < 2 * MB);
      await commitParts(opened, staged, file);
      assert.equal(await opened.scans.claim(staged.key, null), undefined);
      endJob?.();
    }
  });

  test("with more processors, windows are sent beside a scan job", async () => {
    await using opened = await open({ processors: 8 });
    opened.scans.startJob();
    await sendMost(opened, newFile());
  });

  test("eight uploads that stand still give their places to others", async () => {
    await using opened = await open();
    for (let count = 0; count < 8; count += 1) {
      const file = newFile();
      const staged = await opened.store.stage(newKey(), file.length);
      await writePart(opened, staged, file, 1, { tookMs: 0 });
    }
    const refused = newFile();
    const staged = await opened.store.stage(newKey(), refused.length);
    for (let partNumber = 1; partNumber <= PART_COUNT; partNumber += 1) await writePart(opened, staged, refused, partNumber, { tookMs: 0 });
    await commitParts(opened, staged, refused);
    assert.equal(await opened.scans.claim(staged.key, null), undefined);
    opened.clock.ms += 60_000;
    await sendMost(opened, newFile());
  });

  test("a small upload is not scanned early", async () => {
    await using opened = await open();
    const bytes = randomFillSync(new Uint8Array(MB));
    assert.equal(await opened.scans.claim(await putBlob(opened.store, bytes), sha256(bytes)), undefined);
  });
});
