import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { findServerState, saveServerState } from "../../../src/db/server-state.ts";
import { startJobRunner } from "../../../src/jobs/runner.ts";
import { createScannerService, type ScannerService } from "../../../src/scan/scanner-service.ts";
import { scanJob } from "../../../src/service/scanning/scan-job.ts";
import { openProcesses, readJobs, uploadSmall } from "../../jobs/support.ts";
import { until } from "../../support/until.ts";

/** The default scanner service on a machine without a scanner. */
const findNone = async ({ db }: Ctx): Promise<ScannerService> =>
  await createScannerService({
    wanted: "auto",
    configured: undefined,
    find: async () => undefined,
    seen: { load: async () => (await findServerState(db, "scanner_seen")) !== undefined, save: async () => undefined },
  });

/** scanning, "Whether a scanner is required": no file becomes clean without a scan while a scanner is required. */
test("no process makes a file clean without a scan, from the next upload on, once another process has seen a scanner", async () => {
  await using processes = await openProcesses();
  const [bare, other] = processes.ctxs;
  const scanner = await findNone(bare);
  const ctx: Ctx = { ...bare, scanner, transaction: (work) => bare.transaction((inner) => work({ ...inner, scanner })) };
  assert.equal((await uploadSmall(ctx, "before.txt")).scanStatus, "clean");
  await saveServerState(other.db, "scanner_seen", "yes");
  const { id, scanStatus } = await uploadSmall(ctx, "after.txt");
  assert.equal(scanStatus, "pending");
  const runner = startJobRunner(ctx, [scanJob]);
  try {
    await until("the scan was tried", async () => (await readJobs(ctx))[id]?.last_error != null);
  } finally {
    await runner.drain(5000);
  }
  const { scan_status } = await ctx.db.selectFrom("files").select("scan_status").where("id", "=", id).executeTakeFirstOrThrow();
  assert.equal(scan_status, "pending");
});
