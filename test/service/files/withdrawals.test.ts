import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Ctx } from "../../../src/context.ts";
import { HOUR_MS } from "../../../src/lib/text/duration.ts";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { rescanFile } from "../../../src/service/administration/files.ts";
import { restoreTakenDown, takeDownShare } from "../../../src/service/administration/take-down.ts";
import { restoreFile, takeDownFile } from "../../../src/service/administration/take-down-file.ts";
import { addUser } from "../../../src/service/administration/users.ts";
import { authorizeArchive } from "../../../src/service/downloads/authorize-archive.ts";
import { authorizeDownload } from "../../../src/service/downloads/authorize-download.ts";
import { openDownload } from "../../../src/service/downloads/open-download.ts";
import { deleteFile } from "../../../src/service/files/delete-file.ts";
import { shareFiles } from "../../../src/service/files/share-files.ts";
import { WITHDRAWAL_BATCH, withdrawalJob } from "../../../src/service/files/withdraw.ts";
import { awaitBlocks, awaitedBlockJob } from "../../../src/service/scanning/awaited-blocks.ts";
import { scanJob } from "../../../src/service/scanning/scan-job.ts";
import { insertPurchase, isAnyFileLeft } from "../../../src/service/selling/purchase-rows.ts";
import { uploadStream } from "../../../src/service/uploads/upload-stream.ts";
import { sha256 } from "../../e2e/support/uploads/multipart.ts";
import { openProcesses, readJobs } from "../../jobs/support.ts";
import { callOf } from "../owner-calls.ts";

const BYTES = new TextEncoder().encode("ten bytes.");
/** Number of places that are added to the share B. */
const ADDED = 2 * WITHDRAWAL_BATCH + 500;
const LAST = `place${String(ADDED).padStart(11, "0")}`;

/** A file with a place in the share A, and `ADDED` + 1 places in the share B. */
async function makeMany(ctx: Ctx) {
  const { id: userId } = await addUser(ctx, THIS_MACHINE, { email: "owner@example.org", name: "Owner" });
  const call = callOf(userId);
  const body = new Blob([BYTES]).stream();
  const file = await uploadStream(ctx, call, { name: "a.txt", type: "text/plain", sizeBytes: BYTES.length, body, publish: {} });
  const other = await shareFiles(ctx, call, { fileIds: [file.id] });
  const { rows } = await sql<{ readonly name: string }>`SELECT name FROM pragma_table_info('files')`.execute(ctx.db);
  const own: Readonly<Record<string, ReturnType<typeof sql>>> = {
    id: sql`'place' || printf('%011d', value)`,
    placed_at: sql`placed_at + value`,
  };
  const columns = rows.map(({ name }) => name);
  await sql`WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < ${ADDED})
    INSERT INTO files (${sql.join(columns.map((name) => sql.ref(name)))})
    SELECT ${sql.join(columns.map((name) => own[name] ?? sql.ref(name)))} FROM numbers, files WHERE short_id = ${other.shortId}`.execute(
    ctx.db,
  );
  return { call, file, other };
}

const countByStatus = async (ctx: Ctx) => {
  const rows = await ctx.db
    .selectFrom("files")
    .select((select) => ["status", select.fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute();
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

async function runJob(ctx: Ctx): Promise<void> {
  const [job, ...more] = Object.values(await readJobs(ctx)).filter(({ kind }) => kind === withdrawalJob.name);
  assert.ok(job);
  assert.deepEqual(more, []);
  assert.deepEqual(await withdrawalJob.run(ctx, job, new AbortController().signal), { kind: "done" });
}

/** Requires that no place gives its bytes, whether the job has reached it or not. */
async function assertRefusedEverywhere(ctx: Ctx, { call, other }: Awaited<ReturnType<typeof makeMany>>, url: string): Promise<void> {
  const { status } = await ctx.db.selectFrom("files").select("status").where("id", "=", LAST).executeTakeFirstOrThrow();
  assert.equal(status, "active", "the job has not reached the last place");
  await assert.rejects(authorizeDownload(ctx, call, { fileId: LAST }), { code: "NOT_FOUND" });
  await assert.rejects(authorizeArchive(ctx, call, { shortId: other.shortId }), { code: "NOT_FOUND" });
  const select = () => ({ span: { start: 0, end: BYTES.length }, isBodyless: false });
  const query = new URL(url).searchParams;
  await assert.rejects(openDownload(ctx, call, { fileId: LAST, query, isPrefetch: false, select }), { code: "NOT_FOUND" });
  const nowMs = ctx.now();
  const purchase = {
    id: crypto.randomUUID(),
    short_id: other.shortId,
    seller_id: "seller",
    amount_cents: 100,
    fee_cents: 0,
    language: "en",
  };
  await insertPurchase(ctx.db, { ...purchase, created_at: nowMs, expires_at: nowMs + HOUR_MS });
  assert.equal(await isAnyFileLeft(ctx.db, purchase.id), false, "a buyer gets the money back");
}

/** expiry, "Takedown"; sharing, "Deleting". */
describe("a file with many places", () => {
  test("is taken down with the commit, and restored: the first places in the transaction, the others by a job", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const made = await makeMany(ctx);
    const { url } = await authorizeDownload(ctx, made.call, { fileId: LAST });
    const taken = await takeDownFile(ctx, THIS_MACHINE, { fileId: made.file.id });
    assert.deepEqual([taken.otherPlaces.length, taken.otherPlaceCount], [20, ADDED + 1]);
    assert.deepEqual(await countByStatus(ctx), { active: ADDED + 1 - WITHDRAWAL_BATCH, dmca_removed: 1 + WITHDRAWAL_BATCH });
    await assertRefusedEverywhere(ctx, made, url);
    await runJob(ctx);
    assert.deepEqual(await countByStatus(ctx), { dmca_removed: ADDED + 2 });
    const share = () => ctx.db.selectFrom("shares").select("status").where("short_id", "=", made.other.shortId).executeTakeFirstOrThrow();
    assert.equal((await share()).status, "dmca_removed");

    await ctx.db.deleteFrom("jobs").execute();
    const restored = await restoreFile(ctx, THIS_MACHINE, { fileId: made.file.id });
    assert.deepEqual([restored.isBack, restored.otherPlaces.length, restored.otherPlaceCount], [true, 20, ADDED + 1]);
    assert.deepEqual(restored.reopenedShares, [made.other.shortId]);
    assert.deepEqual(await countByStatus(ctx), { active: 1 + WITHDRAWAL_BATCH, dmca_removed: ADDED + 1 - WITHDRAWAL_BATCH });
    await runJob(ctx);
    assert.deepEqual(await countByStatus(ctx), { active: ADDED + 2 });
    assert.deepEqual(await ctx.db.selectFrom("withdrawals").selectAll().execute(), []);
  });

  test("stays down if it is taken down again while the job restores it", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { file } = await makeMany(ctx);
    await takeDownFile(ctx, THIS_MACHINE, { fileId: file.id });
    await runJob(ctx);
    await ctx.db.deleteFrom("jobs").execute();
    await restoreFile(ctx, THIS_MACHINE, { fileId: file.id });
    const [undoing] = Object.values(await readJobs(ctx)).filter(({ kind }) => kind === withdrawalJob.name);
    await takeDownFile(ctx, THIS_MACHINE, { fileId: file.id });
    assert.ok(undoing);
    for (const job of Object.values(await readJobs(ctx)).filter(({ kind }) => kind === withdrawalJob.name))
      await withdrawalJob.run(ctx, job, new AbortController().signal);
    assert.deepEqual(await countByStatus(ctx), { dmca_removed: ADDED + 2 });
  });

  test("is deleted with all its links, or with none", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const made = await makeMany(ctx);
    const { url } = await authorizeDownload(ctx, made.call, { fileId: LAST });
    const setImmutable = (immutable: number) => ctx.db.updateTable("files").set({ immutable }).where("id", "=", LAST).execute();
    await setImmutable(1);
    await assert.rejects(deleteFile(ctx, made.call, { fileId: made.file.id, allLinks: true }), { code: "IMMUTABLE" });
    assert.deepEqual(await countByStatus(ctx), { active: ADDED + 2 });
    await setImmutable(0);
    await deleteFile(ctx, made.call, { fileId: made.file.id, allLinks: true });
    assert.deepEqual(await countByStatus(ctx), { active: ADDED + 1 - WITHDRAWAL_BATCH, deleted: 1 + WITHDRAWAL_BATCH });
    await assertRefusedEverywhere(ctx, made, url);
    await runJob(ctx);
    assert.deepEqual(await countByStatus(ctx), { deleted: ADDED + 2 });
    assert.deepEqual(await ctx.db.selectFrom("withdrawals").selectAll().execute(), []);
  });
});

/** scanning, "The blocklist"; model, "Places". */
describe("places of one file", () => {
  /** A file with a place in two shares. */
  async function makeTwo(ctx: Ctx) {
    const { id: userId } = await addUser(ctx, THIS_MACHINE, { email: "owner@example.org", name: "Owner" });
    const call = callOf(userId);
    const body = new Blob([BYTES]).stream();
    const file = await uploadStream(ctx, call, { name: "a.txt", type: "text/plain", sizeBytes: BYTES.length, body, publish: {} });
    const { shortId } = await shareFiles(ctx, call, { fileIds: [file.id] });
    return { file, shortId };
  }
  const states = async (ctx: Ctx) => {
    const rows = await ctx.db.selectFrom("files").select(["status", "scan_status"]).orderBy("placed_at").execute();
    return rows.map(({ status, scan_status }) => `${status} ${scan_status}`);
  };

  test("a place that is restored waits for the rescan of another one", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { file, shortId } = await makeTwo(ctx);
    await takeDownShare(ctx, THIS_MACHINE, { shortId });
    await restoreFile(ctx, THIS_MACHINE, { fileId: file.id });
    assert.deepEqual(await states(ctx), ["active clean", "dmca_removed clean"]);
    await rescanFile(ctx, THIS_MACHINE, { fileId: file.id });
    assert.deepEqual(await states(ctx), ["active pending", "dmca_removed clean"]);
    await restoreTakenDown(ctx, THIS_MACHINE, { shortId });
    assert.deepEqual(await states(ctx), ["active pending", "active pending"]);
    const [job, ...more] = Object.values(await readJobs(ctx)).filter(({ kind }) => kind === scanJob.name);
    assert.ok(job);
    assert.deepEqual(more, []);
    await scanJob.run(ctx, job, new AbortController().signal);
    assert.deepEqual(await states(ctx), ["active clean", "active clean"]);
  });

  test("a rescan that passes makes ended places clean too, and none of them waits for it", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { file, shortId } = await makeTwo(ctx);
    await ctx.db.updateTable("files").set({ status: "expired" }).where("short_id", "=", shortId).execute();
    await ctx.db.updateTable("files").set({ scan_status: "unavailable", scan_reason: "scan_failed" }).execute();
    await rescanFile(ctx, THIS_MACHINE, { fileId: file.id });
    assert.deepEqual(await states(ctx), ["active pending", "expired unavailable"]);
    const job = (await readJobs(ctx))[file.id];
    assert.ok(job);
    await scanJob.run(ctx, job, new AbortController().signal);
    assert.deepEqual(await states(ctx), ["active clean", "expired clean"]);
  });

  test("a digest for the blocklist is computed from the bytes of any place", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { file } = await makeTwo(ctx);
    await ctx.db.updateTable("files").set({ sha256: null }).execute();
    await ctx.transaction((ctx) => awaitBlocks(ctx, "system", { files: [file], reason: undefined }));
    await ctx.db.updateTable("files").set({ blob_state: "removed" }).where("id", "=", file.id).execute();
    const job = (await readJobs(ctx))[file.id];
    assert.ok(job);
    await awaitedBlockJob.run(ctx, job, new AbortController().signal);
    const blocked = await ctx.db.selectFrom("blocked_digests").select("sha256").execute();
    assert.deepEqual(blocked, [{ sha256: sha256("ten bytes.") }]);
  });
});
