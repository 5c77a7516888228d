import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Ctx } from "../../src/context.ts";
import { LEASE_MS } from "../../src/jobs/instances.ts";
import { enqueueJob, findNextDue, leaseJobs } from "../../src/jobs/queue.ts";
import { newUuid } from "../../src/lib/secrets/ids.ts";
import { openProcesses } from "./support.ts";

const enqueue = (ctx: Ctx, subject: string, delayMs: number): Promise<void> => {
  const nowMs = ctx.now();
  return enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: "work", subject, runAtMs: nowMs + delayMs, nowMs });
};

const nextDue = (ctx: Ctx): Promise<number | undefined> => findNextDue(ctx.db, { kind: "work", nowMs: ctx.now() });

describe("the time of the next due job", () => {
  test("is the time of the earliest unleased job, or the end of the earliest lease", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    assert.equal(await nextDue(ctx), undefined);
    const startMs = ctx.now();
    await enqueue(ctx, "now", 0);
    await enqueue(ctx, "later", 90_000);
    assert.equal(await nextDue(ctx), startMs);
    const [leased] = await leaseJobs(ctx.db, { kind: "work", limit: 1, holder: "one", nowMs: startMs, leaseMs: LEASE_MS });
    assert.equal(leased?.subject, "now");
    assert.equal(await nextDue(ctx), startMs + 90_000);
    processes.clock.nowMs += LEASE_MS;
    assert.equal(await nextDue(ctx), startMs);
  });
});
