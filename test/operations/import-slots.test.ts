import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { enqueueJob } from "../../src/db/jobs.ts";
import { AppError } from "../../src/errors.ts";
import { createAwaitedImports } from "../../src/operations/imports/awaited-imports.ts";
import { IMPORT_JOB } from "../../src/operations/imports/init-import.ts";
import { createLiveImports, type LiveImport } from "../../src/operations/imports/live-imports.ts";
import { IMPORT_SLOTS, yieldSlot } from "../../src/operations/imports/yield-slot.ts";
import { openProcesses } from "../jobs/support.ts";

const SLOW = { bytesDone: 0, bytesTotal: null, name: null };

/** decisions, "Remote import"; interface, "Upload and import". */
describe("slots of imports", () => {
  test("where all jobs have theirs, the slowest makes room for a caller who has none", async () => {
    await using processes = await openProcesses();
    const [base] = processes.ctxs;
    const ctx = { ...base, imports: { ...base.imports, live: createLiveImports(base.now) } };
    const running: LiveImport[] = [];
    for (let n = 0; n < IMPORT_SLOTS; n++) running.push(ctx.imports.live.start(`${n}`, SLOW));
    const yieldAll = async (): Promise<number[]> => {
      for (const live of running) await yieldSlot(ctx, live);
      return running.flatMap(({ signal }, n) => (signal.aborted ? [n] : []));
    };
    const nowMs = ctx.now();
    await enqueueJob(ctx.db, { id: "j", kind: IMPORT_JOB, subject: "new", runAtMs: nowMs, nowMs, fairKey: "newcomer" });
    assert.deepEqual(await yieldAll(), [], "their speed is not known yet");
    processes.clock.nowMs += 20_000;
    for (const [n, live] of running.entries()) live.update({ bytesDone: n === 7 ? 1_000 : (n + 1) * 1_000_000 });
    assert.deepEqual(await yieldAll(), [7]);
    const reason: unknown = running[7]?.signal.reason;
    assert.ok(reason instanceof AppError && reason.code === "UNAVAILABLE");
  });

  test("nobody makes room where a slot is free, where none is slow, or where no newcomer waits", async () => {
    await using processes = await openProcesses();
    const [base] = processes.ctxs;
    const ctx = { ...base, imports: { ...base.imports, live: createLiveImports(base.now) } };
    const { live } = ctx.imports;
    const first = live.start("0", SLOW);
    for (let n = 1; n < IMPORT_SLOTS; n++) live.start(`${n}`, SLOW);
    processes.clock.nowMs += 20_000;
    await yieldSlot(ctx, first);
    assert.equal(first.signal.aborted, false, "nobody waits");
    await enqueueJob(ctx.db, { id: "j", kind: IMPORT_JOB, subject: "new", runAtMs: 0, nowMs: 0, fairKey: "newcomer" });
    live.end("9");
    await yieldSlot(ctx, first);
    assert.equal(first.signal.aborted, false, "a slot is free");
    live.start("9", SLOW);
    for (let n = 0; n < IMPORT_SLOTS; n++) live.find(`${n}`)?.update({ bytesDone: 1024 ** 3 });
    await yieldSlot(ctx, first);
    assert.equal(first.signal.aborted, false, "it is fast");
  });

  test("of callers who wait, one has six slots at most, and the slowest of all makes room for a newcomer", () => {
    let nowMs = 0;
    const awaited = createAwaitedImports(() => nowMs);
    const slots = Array.from({ length: 32 }, (_, n) => awaited.start(`caller-${Math.floor(n / 6)}`));
    assert.throws(() => awaited.start("caller-0"), { code: "TOO_MANY_UPLOADS", headers: { "Retry-After": "10" } });
    assert.throws(() => awaited.start("newcomer"), { code: "UNAVAILABLE", headers: { "Retry-After": "10" } });
    nowMs = 20_000;
    for (const [n, slot] of slots.entries()) slot.add(n === 3 ? 1_000 : 20_000_000);
    assert.throws(() => awaited.start("caller-5"), { code: "UNAVAILABLE" }, "it has some already");
    using _ = awaited.start("newcomer");
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
