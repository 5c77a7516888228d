import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { eicarFile } from "../../../src/scan/eicar.ts";
import type { Verdict } from "../../../src/scan/scanner.ts";
import { makeFolder } from "../../support/folder.ts";
import { clamdMissing, joinClamd, startClamd } from "../../support/services/clamd.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { startRelay } from "../relay.ts";
import { MB, makeScanner, makeSource } from "../sources.ts";

const clean = { kind: "clean", coverage: "whole" } as const;

/** scanning, "Self-test" and "When the scanner is unavailable". */
describeUnless(clamdMissing, "a scanner whose clamd fails", () => {
  it("is unreachable if nothing listens, and still reads the body", async () => {
    await using folder = await makeFolder();
    const scanner = makeScanner({ address: { kind: "unix", path: join(folder.path, "socket") } });
    const source = makeSource(2 * MB);
    assert.match(reasonOf(await scanner.scan(source, 2 * MB), "unreachable"), /cannot be reached \(ENOENT\)/);
    assert.equal(source.finished, true);
    const state = await scanner.state();
    assert.equal(state.ok, false);
    assert.match(state.reason ?? "", /cannot be reached/);
  });

  it("is unreachable while its limits skip bytes, however it reports that", async () => {
    const tooTight: Record<string, string>[] = [
      { MaxFileSize: "10M" },
      { MaxScanSize: "10M" },
      { MaxFileSize: "10M", AlertExceedsMax: "yes" },
    ];
    for (const settings of tooTight) {
      await using clamd = await startClamd({ settings: { StreamMaxLength: "25M", ...settings } });
      let now = 0;
      const scanner = makeScanner({ address: clamd.unix, now: () => now });
      assert.equal((await scanner.state()).selfTest, false);
      const source = makeSource(MB);
      assert.match(reasonOf(await scanner.scan(source, MB), "unreachable"), /MaxFileSize to at least StreamMaxLength/);
      assert.equal(source.finished, true);

      await clamd.restart({ StreamMaxLength: "25M", MaxFileSize: "25M", MaxScanSize: "25M" });
      assert.equal((await scanner.state()).ok, false, "a bad result is kept for a moment");
      now += 15_001;
      assert.equal((await scanner.state()).ok, true);
      assert.deepEqual(await scanner.scan(makeSource(MB), MB), clean);
    }
  });

  it("is unreachable when clamd dies during a scan, and used again when it returns", async () => {
    await using clamd = await startClamd();
    await using relay = await startRelay(clamd.unix);
    let now = 0;
    const scanner = makeScanner({ address: relay.address, now: () => now });
    assert.deepEqual(await scanner.scan(makeSource(MB), MB), clean);
    relay.onBytes(4 * MB, () => void clamd.kill());
    const source = makeSource(20 * MB);
    reasonOf(await scanner.scan(source, 20 * MB), "unreachable");
    assert.equal(source.passedBytes, 20 * MB);
    assert.equal(source.finished, true);
    assert.equal((await scanner.state()).ok, false);

    await clamd.restart();
    now += 15_001;
    assert.equal((await scanner.state()).ok, true);
    assert.deepEqual(await scanner.scan(makeSource(20 * MB), 20 * MB), clean);
  });

  it("believes no clamd that was restarted with lower limits, before a scan or during one", async () => {
    await using clamd = await startClamd();
    const lower = { StreamMaxLength: "25M", MaxFileSize: "1M" };
    const scanner = makeScanner({ address: clamd.unix });
    const file = () => makeSource(2 * MB, { at: 2 * MB - 68, bytes: eicarFile() });
    assert.equal((await scanner.scan(file(), 2 * MB)).kind, "infected");
    await clamd.restart(lower);
    assert.match(reasonOf(await scanner.scan(file(), 2 * MB), "unreachable"), /MaxFileSize to at least StreamMaxLength/);

    await clamd.restart({});
    const during = makeScanner({ address: clamd.unix });
    assert.equal((await during.state()).ok, true);
    const source = { ...file(), whenReadable: () => clamd.restart(lower) };
    assert.match(reasonOf(await during.scan(source, 2 * MB), "unreachable"), /restarted during the scan/);
    assert.match((await during.state()).reason ?? "", /MaxFileSize to at least StreamMaxLength/);
  });

  it("scans again after a broken connection, also in a later window", async () => {
    const clamd = await joinClamd();
    await using relay = await startRelay(clamd.unix);
    const scanner = makeScanner({ address: relay.address, windowBytes: 4 * MB });
    for (const at of [4 * MB - 30, 6 * MB, undefined]) {
      assert.equal((await scanner.state()).ok, true);
      let streams = 0;
      const cutSecond = () => {
        streams += 1;
        if (streams === 2) relay.cutStreams();
        else relay.onBytes(2 * MB, cutSecond);
      };
      relay.onBytes(2 * MB, cutSecond);
      const source = makeSource(9 * MB, at === undefined ? undefined : { at, bytes: eicarFile() });
      const verdict = await scanner.scan(source, 9 * MB);
      assert.equal(verdict.kind, at === undefined ? "clean" : "infected");
      assert.equal(streams, 2);
      assert.equal(source.reopened.length, 1);
      assert.equal(source.reopened[0]?.start, 3 * MB);
      assert.equal(source.passedBytes, 9 * MB);
    }
  });

  it("waits for a slow verdict, up to the timeout", async () => {
    await using clamd = await startClamd();
    await using relay = await startRelay(clamd.unix);
    const scanner = makeScanner({ address: relay.address });
    assert.equal((await scanner.state()).ok, true);
    relay.holdResponses(true);
    const scanning = scanner.scan(makeSource(MB), MB);
    await until("clamd has responded", () => relay.withholds);
    relay.holdResponses(false);
    assert.deepEqual(await scanning, clean);

    // A small window, so that the self-test is short.
    const impatient = makeScanner({ address: relay.address, idleTimeoutMs: 3_000, windowBytes: 2 * MB });
    assert.equal((await impatient.state()).ok, true);
    relay.holdResponses(true);
    const source = makeSource(MB);
    assert.match(reasonOf(await impatient.scan(source, MB), "unreachable"), /no response within 3000 ms/);
    assert.equal(source.finished, true);
  });

  it("pauses the body while clamd accepts no bytes, and is unreachable after the timeout", async () => {
    const clamd = await joinClamd();
    await using relay = await startRelay(clamd.unix);
    const scanner = makeScanner({ address: relay.address, idleTimeoutMs: 10_000 });
    assert.equal((await scanner.state()).ok, true);
    relay.holdRequests(true);
    const source = makeSource(24 * MB);
    assert.match(reasonOf(await scanner.scan(source, 24 * MB), "unreachable"), /accepted no bytes within 10000 ms/);
    assert.ok((source.stalledAt ?? 24 * MB) < 12 * MB, `stalled at ${source.stalledAt}`);
    assert.equal(source.finished, true);
  });

  it("runs one self-test for concurrent callers, and none within the next hour", async () => {
    const clamd = await joinClamd();
    await using relay = await startRelay(clamd.unix);
    let now = 0;
    const scanner = makeScanner({ address: relay.address, now: () => now });
    const states = await Promise.all([scanner.state(), scanner.state(), scanner.state()]);
    for (const state of states) assert.deepEqual(state, states[0]);
    assert.match(states[0]?.version ?? "", /^ClamAV \d+\.\d+/);
    assert.equal(relay.connections, 4, "a version, a number of threads, a session, a self-test");
    await scanner.state();
    assert.equal(relay.connections, 4);
    now = 3_599_999;
    await scanner.state();
    assert.equal(relay.connections, 5, "a version alone");
    now = 3_600_001 + 15_000;
    const before = relay.bytesIn;
    await scanner.state();
    assert.ok(relay.bytesIn - before > 25 * MB, "a full window again");
  });
});

function reasonOf(verdict: Verdict, kind: "failed" | "unreachable"): string {
  assert.equal(verdict.kind, kind);
  return "reason" in verdict ? verdict.reason : "";
}
