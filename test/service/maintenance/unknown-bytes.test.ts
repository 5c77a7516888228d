import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { DAY_MS, HOUR_MS } from "../../../src/lib/text/duration.ts";
import { cleanUp, runCleanup } from "../../../src/service/maintenance/run-cleanup.ts";
import { countUnknownBlobs } from "../../../src/service/maintenance/unknown-bytes.ts";
import { openProcesses, type TestProcesses, uploadSmall } from "../../jobs/support.ts";

/** Writes blobs that no row knows. Resolves to their paths. */
async function plant({ dataDir }: TestProcesses, area: "blobs" | "quarantine", count: number): Promise<string[]> {
  const folder = join(dataDir, area, "ab", "cd");
  await mkdir(folder, { recursive: true });
  const paths = Array.from({ length: count }, (_, index) => join(folder, `abcd${String(index).padStart(28, "0")}`));
  for (const path of paths) await writeFile(path, "left");
  return paths;
}

async function plantStaged({ dataDir }: TestProcesses, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await writeFile(join(dataDir, "staging", String(index).padStart(32, "e")), "left");
}

const removeOld = async (ctx: Ctx): Promise<number> => (await runCleanup(ctx, { orphans: "old" })).orphans;
const left = (paths: readonly string[]): number => paths.filter((path) => existsSync(path)).length;

/** storage, "Bytes that nobody knows". */
describe("bytes that nobody knows", () => {
  for (const area of ["blobs", "quarantine"] as const) {
    test(`are removed from ${area} 7 days after they were first seen`, async () => {
      await using processes = await openProcesses();
      const [ctx] = processes.ctxs;
      const paths = await plant(processes, area, 1);
      assert.deepEqual([await removeOld(ctx), await countUnknownBlobs(ctx)], [0, 1]);
      processes.clock.nowMs += 7 * DAY_MS - 1;
      assert.deepEqual([await removeOld(ctx), left(paths)], [0, 1]);
      processes.clock.nowMs += 1;
      assert.equal((await cleanUp(ctx, { dryRun: true, orphans: "old" })).orphans, 1);
      assert.deepEqual([await removeOld(ctx), left(paths), await countUnknownBlobs(ctx)], [1, 0, 0]);
    });
  }

  test("are kept for as long as the quarantine, if that is longer", async () => {
    await using processes = await openProcesses({ FILEHOST_QUARANTINE_DAYS: "20" });
    const [ctx] = processes.ctxs;
    const paths = await plant(processes, "blobs", 1);
    await removeOld(ctx);
    processes.clock.nowMs += 20 * DAY_MS - 1;
    assert.deepEqual([await removeOld(ctx), left(paths)], [0, 1]);
    processes.clock.nowMs += 1;
    assert.deepEqual([await removeOld(ctx), left(paths)], [1, 0]);
  });

  test("of uploads without a session are removed after an hour, at most ten in one run", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await plantStaged(processes, 25);
    assert.equal(await removeOld(ctx), 0);
    processes.clock.nowMs += HOUR_MS - 1;
    assert.equal(await removeOld(ctx), 0);
    processes.clock.nowMs += 1;
    assert.deepEqual([await removeOld(ctx), await removeOld(ctx), await removeOld(ctx), await removeOld(ctx)], [10, 10, 5, 0]);
    assert.deepEqual(await readdir(join(processes.dataDir, "staging")), []);
  });

  test("are at most one in a hundred blobs in one run, and at least one", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const paths = await plant(processes, "blobs", 250);
    assert.equal(await removeOld(ctx), 0);
    processes.clock.nowMs += 8 * DAY_MS;
    assert.deepEqual([await removeOld(ctx), left(paths)], [2, 248]);
    assert.deepEqual([await removeOld(ctx), left(paths)], [2, 246]);
  });

  test("begin anew when a row knew them meanwhile", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { id } = await uploadSmall(ctx, "a.txt");
    const row = await ctx.db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const path = ctx.blobs.localPath(row.blob_key) ?? "";
    const setState = (blob_state: "stored" | "removed") => ctx.db.updateTable("files").set({ blob_state }).where("id", "=", id).execute();
    await ctx.db.updateTable("shares").set({ expires_at: null }).execute();
    await setState("removed");
    await removeOld(ctx);
    assert.equal(await countUnknownBlobs(ctx), 1);
    processes.clock.nowMs += 6 * DAY_MS;
    await setState("stored");
    await removeOld(ctx);
    assert.equal(await countUnknownBlobs(ctx), 0);
    await setState("removed");
    await removeOld(ctx);
    processes.clock.nowMs += 6 * DAY_MS;
    assert.deepEqual([await removeOld(ctx), left([path])], [0, 1]);
    processes.clock.nowMs += DAY_MS;
    assert.deepEqual([await removeOld(ctx), left([path])], [1, 0]);
  });

  test("stay if the list of the store fails, and are then neither forgotten nor removed", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const paths = await plant(processes, "blobs", 1);
    await removeOld(ctx);
    processes.clock.nowMs += 8 * DAY_MS;
    const failing: Ctx = { ...ctx, blobs: { ...ctx.blobs, listStaged: () => Promise.reject(new Error("no list")) } };
    await assert.rejects(removeOld(failing), /no list/);
    assert.deepEqual([left(paths), await countUnknownBlobs(ctx)], [1, 1]);
    assert.equal(await removeOld(ctx), 1);
  });

  test("survive a truncated table of files: a run removes one of 60 blobs, a week later", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    for (let index = 0; index < 60; index++) await uploadSmall(ctx, `${index}.txt`);
    await ctx.db.deleteFrom("files").execute();
    assert.equal(await removeOld(ctx), 0);
    processes.clock.nowMs += 7 * DAY_MS;
    assert.equal(await removeOld(ctx), 1);
    assert.equal((await ctx.blobs.list("visible")).items.length, 59);
  });

  test("are removed immediately by an administrator, together with foreign files, which the schedule never removes", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const paths = await plant(processes, "blobs", 40);
    const unknownFile = join(processes.dataDir, "blobs", "notes.txt");
    await writeFile(unknownFile, "left");
    const { id } = await uploadSmall(ctx, "kept.txt");
    await removeOld(ctx);
    assert.deepEqual([left(paths), existsSync(unknownFile)], [40, true]);
    assert.equal((await cleanUp(ctx, { dryRun: true, orphans: "all" })).orphans, 41);
    assert.equal((await runCleanup(ctx, { orphans: "all" })).orphans, 41);
    assert.deepEqual([left(paths), existsSync(unknownFile), await countUnknownBlobs(ctx)], [0, false, 0]);
    const row = await ctx.db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    assert.equal(await ctx.blobs.size(row.blob_key), "the bytes of kept.txt".length);
  });
});
