import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { enqueueJob } from "../../../src/jobs/queue.ts";
import { createAwaitedImports } from "../../../src/service/imports/awaited-imports.ts";
import { createRunningImports, type RunningImport } from "../../../src/service/imports/import-progress.ts";
import { IMPORT_JOB } from "../../../src/service/imports/init-import.ts";
import { IMPORT_SLOTS, yieldSlot } from "../../../src/service/imports/run-import.ts";
import { openProcesses } from "../../jobs/support.ts";

const SLOW = { bytesDone: 0, bytesTotal: null, name: null };

/** fair queues, "Slots of imports". */
describe("import slots", () => {
  test("the slowest job loses its slot to a caller without one when all slots are in use", async () => {
    await using processes = await openProcesses();
    const [base] = processes.ctxs;
    const ctx = { ...base, imports: { ...base.imports, running: createRunningImports(base.now) } };
    const running: RunningImport[] = [];
    for (let n = 0; n < IMPORT_SLOTS; n++) running.push(ctx.imports.running.start(`${n}`, SLOW));
    const yieldAll = async (): Promise<number[]> => {
      for (const current of running) await yieldSlot(ctx, current);
      return running.flatMap(({ signal }, n) => (signal.aborted ? [n] : []));
    };
    const nowMs = ctx.now();
    await enqueueJob(ctx.db, { id: "j", kind: IMPORT_JOB, subject: "new", runAtMs: nowMs, nowMs, fairKey: "other" });
    assert.deepEqual(await yieldAll(), [], "no pace is known yet");
    processes.clock.nowMs += 20_000;
    for (const [n, current] of running.entries()) current.update({ bytesDone: n === 7 ? 1_000 : (n + 1) * 1_000_000 });
    assert.deepEqual(await yieldAll(), [7]);
    const reason: unknown = running[7]?.signal.reason;
    assert.ok(reason instanceof AppError && reason.code === "UNAVAILABLE");
  });

  test("no job loses its slot if another is free, no job is slow, or no caller without a slot waits", async () => {
    await using processes = await openProcesses();
    const [base] = processes.ctxs;
    const ctx = { ...base, imports: { ...base.imports, running: createRunningImports(base.now) } };
    const { running } = ctx.imports;
    const first = running.start("0", SLOW);
    for (let n = 1; n < IMPORT_SLOTS; n++) running.start(`${n}`, SLOW);
    processes.clock.nowMs += 20_000;
    await yieldSlot(ctx, first);
    assert.equal(first.signal.aborted, false, "nobody waits");
    await enqueueJob(ctx.db, { id: "j", kind: IMPORT_JOB, subject: "new", runAtMs: 0, nowMs: 0, fairKey: "other" });
    running.end("9");
    await yieldSlot(ctx, first);
    assert.equal(first.signal.aborted, false, "a slot is free");
    running.start("9", SLOW);
    for (let n = 0; n < IMPORT_SLOTS; n++) running.find(`${n}`)?.update({ bytesDone: 1024 ** 3 });
    await yieldSlot(ctx, first);
    assert.equal(first.signal.aborted, false, "it is fast");
  });

  test("a waiting caller has at most six slots, and the slowest import loses its slot to a caller without one", () => {
    let nowMs = 0;
    const awaited = createAwaitedImports(() => nowMs);
    const slots = Array.from({ length: 32 }, (_, n) => awaited.start(`caller-${Math.floor(n / 6)}`));
    assert.throws(() => awaited.start("caller-0"), { code: "TOO_MANY_UPLOADS", retryAfterSeconds: 10 });
    assert.throws(() => awaited.start("other"), { code: "UNAVAILABLE", retryAfterSeconds: 10 });
    nowMs = 20_000;
    for (const [n, slot] of slots.entries()) slot.add(n === 3 ? 1_000 : 20_000_000);
    assert.throws(() => awaited.start("caller-5"), { code: "UNAVAILABLE" }, "it has some already");
    using _ = awaited.start("other");
    assert.deepEqual(
      slots.flatMap(({ signal }, n) => (signal.aborted ? [n] : [])),
      [3],
    );
    slots[4]?.[Symbol.dispose]();
    slots[3]?.[Symbol.dispose]();
    using _other = awaited.start("caller-0");
    assert.throws(() => awaited.start("another"), { code: "UNAVAILABLE" });
  });
});
