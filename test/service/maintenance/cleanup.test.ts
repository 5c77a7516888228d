import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import type { FileRow } from "../../../src/db/tables/files.ts";
import type { UploadSessionRow } from "../../../src/db/tables/uploads.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { dismissReport, listReports } from "../../../src/service/administration/reports.ts";
import { endFile } from "../../../src/service/files/end-file.ts";
import { findOrphans } from "../../../src/service/maintenance/orphans.ts";
import { runCleanup } from "../../../src/service/maintenance/run-cleanup.ts";
import { cancelMcpCall } from "../../../src/service/mcp/cancellations.ts";
import { answerMcpQuestion, openMcpQuestion } from "../../../src/service/mcp/questions.ts";
import { createReport } from "../../../src/service/reports/create-report.ts";
import { openProcesses, uploadSmall } from "../../jobs/support.ts";

const clean = (ctx: Ctx) => runCleanup(ctx, { orphans: "none" });

const readFile = async (ctx: Ctx, id: string): Promise<FileRow | undefined> =>
  await ctx.db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirst();

/** Inserts an upload session as `init` does, with one expected part. */
async function openUpload(ctx: Ctx, id: string, fields: Partial<UploadSessionRow>): Promise<void> {
  const key = id.padEnd(32, "0");
  const share = { short_id: `s-${id}`, kind: "file", owner_id: null, name: id, created_at: ctx.now() } as const;
  await ctx.db.insertInto("shares").values(share).execute();
  const state = { blob_state: "uploading", scan_status: "pending" } as const;
  await ctx.db
    .insertInto("files")
    .values({
      id,
      short_id: share.short_id,
      owner_id: null,
      quota_owner: "q",
      name: id,
      size_bytes: 10,
      content_type: "text/plain",
      blob_key: key,
      ...state,
      created_at: ctx.now(),
    })
    .execute();
  await ctx.db
    .insertInto("upload_sessions")
    .values({
      id,
      session_key: id,
      kind: "multipart",
      state: "open",
      file_id: id,
      quota_owner: "anon:q",
      reserved_bytes: 10,
      size_bytes: 10,
      part_size_bytes: 10,
      total_parts: 1,
      blob_key: key,
      last_byte_at: ctx.now(),
      created_at: ctx.now(),
      ...fields,
    })
    .execute();
  await ctx.db.insertInto("upload_parts").values({ session_id: id, part_number: 1, size_bytes: 10, sha256: "", etag: "" }).execute();
  await ctx.blobs.stage(key, 10);
}

const openIds = async (ctx: Ctx): Promise<string[]> =>
  (await ctx.db.selectFrom("upload_sessions").select("id").orderBy("id").execute()).map(({ id }) => id);

/** expiry, "When a share expires" and "What cleanup does"; uploads, "Ends of a session". */
describe("cleanup", () => {
  test("an expired file emits an event, loses its bytes, frees its quota, and loses its row after 30 days", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { id, shortId, size } = await uploadSmall(ctx, "brief.txt");
    processes.clock.nowMs += 3 * DAY_MS - 1;
    assert.deepEqual(await clean(ctx), { expired: 0, removedFiles: 0, uploads: 0, orphans: 0, deletedRows: 0 });
    assert.equal((await ctx.db.selectFrom("quotas").selectAll().executeTakeFirst())?.used_bytes, size);
    processes.clock.nowMs += 1;
    assert.deepEqual(await clean(ctx), { expired: 1, removedFiles: 1, uploads: 0, orphans: 0, deletedRows: 0 });
    const row = await readFile(ctx, id);
    assert.deepEqual([row?.status, row?.blob_state, row?.remove_at], ["expired", "removed", null]);
    assert.equal(await ctx.blobs.size(row?.blob_key ?? ""), undefined);
    assert.deepEqual(await ctx.db.selectFrom("quotas").selectAll().execute(), []);
    const events = await ctx.db.selectFrom("events").select("type").where("file_id", "=", id).orderBy("created_at").execute();
    assert.deepEqual(
      events.map(({ type }) => type),
      ["file.ready", "file.expired"],
    );
    processes.clock.nowMs += 30 * DAY_MS - 1;
    assert.equal((await clean(ctx)).deletedRows, 0);
    processes.clock.nowMs += 1;
    assert.equal((await clean(ctx)).deletedRows, 1);
    assert.equal(await readFile(ctx, id), undefined);
    assert.equal(await ctx.db.selectFrom("events").select("id").where("file_id", "=", id).executeTakeFirst(), undefined);
    assert.equal(await ctx.db.selectFrom("shares").select("short_id").where("short_id", "=", shortId).executeTakeFirst(), undefined);
  });

  test("two concurrent cleanups expire and remove each file once", async () => {
    await using processes = await openProcesses();
    const [one, other] = processes.ctxs;
    for (let index = 0; index < 25; index++) await uploadSmall(one, `${index}.txt`);
    processes.clock.nowMs += 3 * DAY_MS;
    await Promise.all([clean(one), clean(other)]);
    const expired = await one.db.selectFrom("events").select("file_id").where("type", "=", "file.expired").execute();
    assert.equal(expired.length, 25);
    assert.equal(new Set(expired.map(({ file_id }) => file_id)).size, 25);
    assert.deepEqual(await one.db.selectFrom("quotas").selectAll().execute(), []);
  });

  test("a file whose bytes were removed on expiry can still be deleted, and the cleanup ends", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { id } = await uploadSmall(ctx, "brief.txt");
    processes.clock.nowMs += 3 * DAY_MS;
    await clean(ctx);
    const row = await readFile(ctx, id);
    assert.ok(row);
    assert.equal(await ctx.transaction((ctx) => endFile(ctx, row, { status: "deleted", removeAtMs: ctx.now() })), true);
    assert.equal((await clean(ctx)).removedFiles, 0);
    assert.deepEqual([(await readFile(ctx, id))?.status, (await readFile(ctx, id))?.blob_state], ["deleted", "removed"]);
  });

  test("a file that cannot be removed does not stop the removal of the others", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    for (let index = 0; index < 13; index++) await uploadSmall(ctx, `${index}.txt`);
    const files = await ctx.db.selectFrom("files").select(["id", "blob_key"]).execute();
    const folderOf = (file: { blob_key: string }) => file.blob_key.slice(0, 2);
    const stuck = files.find((file) => files.every((other) => other === file || folderOf(other) !== folderOf(file)));
    assert.ok(stuck, "no other file is in its folder");
    // A file in place of the folder makes the bytes unreachable.
    const upper = join(processes.dataDir, "blobs", folderOf(stuck));
    await rm(upper, { recursive: true });
    await writeFile(upper, "");
    processes.clock.nowMs += 3 * DAY_MS;
    assert.equal((await clean(ctx)).removedFiles, 12);
    assert.equal((await readFile(ctx, stuck.id))?.blob_state, "removing");
    await rm(upper);
    assert.equal((await clean(ctx)).removedFiles, 1);
    assert.equal((await readFile(ctx, stuck.id))?.blob_state, "removed");
  });

  /** reports, "What is kept". */
  test("a report is deleted 90 days after it was resolved, and an open one is kept", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { shortId } = await uploadSmall(ctx, "brief.txt");
    const call = {
      actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:q" },
      address: "192.0.2.7",
      channel: "api",
      userAgent: "",
    } as const;
    const resolved = await createReport(ctx, call, { shortId, reason: "other" });
    processes.clock.nowMs += 1;
    const open = await createReport(ctx, call, { shortId, reason: "other" });
    await dismissReport(ctx, THIS_MACHINE, { id: resolved.id, note: "Nothing wrong" });
    const listIds = async () =>
      (await listReports(ctx, THIS_MACHINE, { state: "all" })).data.map(({ id, shareStatus }) => [id, shareStatus]);
    processes.clock.nowMs += 90 * DAY_MS - 1;
    await clean(ctx);
    assert.deepEqual(await listIds(), [
      [open.id, "expired"],
      [resolved.id, "expired"],
    ]);
    processes.clock.nowMs += 1;
    await clean(ctx);
    assert.deepEqual(await listIds(), [[open.id, "expired"]]);
  });

  test("an upload session expires 6 hours after its last byte, with a key after 24 hours, and always after 7 days", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await openUpload(ctx, "aa", {});
    await openUpload(ctx, "bb", { quota_owner: "a-user" });
    await openUpload(ctx, "cc", {});
    processes.clock.nowMs += 6 * HOUR_MS - 1;
    await ctx.db.updateTable("upload_sessions").set({ last_byte_at: ctx.now() }).where("id", "=", "cc").execute();
    assert.equal((await clean(ctx)).uploads, 0);
    processes.clock.nowMs += 1;
    assert.equal((await clean(ctx)).uploads, 1);
    assert.deepEqual(await openIds(ctx), ["bb", "cc"]);
    processes.clock.nowMs += 18 * HOUR_MS;
    await ctx.db.updateTable("upload_sessions").set({ last_byte_at: ctx.now() }).where("id", "=", "cc").execute();
    assert.equal((await clean(ctx)).uploads, 1);
    assert.deepEqual(await openIds(ctx), ["cc"]);
    processes.clock.nowMs += 6 * DAY_MS;
    await ctx.db.updateTable("upload_sessions").set({ last_byte_at: ctx.now() }).where("id", "=", "cc").execute();
    assert.equal((await clean(ctx)).uploads, 1);
    assert.deepEqual([await openIds(ctx), (await ctx.blobs.listStaged()).items], [[], []]);
    assert.deepEqual(await ctx.db.selectFrom("files").select("id").execute(), []);
    assert.deepEqual(await ctx.db.selectFrom("shares").select("short_id").execute(), []);
  });

  test("a completed upload session is kept for a day and then deleted without its file", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await openUpload(ctx, "dd", { state: "completed", completed_at: ctx.now() });
    processes.clock.nowMs += DAY_MS - 1;
    await clean(ctx);
    assert.deepEqual(await openIds(ctx), ["dd"]);
    processes.clock.nowMs += 1;
    await clean(ctx);
    assert.deepEqual(await openIds(ctx), []);
    assert.deepEqual(await ctx.db.selectFrom("upload_parts").selectAll().execute(), []);
    assert.ok(await readFile(ctx, "dd"));
  });

  test("an upload session reopens when the process that completed it died, and not while that process lives", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const lease = { host: "elsewhere", pid: 1, process_started: null, lease_until: ctx.now() + 30_000 };
    await ctx.db
      .insertInto("server_instances")
      .values({ id: "living", ...lease })
      .execute();
    await openUpload(ctx, "ee", { state: "completing", lease_holder: "dead" });
    await openUpload(ctx, "ff", { state: "completing", lease_holder: "living" });
    await clean(ctx);
    const states = await ctx.db.selectFrom("upload_sessions").select(["id", "state", "lease_holder"]).orderBy("id").execute();
    assert.deepEqual(states, [
      { id: "ee", state: "open", lease_holder: null },
      { id: "ff", state: "completing", lease_holder: "living" },
    ]);
    const orphans = [];
    for await (const orphan of findOrphans(ctx)) orphans.push(orphan);
    assert.deepEqual(orphans, []);
  });

  test("what calls of MCP have left is deleted: cancellations after 15 minutes, questions after 20", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await cancelMcpCall(ctx, { client: "a client", requestId: "1" });
    const question = await openMcpQuestion(ctx, "a client");
    await answerMcpQuestion(ctx, question, "an answer");
    const left = async () => [
      (await ctx.db.selectFrom("mcp_cancellations").selectAll().execute()).length,
      (await ctx.db.selectFrom("mcp_questions").selectAll().execute()).length,
    ];
    for (const [minutes, expected] of [
      [14, [1, 1]],
      [1, [0, 1]],
      [5, [0, 0]],
    ] as const) {
      processes.clock.nowMs += minutes * MINUTE_MS;
      await clean(ctx);
      assert.deepEqual(await left(), expected);
    }
  });
});
