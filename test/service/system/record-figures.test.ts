import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { countDownloaded } from "../../../src/service/figures/daily-figures.ts";
import { listHistory, recordFigures } from "../../../src/service/system/record-figures.ts";
import { openProcesses, uploadSmall } from "../../jobs/support.ts";

const countDownloads = (ctx: Ctx, count: number) => ctx.transaction((ctx) => countDownloaded(ctx, count));

const failJob = (ctx: Ctx, id: string) =>
  ctx.db
    .insertInto("jobs")
    .values({
      id,
      kind: "thumbnail",
      subject: id,
      run_at: ctx.now(),
      created_at: ctx.now(),
      failed_at: ctx.now(),
      attempts: 1,
      last_error: "x",
    })
    .execute();

/** administration, "Overview". */
describe("the figures of a day", () => {
  test("have its uploads and downloads, its last storage and its most failures, also after files and jobs are deleted", async () => {
    await using processes = await openProcesses();
    const [ctx, other] = processes.ctxs;
    const { size } = await uploadSmall(ctx, "one.txt");
    await uploadSmall(other, "two.txt");
    await countDownloads(ctx, 2);
    await countDownloads(other, 1);
    await failJob(ctx, "a");
    await failJob(ctx, "b");
    await recordFigures(ctx);
    await ctx.db.deleteFrom("jobs").where("id", "=", "a").execute();
    await recordFigures(other);
    await ctx.db.deleteFrom("files").execute();
    processes.clock.nowMs += DAY_MS;
    await countDownloads(ctx, 5);
    const days = await listHistory(ctx, { usedBytes: 7, failures: 1 });
    assert.equal(days.length, 30);
    assert.deepEqual(days.at(-3), { day: days.at(-3)?.day, usedBytes: null, uploads: 0, downloads: 0, failures: null });
    assert.deepEqual(days.at(-2), { day: days.at(-2)?.day, usedBytes: 2 * size, uploads: 2, downloads: 3, failures: 2 });
    assert.deepEqual(days.at(-1), {
      day: new Date(ctx.now()).toISOString().slice(0, 10),
      usedBytes: 7,
      uploads: 0,
      downloads: 5,
      failures: 1,
    });
  });

  test("are deleted after 400 days", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await recordFigures(ctx);
    processes.clock.nowMs += 400 * DAY_MS;
    await recordFigures(ctx);
    assert.equal((await ctx.db.selectFrom("daily_figures").selectAll().execute()).length, 2);
    processes.clock.nowMs += DAY_MS;
    await recordFigures(ctx);
    assert.equal((await ctx.db.selectFrom("daily_figures").selectAll().execute()).length, 2);
  });
});
