import assert from "node:assert/strict";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { MarkName } from "../../../src/blobs/store-marks.ts";
import type { Ctx } from "../../../src/context.ts";
import { findServerState, saveServerState } from "../../../src/db/server-state.ts";
import { registerInstance } from "../../../src/jobs/instances.ts";
import { newBlobKey } from "../../../src/lib/secrets/ids.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { adoptStorage } from "../../../src/service/maintenance/adopt-storage.ts";
import { runCleanup } from "../../../src/service/maintenance/run-cleanup.ts";
import { ensurePair, keepStorePair, readPair, renewPair } from "../../../src/service/storage/store-pair.ts";
import { openProcesses, type TestProcesses, uploadSmall } from "../../jobs/support.ts";

const RECORD = "store_pair_disk";

const stateOf = async (ctx: Ctx): Promise<string> => {
  const state = await ensurePair(ctx);
  return state.kind === "problem" ? state.problem : state.kind;
};

const recordOf = async (ctx: Ctx): Promise<string> => (await findServerState(ctx.db, RECORD)) ?? "";
const generationOf = async (ctx: Ctx): Promise<string> => JSON.parse(await recordOf(ctx)).generation;

/** The context of a process that dies at a write of the mark: before it, or just after it. */
function dyingAt(ctx: Ctx, moment: "before" | "after"): Ctx {
  const { marks } = ctx.blobs;
  const write = async (name: MarkName, text: string): Promise<void> => {
    if (moment === "after") await marks.write(name, text);
    throw new Error("killed");
  };
  return { ...ctx, blobs: { ...ctx.blobs, marks: { ...marks, write } } };
}

const removeRecord = (ctx: Ctx) => ctx.db.deleteFrom("server_state").where("name", "=", RECORD).execute();

/** An installation from before stores had marks. */
async function unmark({ ctxs: [ctx] }: TestProcesses): Promise<void> {
  await removeRecord(ctx);
  await ctx.blobs.marks.remove("identity");
}

/** storage, "A store and its database". */
describe("a store and its database", () => {
  test("get one ID at the first start, also if two processes start together", async () => {
    await using processes = await openProcesses();
    await unmark(processes);
    const [one, other] = processes.ctxs;
    assert.deepEqual(await Promise.all([stateOf(one), stateOf(other)]), ["paired", "paired"]);
    assert.deepEqual(await readPair(one), await readPair(other));
  });

  test("are paired if the first mark was staged by a process that was killed then", async () => {
    await using processes = await openProcesses();
    await unmark(processes);
    const [ctx] = processes.ctxs;
    await assert.rejects(ensurePair(dyingAt(ctx, "before")), /killed/);
    await ctx.blobs.stage(newBlobKey(ctx.random), 1);
    assert.equal(await stateOf(ctx), "paired");
  });

  for (const moment of ["before", "after"] as const) {
    test(`stay paired if the first mark is interrupted ${moment} it is written`, async () => {
      await using processes = await openProcesses();
      await unmark(processes);
      const [ctx] = processes.ctxs;
      await assert.rejects(ensurePair(dyingAt(ctx, moment)), /killed/);
      await uploadSmall(ctx, "a.txt");
      assert.equal(await stateOf(ctx), "paired");
      await keepStorePair(ctx);
      assert.notEqual(await generationOf(ctx), null);
      assert.equal(await stateOf(ctx), "paired");
    });

    test(`stay paired if a renewal is interrupted ${moment} the store has it`, async () => {
      await using processes = await openProcesses();
      const [ctx, other] = processes.ctxs;
      await ensurePair(ctx);
      const first = await generationOf(ctx);
      await assert.rejects(renewPair(dyingAt(ctx, moment)), /killed/);
      assert.deepEqual([await stateOf(ctx), await generationOf(ctx)], ["paired", first]);
      await keepStorePair(other);
      assert.notEqual(await generationOf(ctx), first);
      assert.deepEqual([await stateOf(ctx), await stateOf(other)], ["paired", "paired"]);
    });
  }

  test("get a new generation each day", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await renewPair(ctx);
    const first = await generationOf(ctx);
    processes.clock.nowMs += DAY_MS - 1;
    await keepStorePair(ctx);
    assert.equal(await generationOf(ctx), first);
    processes.clock.nowMs += 1;
    await keepStorePair(ctx);
    assert.notEqual(await generationOf(ctx), first);
  });

  test("are renewed by one live instance at a time", async () => {
    await using processes = await openProcesses();
    const [ctx, other] = processes.ctxs;
    await ensurePair(ctx);
    const unregister = await registerInstance(ctx);
    await assert.rejects(renewPair(dyingAt(ctx, "before")), /killed/);
    const began = await recordOf(ctx);
    await renewPair(other);
    assert.equal(await recordOf(ctx), began);
    await unregister();
    await renewPair(other);
    assert.notEqual(await recordOf(ctx), began);
  });

  const CHANGES: Readonly<
    Record<string, readonly [problem: string, change: (processes: TestProcesses, former: string) => Promise<unknown>]>
  > = {
    "the database is an older copy": ["diverged", ({ ctxs: [ctx] }, former) => saveServerState(ctx.db, RECORD, former)],
    "the store is an older copy": [
      "diverged",
      ({ ctxs: [ctx] }, former) => ctx.blobs.marks.write("identity", JSON.stringify(JSON.parse(former))),
    ],
    "the database is another one": ["foreign", ({ ctxs: [ctx] }) => removeRecord(ctx)],
    "the store is another one": ["foreign", ({ ctxs: [ctx] }) => ctx.blobs.marks.write("identity", '{"id":"x","generation":"y"}')],
    "the mark is damaged": ["foreign", ({ ctxs: [ctx] }) => ctx.blobs.marks.write("identity", "{")],
    "the mark is missing": ["unmarked", ({ ctxs: [ctx] }) => ctx.blobs.marks.remove("identity")],
  };

  for (const [name, [problem, change]] of Object.entries(CHANGES)) {
    test(`remove nothing if ${name}, until an administrator adopts the store`, async () => {
      await using processes = await openProcesses();
      const [ctx] = processes.ctxs;
      await ensurePair(ctx);
      const { shortId } = await uploadSmall(ctx, "brief.txt");
      const former = await recordOf(ctx);
      await renewPair(ctx);
      await change(processes, former);
      assert.equal(await stateOf(ctx), problem);
      processes.clock.nowMs += 30 * DAY_MS;
      const report = await runCleanup(ctx, { orphans: "old" });
      assert.deepEqual([report.expired, report.removedFiles, typeof report.stopped], [1, 0, "string"]);
      await assert.rejects(runCleanup(ctx, { orphans: "all" }), { code: "CONFLICT" });
      const row = await ctx.db.selectFrom("files").selectAll().where("short_id", "=", shortId).executeTakeFirstOrThrow();
      assert.ok(await ctx.blobs.size(row.blob_key));
      await assert.rejects(
        adoptStorage(ctx, () => Promise.reject(new Error("no"))),
        /no/,
      );
      assert.equal(await stateOf(ctx), problem);
      assert.deepEqual((await adoptStorage(ctx, async () => undefined)).files, 1);
      assert.equal(await stateOf(ctx), "paired");
      assert.equal((await runCleanup(ctx, { orphans: "old" })).removedFiles, 1);
      assert.equal(await ctx.blobs.size(row.blob_key), undefined);
    });
  }

  test("stay as they were if an adoption cannot write the mark", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await ensurePair(ctx);
    await assert.rejects(
      adoptStorage(dyingAt(ctx, "before"), async () => undefined),
      /killed/,
    );
    assert.equal(await stateOf(ctx), "paired");
    assert.deepEqual((await adoptStorage(ctx, async () => undefined)).files, 0);
    assert.equal(await stateOf(ctx), "paired");
  });

  test("notice a clone: neither of the two removes anything, until one adopts the store and the other stops", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await ensurePair(ctx);
    const cloned = await recordOf(ctx);
    await using clone = await openProcesses();
    const cloneCtx: Ctx = { ...clone.ctxs[0], blobs: ctx.blobs };
    await saveServerState(cloneCtx.db, RECORD, cloned);
    assert.deepEqual([await stateOf(ctx), await stateOf(cloneCtx)], ["paired", "paired"]);
    await renewPair(ctx);
    await keepStorePair(cloneCtx);
    assert.deepEqual([await stateOf(ctx), await stateOf(cloneCtx)], ["contended", "diverged"]);
    await adoptStorage(ctx, async () => undefined);
    assert.deepEqual([await stateOf(ctx), await stateOf(cloneCtx)], ["paired", "foreign"]);
    await keepStorePair(cloneCtx);
    assert.equal(await stateOf(ctx), "contended");
  });

  test("of an installation from before are paired if its rows match the blobs", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    for (let index = 0; index < 5; index++) await uploadSmall(ctx, `${index}.txt`);
    await unmark(processes);
    assert.equal(await stateOf(ctx), "paired");
  });

  test("of an installation from before are not paired if a blob is unknown, a file has no bytes, or the database is empty", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    for (let index = 0; index < 5; index++) await uploadSmall(ctx, `${index}.txt`);
    await unmark(processes);
    const [first] = await ctx.db.selectFrom("files").selectAll().orderBy("blob_key").execute();
    assert.ok(first);
    const path = ctx.blobs.localPath(first.blob_key) ?? "";
    await cp(path, join(path, "..", `${first.blob_key.slice(0, 4)}${"f".repeat(28)}`));
    assert.equal(await stateOf(ctx), "unmatched");
    await rm(join(path, "..", `${first.blob_key.slice(0, 4)}${"f".repeat(28)}`));
    await rm(path);
    assert.equal(await stateOf(ctx), "unmatched");
    await writeFile(path, "the bytes of 0.txt");
    assert.equal(await stateOf(ctx), "paired");
    await unmark(processes);
    await ctx.db.deleteFrom("files").execute();
    assert.equal(await stateOf(ctx), "unmatched");
  });
});
