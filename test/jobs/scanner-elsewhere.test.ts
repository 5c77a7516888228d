import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx } from "../../src/context.ts";
import { findSetting, saveSetting } from "../../src/db/settings.ts";
import { startJobRunner } from "../../src/jobs/runner.ts";
import { scanJob } from "../../src/jobs/scan-job.ts";
import { createScannerService, type ScannerService } from "../../src/scan/service.ts";
import { until } from "../support/until.ts";
import { openProcesses, readJobs, uploadSmall } from "./support.ts";

/** What a process has by default on a machine without a scanner. */
const findNone = async ({ db }: Ctx): Promise<ScannerService> =>
  await createScannerService({
    wanted: "auto",
    configured: undefined,
    find: async () => undefined,
    seen: { load: async () => (await findSetting(db, "scanner_seen")) !== undefined, save: async () => undefined },
  });

/** decisions, "Scanning": nothing is ever clean unscanned while a scanner is required. */
test("once one process has seen a scanner, none of the others makes a file clean without, from the next upload on", async () => {
  await using processes = await openProcesses();
  const [bare, other] = processes.ctxs;
  const scanner = await findNone(bare);
  const ctx: Ctx = { ...bare, scanner, tx: (work) => bare.tx((inner) => work({ ...inner, scanner })) };
  assert.equal((await uploadSmall(ctx, "before.txt")).scanStatus, "clean");
  await saveSetting(other.db, "scanner_seen", "yes");
  const { id, scanStatus } = await uploadSmall(ctx, "after.txt");
  assert.equal(scanStatus, "pending");
  const runner = startJobRunner(ctx, [scanJob]);
  try {
    await until("the check was tried", async () => (await readJobs(ctx))[id]?.last_error != null);
  } finally {
    await runner.drain(5000);
  }
  const { scan_status } = await ctx.db.selectFrom("files").select("scan_status").where("id", "=", id).executeTakeFirstOrThrow();
  assert.equal(scan_status, "pending");
});
