import assert from "node:assert/strict";
import { it } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import { eicarFile } from "../../../src/scan/eicar.ts";
import { clamdMissing, joinClamd, startClamd } from "../../support/services/clamd.ts";
import { describeUnless } from "../../support/suite.ts";
import { KB, MB, makeLimits, makeScanner, makeSource, sourceOf } from "../sources.ts";

const infected = { kind: "infected", signature: "Eicar-Test.UNOFFICIAL" } as const;

/** scanning, "The scan" and "Coverage". */
describeUnless(clamdMissing, "clamd scanner", () => {
  it("reports infected and clean files over either kind of socket", async () => {
    const clamd = await joinClamd();
    for (const address of [clamd.unix, clamd.tcp]) {
      const scanner = makeScanner({ address });
      assert.deepEqual(await scanner.scan(makeSource(300 * KB), 300 * KB), { kind: "clean", coverage: "whole" });
      assert.deepEqual(await scanner.scan(makeSource(0), 0), { kind: "clean", coverage: "whole" });
      assert.deepEqual(await scanner.scan(sourceOf(eicarFile()), 68), { ...infected, coverage: "whole" });
    }
  });

  it("finds EICAR in a ZIP with signatures that match it only as a complete file", async () => {
    await using clamd = await startClamd({ eicar: "own-file" });
    const scanner = makeScanner({ address: clamd.unix });
    assert.equal((await scanner.state()).ok, true);
    const harmless = zip("notes.txt", new TextEncoder().encode("nothing to see"));
    const harmful = zip("notes.txt", eicarFile());
    assert.deepEqual(await scanner.scan(sourceOf(harmless), harmless.length), { kind: "clean", coverage: "whole" });
    assert.deepEqual(await scanner.scan(sourceOf(harmful), harmful.length), { ...infected, coverage: "whole" });
  });

  it("scans a file of exactly a window as a whole, and one byte more in windows", async () => {
    const clamd = await joinClamd();
    const scanner = makeScanner({ address: clamd.unix, windowBytes: 3 * MB });
    assert.deepEqual(await scanner.scan(makeSource(3 * MB), 3 * MB), { kind: "clean", coverage: "whole" });
    assert.deepEqual(await scanner.scan(makeSource(3 * MB + 1), 3 * MB + 1), { kind: "clean", coverage: "windowed" });
  });

  it("finds a pattern anywhere in many windows, also across their boundaries", async () => {
    const clamd = await joinClamd();
    const scanner = makeScanner({ address: clamd.unix, windowBytes: 3 * MB });
    const size = 16 * MB + 123;
    for (const at of [0, 2 * MB, 3 * MB - 30, 3 * MB - 67, 5 * MB - 30, 11 * MB - 1, size - 68]) {
      const source = makeSource(size, { at, bytes: eicarFile() });
      assert.deepEqual(await scanner.scan(source, size), { ...infected, coverage: "windowed" }, `at ${at}`);
      assert.equal(source.finished, true, `the body is read to its end though the pattern stands at ${at}`);
      assert.equal(source.passedBytes, size);
      assert.deepEqual(source.reopened, [], "one pass is enough");
    }
  });

  it("misses a pattern across a boundary without overlap", async () => {
    const clamd = await joinClamd();
    const scanner = makeScanner({ address: clamd.unix, windowBytes: 3 * MB, overlapBytes: 0 });
    const source = makeSource(5 * MB, { at: 3 * MB - 30, bytes: eicarFile() });
    assert.deepEqual(await scanner.scan(source, 5 * MB), { kind: "clean", coverage: "windowed" });
  });

  it("refuses files larger than a window if so configured, and reads them to the end", async () => {
    const clamd = await joinClamd();
    const scanner = makeScanner({ address: clamd.unix, windowBytes: 3 * MB, oversize: "block" });
    const source = makeSource(4 * MB);
    const verdict = await scanner.scan(source, 4 * MB);
    assert.equal(verdict.kind, "failed");
    assert.match("reason" in verdict ? verdict.reason : "", /larger than/);
    assert.equal(source.finished, true);
    assert.deepEqual(await scanner.scan(makeSource(3 * MB), 3 * MB), { kind: "clean", coverage: "whole" });
  });

  it("never reports a body of the wrong size as clean", async () => {
    const clamd = await joinClamd();
    const scanner = makeScanner({ address: clamd.unix });
    for (const actual of [999, 1_001]) assert.equal((await scanner.scan(makeSource(actual), 1_000)).kind, "failed");
    assert.equal((await scanner.scan(makeSource(1), 0)).kind, "failed");
  });

  it("rejects with what a body throws, and continues to work", async () => {
    const clamd = await joinClamd();
    const scanner = makeScanner({ address: clamd.unix });
    const failure = new Error("the disk is gone");
    async function* broken() {
      yield new Uint8Array(MB);
      throw failure;
    }
    const source = { body: broken(), reopen: () => broken() };
    await assert.rejects(scanner.scan(source, 2 * MB), failure);
    assert.equal((await scanner.scan(makeSource(MB), MB)).kind, "clean");
  });

  it("scans several files concurrently", async () => {
    const clamd = await joinClamd();
    const scanner = makeScanner({ address: clamd.unix, windowBytes: 4 * MB });
    const sources = [1, 2, 3, 4, 5, 6].map((n) => makeSource(n * 2 * MB, n % 2 ? { at: n * MB, bytes: eicarFile() } : undefined));
    const verdicts = await Promise.all(sources.map((source, i) => scanner.scan(source, (i + 1) * 2 * MB)));
    assert.deepEqual(
      verdicts.map(({ kind }) => kind),
      ["infected", "clean", "infected", "clean", "infected", "clean"],
    );
  });

  it("detects the window that clamd accepts, stores it, and detects an increase", async () => {
    await using clamd = await startClamd({ settings: { StreamMaxLength: "5M" } });
    const limits = makeLimits();
    let now = 0;
    const scanner = makeScanner({ address: clamd.tcp, storedSize: limits, now: () => now });
    assert.equal((await scanner.state()).selfTest, true);
    assert.equal(limits.saved, Math.floor((25 * MB) / 8));
    const source = makeSource(12 * MB, { at: 11 * MB, bytes: eicarFile() });
    assert.deepEqual(await scanner.scan(source, 12 * MB), { ...infected, coverage: "windowed" });
    assert.deepEqual(source.reopened, []);

    await clamd.restart({ StreamMaxLength: "25M" });
    now += 3_600_001;
    assert.equal((await scanner.state()).selfTest, true);
    assert.equal(limits.saved, Math.floor((25 * MB) / 8) * 2);
  });

  it("shrinks the window in the middle of a file, and rescans the refused bytes without a second pass over the body", async () => {
    await using clamd = await startClamd();
    for (const at of [0, 11 * MB, undefined]) {
      const limits = makeLimits();
      const scanner = makeScanner({ address: clamd.tcp, storedSize: limits });
      await clamd.restart({ StreamMaxLength: "25M" });
      assert.equal((await scanner.state()).ok, true);
      await clamd.restart({ StreamMaxLength: "5M" });
      const source = makeSource(12 * MB, at === undefined ? undefined : { at, bytes: eicarFile() });
      const verdict = await scanner.scan(source, 12 * MB);
      assert.deepEqual(verdict, at === undefined ? { kind: "clean", coverage: "windowed" } : { ...infected, coverage: "windowed" });
      assert.equal(source.passedBytes, 12 * MB);
      for (const { start } of source.reopened) assert.equal(start, 0);
      assert.equal(limits.saved, Math.floor((25 * MB) / 8));
    }
  });

  it("rejects a clamd that refuses even the smallest window", async () => {
    await using clamd = await startClamd({ settings: { StreamMaxLength: "1M" } });
    const scanner = makeScanner({ address: clamd.unix });
    const state = await scanner.state();
    assert.equal(state.ok, false);
    assert.match(state.reason ?? "", /StreamMaxLength/);
    assert.equal((await scanner.scan(makeSource(10), 10)).kind, "unreachable");
  });
});

/** A ZIP of one deflated member. */
function zip(name: string, bytes: Uint8Array): Uint8Array {
  const packed = deflateRawSync(bytes);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(bytes), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(bytes.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed]);
  const central = Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), common, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from("PK\x05\x06"), end]);
}
