import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Ctx } from "../../src/context.ts";
import { LEASE_MS } from "../../src/db/instances.ts";
import { claimJobs, enqueueJob, findNextDue } from "../../src/db/jobs.ts";
import { newUuid } from "../../src/domain/alphabet.ts";
import { openProcesses } from "./support.ts";

const enqueue = (ctx: Ctx, subject: string, delayMs: number): Promise<void> => {
  const nowMs = ctx.now();
  return enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: "work", subject, runAtMs: nowMs + delayMs, nowMs });
};

const nextDue = (ctx: Ctx): Promise<number | undefined> => findNextDue(ctx.db, { kind: "work", nowMs: ctx.now() });

describe("when the next job is due", () => {
  test("goes by the soonest that nobody has leased, until that lease lapses", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    assert.equal(await nextDue(ctx), undefined);
    const startMs = ctx.now();
    await enqueue(ctx, "now", 0);
    await enqueue(ctx, "later", 90_000);
    assert.equal(await nextDue(ctx), startMs);
    const [leased] = await claimJobs(ctx.db, { kind: "work", limit: 1, holder: "one", nowMs: startMs, leaseMs: LEASE_MS });
    assert.equal(leased?.subject, "now");
    assert.equal(await nextDue(ctx), startMs + 90_000);
    processes.clock.nowMs += LEASE_MS;
    assert.equal(await nextDue(ctx), startMs);
  });

  test("reads one job of a backlog, not all of them", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await sql`INSERT INTO jobs (id, kind, subject, run_at, created_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
      SELECT 'j' || i, 'work', 'f' || i, ${ctx.now() + 60_000}, 0 FROM n`.execute(ctx.db);
    const startedAt = performance.now();
    for (let round = 0; round < 100; round++) assert.equal(await nextDue(ctx), ctx.now() + 60_000);
    assert.ok(performance.now() - startedAt < 500, `${performance.now() - startedAt} ms for a hundred looks`);
  });
});
