import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { thumbnailKey } from "../../../src/blobs/store.ts";
import type { Ctx } from "../../../src/context.ts";
import type { FileRow } from "../../../src/db/tables/files.ts";
import { enqueueJob } from "../../../src/jobs/queue.ts";
import { startJobRunner } from "../../../src/jobs/runner.ts";
import { MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { enqueueThumbnail } from "../../../src/service/files/enqueue-thumbnail.ts";
import { scanJob } from "../../../src/service/scanning/scan-job.ts";
import { thumbnailJob } from "../../../src/service/thumbnails/thumbnail-job.ts";
import { openProcesses, readJobs, uploadSmall } from "../../jobs/support.ts";
import { pngOf } from "../../support/formats/images.ts";
import { until } from "../../support/until.ts";

const findFile = (ctx: Ctx, id: string) => ctx.db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/** Uploads an image with a job for its thumbnail. */
async function uploadImage(ctx: Ctx): Promise<FileRow> {
  const { id } = await uploadSmall(ctx, "picture.png", pngOf(100, 50));
  return await findFile(ctx, id);
}

/** Runs all due jobs of these kinds in one process, until none is left. */
async function runJobs(ctx: Ctx, kinds: Parameters<typeof startJobRunner<Ctx>>[1]): Promise<void> {
  const runner = startJobRunner(ctx, kinds);
  try {
    await until("no job is left", async () => Object.keys(await readJobs(ctx)).length === 0);
  } finally {
    await runner.drain(5000);
  }
}

const sizeOf = ({ blobs }: Ctx, { blob_key }: FileRow) => blobs.size(thumbnailKey(blob_key));

/** thumbnails, "Which files have one" and "Where they are". */
describe("the job that makes a thumbnail", () => {
  test("stores the thumbnail of an image beside its bytes, once", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const image = await uploadImage(ctx);
    await runJobs(ctx, [thumbnailJob]);
    const row = await findFile(ctx, image.id);
    assert.deepEqual([row.thumbnail_width, row.thumbnail_height], [100, 50]);
    assert.equal(await sizeOf(ctx, row), row.thumbnail_bytes);
    await ctx.transaction((ctx) => enqueueThumbnail(ctx, row));
    await runJobs({ ...ctx, makeThumbnail: () => assert.fail("it is made again") }, [thumbnailJob]);
  });

  test("is not enqueued for other types, or larger files, or where no thumbnails are made", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { id } = await uploadSmall(ctx, "note.txt");
    const row = { ...(await findFile(ctx, id)), content_type: "image/png" };
    await ctx.transaction((ctx) => enqueueThumbnail(ctx, { ...row, content_type: "image/svg+xml" }));
    await ctx.transaction((ctx) => enqueueThumbnail(ctx, { ...row, size_bytes: 64 * 1024 ** 2 + 1 }));
    await ctx.transaction((ctx) => enqueueThumbnail({ ...ctx, makeThumbnail: undefined }, row));
    assert.deepEqual(await readJobs(ctx), {});
    await ctx.transaction((ctx) => enqueueThumbnail(ctx, row));
    assert.deepEqual(Object.keys(await readJobs(ctx)), [id]);
  });

  test("leaves no thumbnail of a file that is deleted or blocked while it runs", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    for (const change of [{ status: "deleted" }, { blob_state: "removing" }, { scan_status: "pending" }] as const) {
      const image = await uploadImage(ctx);
      const makeThumbnail: Ctx["makeThumbnail"] = async (bytes, signal) => {
        const result = await ctx.makeThumbnail?.(bytes, signal);
        await ctx.db.updateTable("files").set(change).where("id", "=", image.id).execute();
        return result ?? assert.fail();
      };
      await runJobs({ ...ctx, makeThumbnail }, [thumbnailJob]);
      const row = await findFile(ctx, image.id);
      assert.deepEqual([row.thumbnail_bytes, await sizeOf(ctx, row)], [null, undefined], JSON.stringify(change));
    }
  });

  test("runs again after an error of the store, and then replaces what the first run has left", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const image = await uploadImage(ctx);
    let isCrashing = true;
    const commit: Ctx["blobs"]["commit"] = async (staged) => {
      if (isCrashing) throw new Error("the store is away");
      await ctx.blobs.commit(staged);
    };
    // A crash discards nothing.
    const discard: Ctx["blobs"]["discard"] = async (staged) => (isCrashing ? undefined : await ctx.blobs.discard(staged));
    const runner = startJobRunner({ ...ctx, blobs: { ...ctx.blobs, commit, discard } }, [thumbnailJob]);
    try {
      await until("the first run has failed", async () => (await readJobs(ctx))[image.id]?.last_error === "the store is away");
      isCrashing = false;
      processes.clock.nowMs += MINUTE_MS;
      await until("the thumbnail is made", async () => (await findFile(ctx, image.id)).thumbnail_bytes !== null);
    } finally {
      await runner.drain(5000);
    }
    assert.deepEqual((await ctx.blobs.listStaged()).items, []);
  });

  test("loses its thumbnail when malware is found in the file", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const image = await uploadImage(ctx);
    await runJobs(ctx, [thumbnailJob]);
    await ctx.db.updateTable("files").set({ scan_status: "unavailable", scan_reason: "infected" }).where("id", "=", image.id).execute();
    const nowMs = ctx.now();
    await enqueueJob(ctx.db, { id: "quarantine", kind: "scan", subject: image.id, runAtMs: nowMs, nowMs });
    await runJobs(ctx, [scanJob]);
    const row = await findFile(ctx, image.id);
    assert.deepEqual([row.blob_state, row.thumbnail_bytes, row.thumbnail_width, row.thumbnail_height], ["quarantined", null, null, null]);
    assert.equal(await sizeOf(ctx, row), undefined);
  });
});
