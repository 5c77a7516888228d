import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { parseMaxThreads } from "../../src/scan/clamd/server-info.ts";
import { toScanConcurrency } from "../../src/scan/scanner-service.ts";
import { clamdMissing, startClamd } from "../support/clamd.ts";
import { makeScanner } from "./sources.ts";

/** fair queues, "Slots of the scan queue". */
describe("the number of concurrent scans", () => {
  it("is one less than clamd's threads, from 2 to 16, or the configured one", () => {
    const asked = [undefined, 1, 2, 3, 10, 12, 17, 500].map((threads) => toScanConcurrency(undefined, threads));
    assert.deepEqual(asked, [2, 2, 2, 2, 9, 11, 16, 16]);
    assert.deepEqual([toScanConcurrency(1, 10), toScanConcurrency(40, 10), toScanConcurrency(5, undefined)], [1, 40, 5]);
  });

  it("is based on the maximum of threads in clamd's statistics", () => {
    const stats =
      "POOLS: 1\n\nSTATE: VALID PRIMARY\nTHREADS: live 1  idle 0 max 12 idle-timeout 30\nQUEUE: 0 items\n\tSTATS 0.000017\n\nEND";
    assert.equal(parseMaxThreads(stats), 12);
    for (const text of ["UNKNOWN COMMAND", "", "THREADS: live 1 idle 0 max 0", "COMMAND UNAVAILABLE"])
      assert.equal(parseMaxThreads(text), undefined);
  });

  it("is configured as a whole number from 1 to 64", () => {
    const read = (text: string) => loadConfig({ FILEHOST_SCAN_CONCURRENCY: text }).config.scanner.concurrency;
    assert.deepEqual([read("1"), read("64"), read("")], [1, 64, undefined]);
    for (const text of ["0", "65", "-1", "2.5", "many"])
      assert.throws(() => read(text), /FILEHOST_SCAN_CONCURRENCY: write a whole number from 1 to 64/);
  });

  it("is based on a real clamd's MaxThreads, also after a restart", { skip: clamdMissing }, async () => {
    await using clamd = await startClamd({ settings: { MaxThreads: "5" } });
    let nowMs = 0;
    const scanner = makeScanner({ address: clamd.unix, now: () => nowMs });
    assert.equal(scanner.maxThreads, undefined);
    assert.equal((await scanner.state()).ok, true);
    assert.equal(scanner.maxThreads, 5);
    await clamd.kill();
    nowMs += 60_000;
    assert.equal((await scanner.state()).ok, false);
    await clamd.restart({ MaxThreads: "7" });
    nowMs += 60_000;
    assert.equal((await scanner.state()).ok, true);
    assert.equal(scanner.maxThreads, 7);
  });
});
