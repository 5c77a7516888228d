import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { enqueueJob } from "../../../src/jobs/queue.ts";
import { startJobRunner } from "../../../src/jobs/runner.ts";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { rescan } from "../../../src/service/scanning/rescan.ts";
import { scanJob } from "../../../src/service/scanning/scan-job.ts";
import { openProcesses, uploadSmall } from "../../jobs/support.ts";
import { until } from "../../support/until.ts";

const findFile = (ctx: Ctx, id: string) => ctx.db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/** Brings a file to the state just after malware was found: blocked, and not yet in quarantine. */
async function findInfected(ctx: Ctx, id: string): Promise<void> {
  const nowMs = ctx.now();
  await ctx.db.updateTable("files").set({ scan_status: "unavailable", scan_reason: "infected" }).where("id", "=", id).execute();
  await enqueueJob(ctx.db, { id: "quarantine", kind: "scan", subject: id, runAtMs: nowMs, nowMs });
}

/** scanning, "When the scanner is unavailable". */
test("a rescan waits while a server moves the file to quarantine, then restores it", async () => {
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
    let transactions = 0;
    const counting: Ctx["transaction"] = (work) => {
      transactions += 1;
      return other.transaction(work);
    };
    let isDone = false;
    // The mode alone decides whether an infected file may be scanned again.
    const rescanning = rescan({ ...other, transaction: counting, scanner: { ...other.scanner, mode: "clamd" } }, THIS_MACHINE, id).finally(
      () => {
        isDone = true;
      },
    );
    await until("the rescan has ended or waits", () => isDone || transactions > 1);
    gate.resolve();
    assert.deepEqual((await rescanning).queued.length, 1);
    runner.wake();
    const file = await until("the file is scanned", async () => {
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

test("two concurrent rescans leave the bytes visible and queue one scan", async () => {
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
  const slow = rescan({ ...ctx, blobs: { ...ctx.blobs, restore }, scanner: { ...ctx.scanner, mode: "clamd" } }, THIS_MACHINE, id);
  await until("the first rescan has started", async () => (await findFile(ctx, id)).blob_state === "stored");
  const { queued } = await rescan({ ...other, scanner: { ...other.scanner, mode: "clamd" } }, THIS_MACHINE, id);
  const file = await findFile(ctx, id);
  assert.equal(await ctx.blobs.size(blob_key, "visible"), file.size_bytes, "the file waits for its scan, so its bytes must be visible");
  gate.resolve();
  const first = await slow;
  assert.equal(queued.length + first.queued.length, 1);
  assert.equal((await findFile(ctx, id)).scan_status, "pending");
});

/** model, "Places": a result applies to all places, also to ended ones whose removal waits. */
test("a rescan takes the ended places of the same bytes out of quarantine too, which are removed when they were to be", async () => {
  await using processes = await openProcesses();
  const [ctx] = processes.ctxs;
  const { id } = await uploadSmall(ctx, "suspect.txt");
  const { blob_key } = await findFile(ctx, id);
  await ctx.blobs.quarantine(blob_key);
  const infected = { blob_state: "quarantined", scan_status: "unavailable", scan_reason: "infected", origin_id: id } as const;
  await ctx.db.updateTable("files").set(infected).where("id", "=", id).execute();
  const file = await findFile(ctx, id);
  const removeAtMs = ctx.now() + 1000;
  const ended = { ...file, id: "ended", status: "dmca_removed", remove_at: removeAtMs, is_repeat: 1, placed_at: 1 } as const;
  await ctx.db.insertInto("files").values(ended).execute();
  await rescan({ ...ctx, scanner: { ...ctx.scanner, mode: "clamd" } }, THIS_MACHINE, id);
  const rows = await ctx.db.selectFrom("files").select(["id", "blob_state", "remove_at"]).orderBy("status").execute();
  assert.deepEqual(rows, [
    { id, blob_state: "stored", remove_at: null },
    { id: "ended", blob_state: "stored", remove_at: removeAtMs },
  ]);
  assert.equal(await ctx.blobs.size(blob_key, "quarantine"), undefined);
});
