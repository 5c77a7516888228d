import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { describeThisInstance, listLiveInstances, renewInstance } from "../../../src/jobs/instances.ts";
import { acquireScheduleRun, enqueueJob, findNextDue } from "../../../src/jobs/queue.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { consume, getRate } from "../../../src/service/accounts/rate-limits.ts";
import { correctTimes } from "../../../src/service/maintenance/future-times.ts";
import { createClockWatch } from "../../../src/service/maintenance/trusted-time.ts";
import { openProcesses, uploadSmall } from "../../jobs/support.ts";

/** How far the clock was ahead: less than the term of some rights. */
const AHEAD_MS = 20 * HOUR_MS;

/** A server that ran, whose clock was ahead for a while with what `write` writes, and that was restarted with the right clock. */
async function afterAhead(write: (ctx: Ctx) => Promise<void>, check: (ctx: Ctx) => Promise<void>): Promise<void> {
  await using processes = await openProcesses();
  const [plain] = processes.ctxs;
  const { clock: time } = processes;
  const startedMs = time.nowMs;
  const at = (elapsed: () => number): Ctx => {
    const clock = createClockWatch({ db: plain.db, log: plain.log, now: plain.now, elapsed, others: [] });
    return { ...plain, clock, transaction: (work) => plain.transaction((inner) => work({ ...inner, clock })) };
  };
  await at(() => 0).clock.record();
  time.nowMs += AHEAD_MS;
  const ahead = at(() => time.nowMs - startedMs - AHEAD_MS);
  await ahead.clock.record();
  await write(ahead);
  time.nowMs -= AHEAD_MS - MINUTE_MS;
  const right = at(() => time.nowMs - startedMs);
  await right.clock.record();
  await correctTimes(right);
  await check(right);
}

/** expiry, "When the clock is wrong". */
describe("times that a clock which was ahead has stored", () => {
  test("a job waits no longer for the end of its pause", async () => {
    await afterAhead(
      (ctx) => enqueueJob(ctx.db, { id: "j", kind: "work", subject: "s", runAtMs: ctx.now() + MINUTE_MS, nowMs: ctx.now() }),
      async (ctx) => assert.ok(((await findNextDue(ctx.db, { kind: "work", nowMs: ctx.now() })) ?? Number.POSITIVE_INFINITY) <= ctx.now()),
    );
  });

  test("a full window of a rate limit ends", async () => {
    const use = ({ config, now }: Ctx) => ({ name: "reports" as const, subject: "x", rate: config.rates.reports, nowMs: now() });
    await afterAhead(
      async (ctx) => {
        for (let count = 0; count < 6; count += 1) await consume(ctx.db, use(ctx));
        assert.equal((await getRate(ctx.db, use(ctx))).allowed, false);
      },
      async (ctx) => assert.equal((await getRate(ctx.db, use(ctx))).allowed, true),
    );
  });

  test("the lease of an instance on another host ends with its term", async () => {
    await afterAhead(
      (ctx) => renewInstance(ctx, { ...describeThisInstance("far"), host: "elsewhere" }),
      async (ctx) => {
        assert.equal((await listLiveInstances(ctx)).size, 1);
        assert.equal((await listLiveInstances({ ...ctx, now: () => ctx.now() + MINUTE_MS })).size, 0);
      },
    );
  });

  test("a download grant ends with its term", async () => {
    await afterAhead(
      async (ctx) => {
        const { id } = await uploadSmall(ctx, "limited.txt");
        await ctx.db
          .insertInto("download_grants")
          .values({ id: "g", file_id: id, budget_bytes: 1, completed_at: null, expires_at: ctx.now() + HOUR_MS })
          .execute();
      },
      async (ctx) => {
        const [grant] = await ctx.db.selectFrom("download_grants").select("expires_at").execute();
        assert.equal(grant?.expires_at, ctx.now() + HOUR_MS);
        const [file] = await ctx.db.selectFrom("files").select("created_at").execute();
        assert.equal(file?.created_at, ctx.now());
      },
    );
  });

  test("scheduled work runs at the next time", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    assert.equal(await acquireScheduleRun(ctx.db, "piece", ctx.now() + 4 * DAY_MS), true);
    assert.equal(await acquireScheduleRun(ctx.db, "piece", ctx.now()), true);
    assert.equal(await acquireScheduleRun(ctx.db, "piece", ctx.now()), false);
    // Clocks of instances that differ by little share their runs.
    assert.equal(await acquireScheduleRun(ctx.db, "piece", ctx.now() - MINUTE_MS), false);
  });

  test("right times remain", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { id } = await uploadSmall(ctx, "kept.txt");
    await enqueueJob(ctx.db, { id: "j", kind: "work", subject: "s", runAtMs: ctx.now() + 6 * HOUR_MS, nowMs: ctx.now() });
    const read = async () => [
      await ctx.db.selectFrom("files").selectAll().where("id", "=", id).execute(),
      await ctx.db.selectFrom("jobs").selectAll().execute(),
      await ctx.db.selectFrom("shares").selectAll().execute(),
    ];
    const before = await read();
    await correctTimes(ctx);
    assert.deepEqual(await read(), before);
  });
});
