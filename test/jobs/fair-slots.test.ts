import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Ctx } from "../../src/context.ts";
import { DONE, type JobKind, type JobSlots } from "../../src/jobs/job.ts";
import { enqueueJob } from "../../src/jobs/queue.ts";
import { startJobRunner } from "../../src/jobs/runner.ts";
import { newUuid } from "../../src/lib/secrets/ids.ts";
import { until } from "../support/until.ts";
import { openProcesses, readJobs } from "./support.ts";

async function add(ctx: Ctx, fairKey: string, subject: string, isLarge = false): Promise<void> {
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: "work", subject, runAtMs: nowMs, nowMs, fairKey, isLarge });
}

/** A kind of jobs that end when the test calls `end`; `started` lists them in order. */
function heldJobs(slots: () => JobSlots): { kind: JobKind; readonly started: string[]; end(subject: string): void } {
  const running = new Map<string, () => void>();
  const started: string[] = [];
  return {
    started,
    end: (subject) => running.get(subject)?.(),
    kind: {
      name: "work",
      slots,
      run: (_ctx, { subject }) => {
        started.push(subject);
        return new Promise((resolve) => running.set(subject, () => resolve(DONE)));
      },
    },
  };
}

async function running(ctx: Ctx, kind: JobKind): Promise<AsyncDisposable> {
  const runner = startJobRunner(ctx, [kind]);
  return { [Symbol.asyncDispose]: () => runner.drain(0) };
}

/** fair queues, "The next job" and "Slots of the scan queue". */
describe("fair slots", () => {
  test("sixteen jobs of one caller delay another caller's job by one", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const held = heldJobs(() => ({ total: 2, fair: { perKey: 2, large: 1 } }));
    for (let n = 0; n < 16; n++) await add(ctx, "many", `many-${n}`);
    await using _ = await running(ctx, held.kind);
    await until("both slots are taken", () => held.started.length === 2);
    await add(ctx, "few", "few");
    held.end(held.started[0] ?? "");
    await until("a slot has been given again", () => held.started.length === 3);
    assert.equal(held.started[2], "few");
  });

  test("large jobs leave a slot to small ones, and get one among many small ones", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const held = heldJobs(() => ({ total: 3, fair: { perKey: 3, large: 2 } }));
    for (const key of ["a", "b", "c"]) await add(ctx, key, `large-${key}`, true);
    await using _ = await running(ctx, held.kind);
    await until("large ones have their slots", () => held.started.length === 2);
    await add(ctx, "d", "small-0");
    await until("a small one has the last", () => held.started.length === 3);
    assert.equal(held.started[2], "small-0");
    for (let n = 1; n < 9; n++) await add(ctx, `e${n}`, `small-${n}`);
    for (const subject of held.started.filter((subject) => subject.startsWith("large"))) held.end(subject);
    await until("the last large one has started", () => {
      for (const subject of held.started.filter((subject) => subject.startsWith("small"))) held.end(subject);
      return held.started.filter((subject) => subject.startsWith("large")).length === 3;
    });
  });

  test("one slot serves small and large jobs alternately", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const held = heldJobs(() => ({ total: 1, fair: { perKey: 1, large: 1 } }));
    for (let n = 0; n < 3; n++) {
      await add(ctx, "a", `small-${n}`);
      await add(ctx, "b", `large-${n}`, true);
    }
    await using _ = await running(ctx, held.kind);
    for (let n = 1; n <= 6; n++) {
      await until("the next has started", () => held.started.length === n);
      held.end(held.started[n - 1] ?? "");
    }
    assert.deepEqual(
      held.started.map((subject) => subject.slice(0, 5)),
      ["large", "small", "large", "small", "large", "small"],
    );
    await until("all are done", async () => Object.keys(await readJobs(ctx)).length === 0);
  });

  test("more jobs are leased as soon as there are more slots", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    let total = 1;
    const held = heldJobs(() => ({ total, fair: { perKey: 9, large: 9 } }));
    for (let n = 0; n < 5; n++) await add(ctx, "a", `job-${n}`);
    await using _ = await running(ctx, held.kind);
    await until("one runs", () => held.started.length === 1);
    total = 4;
    held.end("job-0");
    await until("four more run", () => held.started.length === 5);
  });
});
