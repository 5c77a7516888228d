import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx } from "../../src/context.ts";
import { enqueueJob } from "../../src/db/jobs.ts";
import { startJobRunner } from "../../src/jobs/runner.ts";
import { scanJob } from "../../src/jobs/scan-job.ts";
import { rescan } from "../../src/operations/admin/rescan.ts";
import { until } from "../support/until.ts";
import { openProcesses, uploadSmall } from "./support.ts";

const findFile = (ctx: Ctx, id: string) => ctx.db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/** As a scan leaves a file a moment after it has found something: blocked, and not yet in quarantine. */
async function findInfected(ctx: Ctx, id: string): Promise<void> {
  const nowMs = ctx.now();
  await ctx.db.updateTable("files").set({ scan_status: "unavailable", scan_reason: "infected" }).where("id", "=", id).execute();
  await enqueueJob(ctx.db, { id: "put-aside", kind: "scan", subject: id, runAtMs: nowMs, nowMs });
}

/** decisions, "Expiry and removal" and "Scanning". */
test("a rescan while a server puts the file into quarantine waits for that, and gets it out again", async () => {
  await using processes = await openProcesses();
  const [ctx, other] = processes.ctxs;
  const { id } = await uploadSmall(ctx, "suspect.txt");
  await findInfected(ctx, id);
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const quarantine: Ctx["blobs"]["quarantine"] = async (key) => {
    arrived.resolve();
    await gate.promise;
    await ctx.blobs.quarantine(key);
  };
  const runner = startJobRunner({ ...ctx, blobs: { ...ctx.blobs, quarantine } }, [scanJob]);
  try {
    await arrived.promise;
    let turns = 0;
    const counting: Ctx["tx"] = (work) => {
      turns += 1;
      return other.tx(work);
    };
    let isOver = false;
    // It is the same whether a scanner is there, but for its not being tried without one.
    const rescanning = rescan({ ...other, tx: counting, scanner: { ...other.scanner, mode: "clamd" } }, id).finally(() => {
      isOver = true;
    });
    await until("it is over, or has to wait", () => isOver || turns > 1);
    gate.resolve();
    assert.deepEqual((await rescanning).queued.length, 1);
    runner.wake();
    const file = await until("it is checked", async () => {
      const file = await findFile(ctx, id);
      return file.scan_status === "clean" && file;
    });
    assert.equal(file.blob_state, "stored");
    assert.equal(await ctx.blobs.size(file.blob_key, "visible"), file.size_bytes);
    assert.equal(await ctx.blobs.size(file.blob_key, "quarantine"), undefined);
  } finally {
    gate.resolve();
    await runner.drain(5000);
  }
});

test("of two rescans at once, both end with the bytes in their place", async () => {
  await using processes = await openProcesses();
  const [ctx, other] = processes.ctxs;
  const { id } = await uploadSmall(ctx, "suspect.txt");
  const { blob_key } = await findFile(ctx, id);
  await ctx.blobs.quarantine(blob_key);
  const infected = { blob_state: "quarantined", scan_status: "unavailable", scan_reason: "infected" } as const;
  await ctx.db.updateTable("files").set(infected).where("id", "=", id).execute();
  const gate = Promise.withResolvers<void>();
  const restore: Ctx["blobs"]["restore"] = async (key) => {
    await gate.promise;
    await ctx.blobs.restore(key);
  };
  const slow = rescan({ ...ctx, blobs: { ...ctx.blobs, restore }, scanner: { ...ctx.scanner, mode: "clamd" } }, id);
  await until("the first has begun", async () => (await findFile(ctx, id)).blob_state === "stored");
  const { queued } = await rescan({ ...other, scanner: { ...other.scanner, mode: "clamd" } }, id);
  const file = await findFile(ctx, id);
  assert.equal(await ctx.blobs.size(blob_key, "visible"), file.size_bytes, "it waits for its check, and its bytes are in quarantine");
  gate.resolve();
  const first = await slow;
  assert.equal(queued.length + first.queued.length, 1);
  assert.equal((await findFile(ctx, id)).scan_status, "pending");
});
