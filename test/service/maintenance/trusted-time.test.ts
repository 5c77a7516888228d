import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ClockWatch, Ctx } from "../../../src/context.ts";
import { describeDoubt } from "../../../src/lib/system/clock-doubt.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { endFile, REMOVE_NOW } from "../../../src/service/files/end-file.ts";
import { runCleanup } from "../../../src/service/maintenance/run-cleanup.ts";
import { atCheckedTime, createClockWatch, type OtherClock } from "../../../src/service/maintenance/trusted-time.ts";
import { openProcesses, uploadSmall } from "../../jobs/support.ts";

/** A machine: what its clock says, and how much time has passed. */
interface Machine {
  nowMs: number;
  elapsedMs: number;
}

const pass = (machine: Machine, ms: number): void => {
  machine.nowMs += ms;
  machine.elapsedMs += ms;
};

const START_MS = Date.parse("2030-05-01T12:00:00Z");
const newMachine = (): Machine => ({ nowMs: START_MS, elapsedMs: 1_000 });

const watchClock = ({ db, log }: Ctx, machine: Machine, others: readonly OtherClock[] = []): ClockWatch =>
  createClockWatch({ db, log, now: () => machine.nowMs, elapsed: () => machine.elapsedMs, others });

/** Another machine's clock; undefined: it does not respond. */
const otherClock = (read: () => number | undefined, isCostly = false): OtherClock => ({
  name: isCostly ? "file store" : "database server",
  isCostly,
  read: async () => {
    const timeMs = read();
    if (timeMs === undefined) throw new Error("no response");
    return timeMs;
  },
});

/** expiry, "When the clock is wrong". */
describe("the trusted time", () => {
  test("is the clock's while that passes as time does, with small corrections", async () => {
    await using processes = await openProcesses();
    const machine = newMachine();
    const clock = watchClock(processes.ctxs[0], machine);
    await clock.record();
    for (let minute = 0; minute < 180; minute += 1) {
      pass(machine, MINUTE_MS);
      machine.nowMs += minute % 60 === 0 ? 2 * MINUTE_MS : 0;
      await clock.record();
      assert.deepEqual([clock.trustedNow(), clock.doubt()], [machine.nowMs, undefined]);
    }
  });

  test("does not follow a clock that is set forward, until an hour has passed", async () => {
    await using processes = await openProcesses();
    const machine = newMachine();
    const clock = watchClock(processes.ctxs[0], machine);
    await clock.record();
    pass(machine, MINUTE_MS);
    machine.nowMs += 4 * DAY_MS;
    // Before any comparison too.
    assert.equal(clock.trustedNow(), START_MS + MINUTE_MS);
    await clock.record();
    const doubt = clock.doubt();
    assert.deepEqual([doubt?.kind, doubt?.aheadMs], ["jump", 4 * DAY_MS]);
    assert.match(doubt ? describeDoubt(doubt) : "", /set forward by 4 days\. .* 2030-05-05T13:01:00/);
    pass(machine, HOUR_MS - 1);
    await clock.record();
    assert.equal(clock.trustedNow(), START_MS + MINUTE_MS + HOUR_MS - 1);
    pass(machine, 1);
    await clock.record();
    assert.deepEqual([clock.trustedNow(), clock.doubt()], [machine.nowMs, undefined]);
  });

  test("another jump within the hour starts the hour again, and a correction ends it", async () => {
    await using processes = await openProcesses();
    const machine = newMachine();
    const clock = watchClock(processes.ctxs[0], machine);
    await clock.record();
    machine.nowMs += DAY_MS;
    await clock.check();
    pass(machine, HOUR_MS - MINUTE_MS);
    machine.nowMs += DAY_MS;
    await clock.check();
    pass(machine, 2 * MINUTE_MS);
    await clock.check();
    assert.equal(clock.doubt()?.aheadMs, 2 * DAY_MS);
    machine.nowMs -= 2 * DAY_MS;
    await clock.check();
    assert.deepEqual([clock.trustedNow(), clock.doubt()], [machine.nowMs, undefined]);
  });

  test("many small changes are a large one", async () => {
    await using processes = await openProcesses();
    const machine = newMachine();
    const clock = watchClock(processes.ctxs[0], machine);
    await clock.record();
    for (let step = 0; step < 10; step += 1) {
      pass(machine, 15_000);
      machine.nowMs += 4 * MINUTE_MS;
      await clock.record();
    }
    assert.equal(clock.doubt()?.kind, "jump");
    assert.ok(clock.trustedNow() < START_MS + 10 * MINUTE_MS);
  });

  test("is the earlier one after the clock was set back, and the change is reported", async () => {
    await using processes = await openProcesses();
    const machine = newMachine();
    const clock = watchClock(processes.ctxs[0], machine);
    await clock.record();
    machine.nowMs -= 3 * DAY_MS;
    await clock.check();
    assert.deepEqual([clock.trustedNow(), clock.doubt()?.aheadMs, clock.wasAhead()], [machine.nowMs, -3 * DAY_MS, "perhaps"]);
    pass(machine, HOUR_MS);
    await clock.check();
    assert.deepEqual([clock.trustedNow(), clock.doubt(), clock.wasAhead()], [machine.nowMs, undefined, "yes"]);
  });

  test("does not follow a clock that is wrong at a start, and knows one that was put right", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const machine = newMachine();
    await watchClock(ctx, machine).record();
    const wrong = { nowMs: machine.nowMs + 4 * DAY_MS, elapsedMs: 5 };
    const second = watchClock(ctx, wrong);
    pass(wrong, 30_000);
    await second.record();
    assert.deepEqual([second.doubt()?.kind, second.trustedNow()], ["start", START_MS]);
    pass(wrong, 30_000);
    await second.record();
    assert.equal(second.trustedNow(), START_MS + 30_000);
    // What the wrong clock has shown is no reason to wait once it is right.
    pass(machine, MINUTE_MS);
    const third = watchClock(ctx, { ...machine, elapsedMs: 7 });
    await third.record();
    assert.deepEqual([third.doubt(), third.trustedNow(), third.wasAhead()], [undefined, machine.nowMs, "yes"]);
    third.clear();
    assert.equal(third.wasAhead(), "no");
  });

  test("after a long stop waits for an hour, after a short one not", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const machine = newMachine();
    await watchClock(ctx, machine).record();
    machine.nowMs += 4 * MINUTE_MS;
    const restarted = watchClock(ctx, machine);
    await restarted.record();
    assert.equal(restarted.doubt(), undefined);
    machine.nowMs += 14 * DAY_MS;
    const later = watchClock(ctx, machine);
    await later.record();
    assert.equal(later.doubt()?.kind, "start");
    pass(machine, HOUR_MS);
    await later.record();
    assert.deepEqual([later.doubt(), later.trustedNow()], [undefined, machine.nowMs]);
  });

  for (const isCostly of [false, true])
    test(`follows immediately if ${isCostly ? "the store" : "the database server"} agrees`, async () => {
      await using processes = await openProcesses();
      const [ctx] = processes.ctxs;
      const machine = newMachine();
      await watchClock(ctx, machine).record();
      machine.nowMs += 14 * DAY_MS;
      const clock = watchClock(ctx, machine, [otherClock(() => machine.nowMs - 800, isCostly)]);
      await clock.record();
      assert.deepEqual([clock.doubt(), clock.trustedNow()], [undefined, machine.nowMs]);
      machine.nowMs += 2 * DAY_MS;
      await clock.check();
      assert.deepEqual([clock.doubt(), clock.trustedNow()], [undefined, machine.nowMs]);
    });

  test("is the earlier of two clocks that differ, however long that is so", async () => {
    await using processes = await openProcesses();
    const machine = newMachine();
    let rightMs = START_MS;
    const clock = watchClock(processes.ctxs[0], machine, [otherClock(() => rightMs)]);
    machine.nowMs += 4 * DAY_MS;
    for (let hours = 0; hours < 5; hours += 1) {
      await clock.record();
      assert.deepEqual([clock.doubt()?.kind, clock.doubt()?.aheadMs, clock.trustedNow()], ["differs", 4 * DAY_MS, rightMs]);
      assert.match(
        describeDoubt({ kind: "differs", aheadMs: 4 * DAY_MS, from: "database server" }),
        /4 days ahead of that of the database server/,
      );
      pass(machine, HOUR_MS);
      rightMs += HOUR_MS;
    }
    machine.nowMs = rightMs - DAY_MS;
    await clock.record();
    assert.deepEqual([clock.doubt()?.aheadMs, clock.trustedNow()], [-DAY_MS, machine.nowMs]);
    assert.equal(clock.latestNow(), rightMs);
  });

  test("asks a second clock before it believes the first, and none that does not respond", async () => {
    await using processes = await openProcesses();
    const machine = newMachine();
    let storeMs: number | undefined = START_MS;
    const clock = watchClock(processes.ctxs[0], machine, [otherClock(() => machine.nowMs), otherClock(() => storeMs, true)]);
    await clock.check();
    machine.nowMs += DAY_MS;
    await clock.check();
    assert.deepEqual([clock.doubt()?.from, clock.trustedNow()], ["file store", START_MS]);
    storeMs = undefined;
    await clock.check();
    assert.deepEqual([clock.doubt(), clock.trustedNow()], [undefined, machine.nowMs]);
  });
});

describe("a cleanup at the trusted time", () => {
  test("expires no share early, removes deleted files, and later expires due shares", async () => {
    await using processes = await openProcesses();
    const [plain] = processes.ctxs;
    const machine = { nowMs: processes.clock.nowMs, elapsedMs: 1_000 };
    const clock = watchClock(plain, machine);
    const now = () => machine.nowMs;
    const ctx: Ctx = { ...plain, now, clock, transaction: (work) => plain.transaction((inner) => work({ ...inner, now, clock })) };
    await clock.record();
    const kept = await uploadSmall(ctx, "kept.txt");
    const deleted = await uploadSmall(ctx, "deleted.txt");
    const stateOf = async (id: string) => {
      const row = await ctx.db.selectFrom("files").select(["status", "blob_state"]).where("id", "=", id).executeTakeFirst();
      return [row?.status, row?.blob_state];
    };
    const clean = async () => await runCleanup(await atCheckedTime(ctx), { orphans: "none" });
    machine.nowMs += 4 * DAY_MS;
    await ctx.transaction(async (ctx) => {
      const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", deleted.id).executeTakeFirstOrThrow();
      await endFile(ctx, file, { status: "deleted", removeAtMs: REMOVE_NOW });
    });
    assert.deepEqual((await clean()).expired, 0);
    assert.deepEqual(await stateOf(kept.id), ["active", "stored"]);
    assert.deepEqual(await stateOf(deleted.id), ["deleted", "removed"]);
    pass(machine, HOUR_MS);
    assert.deepEqual((await clean()).expired, 1);
    assert.deepEqual(await stateOf(kept.id), ["expired", "removed"]);
  });
});
