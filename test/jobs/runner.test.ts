import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Ctx } from "../../src/context.ts";
import { LEASE_MS } from "../../src/jobs/instances.ts";
import { backoffMs, DONE, type JobKind, type JobOutcome } from "../../src/jobs/job.ts";
import { enqueueJob, finishJob, leaseJobs, renewJobs } from "../../src/jobs/queue.ts";
import { type JobRunner, startJobRunner } from "../../src/jobs/runner.ts";
import { newUuid } from "../../src/lib/secrets/ids.ts";
import { until } from "../support/until.ts";
import { openProcesses, readJobs } from "./support.ts";

async function enqueue(ctx: Ctx, kind: string, subject: string, delayMs = 0): Promise<void> {
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind, subject, runAtMs: nowMs + delayMs, nowMs });
}

const kindOf = (name: string, concurrency: number, run: JobKind["run"]): JobKind => ({ name, slots: () => ({ total: concurrency }), run });

/** Starts a runner that is drained at the end of the test. */
function running(ctx: Ctx, kinds: readonly JobKind[]): JobRunner & AsyncDisposable {
  const runner = startJobRunner(ctx, kinds);
  return { ...runner, [Symbol.asyncDispose]: () => runner.drain(0) };
}

describe("job runner", () => {
  test("two processes run each job once, as many at a time as the kind allows", async () => {
    await using processes = await openProcesses();
    const ran: string[] = [];
    const most = [0, 0];
    const now = [0, 0];
    // None ends before both have started: a fast process could otherwise run all.
    const started = processes.ctxs.map(() => Promise.withResolvers<void>());
    const kinds = processes.ctxs.map((_, index) =>
      kindOf("work", 3, async (_ctx, { subject }) => {
        now[index] = (now[index] ?? 0) + 1;
        most[index] = Math.max(most[index] ?? 0, now[index]);
        started[index]?.resolve();
        await Promise.all(started.map(({ promise }) => promise));
        await new Promise((resolve) => setImmediate(resolve));
        ran.push(subject);
        now[index] -= 1;
        return DONE;
      }),
    );
    const subjects = Array.from({ length: 40 }, (_, index) => `job-${String(index).padStart(2, "0")}`);
    for (const subject of subjects) await enqueue(processes.ctxs[0], "work", subject);
    await using _one = running(processes.ctxs[0], kinds.slice(0, 1));
    await using _other = running(processes.ctxs[1], kinds.slice(1));
    await until("all have run", async () => Object.keys(await readJobs(processes.ctxs[0])).length === 0);
    assert.deepEqual(ran.toSorted(), subjects);
    for (const count of most) assert.ok(count >= 1 && count <= 3, `${count}`);
  });

  test("keeps one job per kind and subject, due at the earlier time", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await enqueue(ctx, "work", "a", 60_000);
    await enqueue(ctx, "work", "a", 5_000);
    await enqueue(ctx, "work", "a", 90_000);
    assert.equal((await readJobs(ctx)).a?.run_at, ctx.now() + 5_000);
  });

  test("runs a job only when it is due", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const ran: string[] = [];
    const kind = kindOf("work", 1, async (_ctx, { subject }) => {
      ran.push(subject);
      return DONE;
    });
    await enqueue(ctx, "work", "later", 60_000);
    await enqueue(ctx, "work", "now");
    await using runner = running(ctx, [kind]);
    await until("the one that is due has run", () => ran.length === 1);
    assert.deepEqual(ran, ["now"]);
    processes.clock.nowMs += 60_000;
    runner.wake();
    await until("the other has run", () => ran.length === 2);
  });

  test("a kind without free slots does not delay another kind", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const stuck = Promise.withResolvers<JobOutcome>();
    const slow = kindOf("slow", 1, () => stuck.promise);
    const quick = kindOf("quick", 1, async () => DONE);
    for (const subject of ["a", "b"]) await enqueue(ctx, "slow", subject);
    await using _ = running(ctx, [slow, quick]);
    await enqueue(ctx, "quick", "c");
    await until("the quick one has run", async () => !(await readJobs(ctx)).c);
    const leased = Object.values(await readJobs(ctx)).filter(({ lease_holder }) => lease_holder !== null);
    assert.equal(leased.length, 1);
    stuck.resolve(DONE);
  });

  test("retries a failed job after growing pauses and records the error", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const kind = kindOf("work", 1, async () => {
      throw new Error("out of luck");
    });
    await enqueue(ctx, "work", "a");
    await using runner = running(ctx, [kind]);
    for (const [attempt, pauseMs] of [1_000, 2_000, 4_000, 8_000].entries()) {
      const job = await until("it has failed once more", async () => {
        const { a } = await readJobs(ctx);
        return a?.attempts === attempt + 1 && a.lease_holder === null ? a : undefined;
      });
      assert.equal(job.last_error, "out of luck");
      const waitMs = job.run_at - ctx.now();
      assert.ok(waitMs >= pauseMs * 0.8 && waitMs <= pauseMs * 1.2, `${waitMs}`);
      processes.clock.nowMs = job.run_at;
      runner.wake();
    }
  });

  test("backoff doubles from a second to five minutes, with ±20 % jitter", () => {
    assert.deepEqual(
      [1, 2, 3, 9, 10, 500].map((attempt) => backoffMs(attempt, 0.5)),
      [1_000, 2_000, 4_000, 256_000, 300_000, 300_000],
    );
    assert.deepEqual([backoffMs(1, 0), backoffMs(1, 1)], [800, 1_200]);
  });

  test("runs a job again at the time it returned", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const kind = kindOf("work", 1, async (ctx, { attempts }) =>
      attempts === 1 ? { kind: "reschedule", atMs: ctx.now() + 7_000, reason: "not yet" } : DONE,
    );
    await enqueue(ctx, "work", "a");
    await using runner = running(ctx, [kind]);
    const job = await until("it waits", async () => (await readJobs(ctx)).a?.last_error === "not yet" && (await readJobs(ctx)).a);
    assert.equal(job.run_at, ctx.now() + 7_000);
    processes.clock.nowMs += 7_000;
    runner.wake();
    await until("it is done", async () => !(await readJobs(ctx)).a);
  });

  test("takes over the job of a silent process when its lease expires, and not before", async () => {
    await using processes = await openProcesses();
    const [ctx, other] = processes.ctxs;
    await enqueue(ctx, "work", "a");
    const lease = { kind: "work", limit: 5, holder: "gone", leaseMs: LEASE_MS };
    const [job] = await leaseJobs(ctx.db, { ...lease, nowMs: ctx.now() });
    assert.ok(job);
    processes.clock.nowMs += LEASE_MS - 1;
    assert.deepEqual(await leaseJobs(other.db, { ...lease, holder: other.instanceId, nowMs: other.now() }), []);
    await renewJobs(ctx.db, { holder: "gone", nowMs: ctx.now(), leaseMs: LEASE_MS });
    processes.clock.nowMs += LEASE_MS - 1;
    assert.deepEqual(await leaseJobs(other.db, { ...lease, holder: other.instanceId, nowMs: other.now() }), []);
    processes.clock.nowMs += 1;
    const ran: string[] = [];
    await using _ = running(other, [
      kindOf("work", 1, async (_ctx, { subject }) => {
        ran.push(subject);
        assert.equal(await finishJob(ctx.db, { id: job.id, holder: "gone" }), false);
        return DONE;
      }),
    ]);
    await until("it has been taken over", async () => !(await readJobs(ctx)).a);
    assert.deepEqual(ran, ["a"]);
  });

  test("drain signals running jobs, waits for them, and returns the rest to the queue", async () => {
    await using processes = await openProcesses();
    const [ctx, other] = processes.ctxs;
    const started = new Set<string>();
    const kind = kindOf("work", 5, (_ctx, { subject }, signal) => {
      started.add(subject);
      return new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => {
          if (subject === "finishes") resolve(DONE);
          if (subject === "gives up") reject(signal.reason);
        });
      });
    });
    for (const subject of ["finishes", "gives up", "hangs"]) await enqueue(ctx, "work", subject);
    const runner = startJobRunner(ctx, [kind]);
    await until("all have started", () => started.size === 3);
    await enqueue(ctx, "work", "late");
    await runner.drain(50);
    const jobs = await readJobs(ctx);
    assert.deepEqual(Object.keys(jobs).toSorted(), ["gives up", "hangs", "late"]);
    for (const { lease_holder, attempts, run_at } of Object.values(jobs)) {
      assert.deepEqual({ lease_holder, attempts, isDue: run_at <= ctx.now() }, { lease_holder: null, attempts: 0, isDue: true });
    }
    await using _ = running(other, [kindOf("work", 5, async () => DONE)]);
    await until("another process has done them", async () => Object.keys(await readJobs(other)).length === 0);
  });
});
