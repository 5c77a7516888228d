import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { enqueueJob } from "../../../src/jobs/queue.ts";
import { startJobRunner } from "../../../src/jobs/runner.ts";
import { scanJob } from "../../../src/service/scanning/scan-job.ts";
import { openProcesses, readJobs, uploadSmall } from "../../jobs/support.ts";
import { until } from "../../support/until.ts";

/** model, "Transitions": a process that was suspended for longer than its lease continues with an old result. */
test("an older scan does not overwrite an infected verdict of another process", async () => {
  await using processes = await openProcesses();
  const [ctx, other] = processes.ctxs;
  const { id } = await uploadSmall(ctx, "suspect.txt");
  await ctx.db.updateTable("files").set({ scan_status: "pending" }).where("id", "=", id).execute();
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, { id: "check", kind: "scan", subject: id, runAtMs: nowMs, nowMs });
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const read: Ctx["blobs"]["read"] = async function* (...options) {
    arrived.resolve();
    await gate.promise;
    yield* ctx.blobs.read(...options);
  };
  const runner = startJobRunner({ ...ctx, blobs: { ...ctx.blobs, read } }, [scanJob]);
  try {
    await arrived.promise;
    const found = { scan_status: "unavailable", scan_reason: "infected", scan_detail: "Worm" } as const;
    await other.db.updateTable("files").set(found).where("id", "=", id).execute();
    gate.resolve();
    await until("the first scan has ended", async () => (await readJobs(ctx))[id] === undefined);
    const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    assert.deepEqual([file.scan_status, file.scan_reason, file.scan_detail], ["unavailable", "infected", "Worm"]);
  } finally {
    gate.resolve();
    await runner.drain(5000);
  }
});
