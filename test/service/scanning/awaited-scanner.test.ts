import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { startJobRunner } from "../../../src/jobs/runner.ts";
import { HOUR_MS } from "../../../src/lib/text/duration.ts";
import { createClamdScanner } from "../../../src/scan/clamd/clamd-scanner.ts";
import { createScannerService, type ScannerService } from "../../../src/scan/scanner-service.ts";
import { scanJob, wakeScans } from "../../../src/service/scanning/scan-job.ts";
import { openProcesses, readJobs, uploadSmall } from "../../jobs/support.ts";
import { until } from "../../support/until.ts";

const FILES = 30;

/** A scanner service whose clamd does not run. */
async function unreachable(folder: string): Promise<ScannerService> {
  const path = join(folder, "no-clamd.sock");
  await rm(path, { force: true });
  const limits = { load: async () => undefined, save: async () => undefined };
  return await createScannerService({
    wanted: "clamd",
    configured: createClamdScanner({ address: { kind: "unix", path }, storedSize: limits }),
    find: async () => undefined,
    seen: { load: async () => true, save: async () => undefined },
  });
}

/** fair queues, "While the scanner cannot be reached". */
test("claims a file for an unreachable scanner once, again after an hour, and again when the scanner is reachable", async () => {
  await using processes = await openProcesses();
  const [bare] = processes.ctxs;
  let scanner = await unreachable(tmpdir());
  const ctx: Ctx = {
    ...bare,
    get scanner() {
      return scanner;
    },
    transaction: (work) => bare.transaction((inner) => work({ ...inner, scanner })),
  };
  for (let n = 0; n < FILES; n++) assert.equal((await uploadSmall(ctx, `${n}.txt`)).scanStatus, "pending");
  const jobs = async () => Object.values(await readJobs(ctx));
  const statuses = async () => {
    const files = await ctx.db.selectFrom("files").select(["scan_status", "scan_reason"]).execute();
    return new Set(files.map(({ scan_status, scan_reason }) => `${scan_status} ${scan_reason}`));
  };
  const allRan = (attempts: number) =>
    until(`all were claimed ${attempts} times`, async () =>
      (await jobs()).every((job) => job.awaits === "scanner" && job.lease_holder === null && job.attempts === attempts),
    );
  const runner = startJobRunner(ctx, [scanJob]);
  try {
    await allRan(1);
    await wakeScans(ctx);
    const due = processes.clock.nowMs + HOUR_MS;
    assert.ok(
      (await jobs()).every((job) => job.run_at === due),
      "no job is due before",
    );
    assert.deepEqual(await statuses(), new Set(["pending null"]));

    processes.clock.nowMs = due;
    runner.wake();
    await allRan(2);
    assert.deepEqual(await statuses(), new Set(["unavailable scan_failed"]));
    assert.ok((await jobs()).every((job) => job.run_at > due + HOUR_MS));
    const failed = await ctx.db.selectFrom("events").select("id").where("type", "=", "file.failed").execute();
    assert.equal(failed.length, FILES);

    scanner = bare.scanner;
    await wakeScans(ctx);
    assert.ok((await jobs()).every((job) => job.awaits === null && job.run_at < due));
    runner.wake();
    await until("all were scanned", async () => (await jobs()).length === 0);
    assert.deepEqual(await statuses(), new Set(["clean null"]));
  } finally {
    await runner.drain(5000);
  }
});
