import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { acquireScheduleRun } from "../../src/jobs/queue.ts";
import { type Scheduled, startSchedule } from "../../src/jobs/schedule.ts";
import { until } from "../support/until.ts";
import { openProcesses } from "./support.ts";

const EVERY_SECOND = "* * * * * *";

describe("schedule", () => {
  test("two instances run a shared task once and a per-instance task each; a failure does not stop the schedule", async () => {
    await using processes = await openProcesses();
    const [one, other] = processes.ctxs;
    let shared = 0;
    const own = new Map<string, number>();
    const pieces: readonly Scheduled[] = [
      {
        name: "shared",
        pattern: EVERY_SECOND,
        async run() {
          shared += 1;
          throw new Error("out of luck");
        },
      },
      {
        name: "own",
        pattern: EVERY_SECOND,
        instances: "each",
        async run({ instanceId }) {
          own.set(instanceId, (own.get(instanceId) ?? 0) + 1);
        },
      },
    ];
    const startMs = Date.now();
    const schedules = [startSchedule(one, pieces), startSchedule(other, pieces)];
    const ownCounts = () => [one, other].map(({ instanceId }) => own.get(instanceId) ?? 0);
    await until("the shared task has run three times, and the others twice", () => shared >= 3 && ownCounts().every((count) => count >= 2));
    await Promise.all(schedules.map((schedule) => schedule.stop()));
    assert.equal(own.size, 2);
    const { scheduled_at } = await one.db
      .selectFrom("schedule_runs")
      .select("scheduled_at")
      .where("name", "=", "shared")
      .executeTakeFirstOrThrow();
    assert.equal(scheduled_at % 1000, 0);
    // A busy machine may skip a second, but no second has two runs.
    assert.ok(shared <= (scheduled_at - startMs) / 1000 + 1, `${shared} runs`);
  });

  test("stop waits for running tasks", async () => {
    await using processes = await openProcesses();
    const started = Promise.withResolvers<void>();
    const work = Promise.withResolvers<void>();
    let ended = false;
    const schedule = startSchedule(processes.ctxs[0], [
      {
        name: "slow",
        pattern: EVERY_SECOND,
        async run() {
          started.resolve();
          await work.promise;
          ended = true;
        },
      },
    ]);
    await started.promise;
    const stopped = schedule.stop().then(() => ended);
    work.resolve();
    assert.equal(await stopped, true);
  });

  test("grants a run to one of many processes, and never an earlier one afterwards", async () => {
    await using processes = await openProcesses();
    const [one, other] = processes.ctxs;
    const acquire = (scheduledAtMs: number) =>
      Promise.all([one, other, one, other].map((ctx) => acquireScheduleRun(ctx.db, "piece", scheduledAtMs)));
    assert.equal((await acquire(2_000)).filter(Boolean).length, 1);
    assert.equal((await acquire(1_000)).filter(Boolean).length, 0);
    assert.equal((await acquire(3_000)).filter(Boolean).length, 1);
    assert.equal(await acquireScheduleRun(one.db, "another", 1_000), true);
  });
});
