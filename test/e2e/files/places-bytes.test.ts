import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { expireShares } from "../../../src/service/files/expire-shares.ts";
import { rescanFailed } from "../../../src/service/scanning/rescan.ts";
import { pngOf } from "../../support/formats/images.ts";
import { longSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { askDelete, askShare, assertRefused, authorize, call, clientOf, listFiles, signedUrl, upload } from "../support/api/api.ts";
import { killServerAt } from "../support/servers/crash.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { assertNothingLostOrLeft, audit, cleanUp, eventsOf, withServerContext } from "../support/servers/server-context.ts";
import { makeJobsDue, storedFiles, withDatabase } from "../support/servers/state.ts";
import { type CallPoint, straceMissing } from "../support/servers/strace.ts";
import { idsIn, shareFiles } from "../support/shares/shares.ts";

const postShare = (server: TestServer, { key }: Account, fileIds: readonly string[], fields: object = {}) =>
  call(server, "POST", "/api/files/share", { key, json: { fileIds, ...fields } });

/** Shares a file again; resolves to the share, and the ID of the file's place there. */
async function shareAgain(server: TestServer, { key }: Account, fileId: string, fields: object = {}) {
  const { shortId, ids } = await shareFiles(server, { fileIds: [fileId], ...fields }, key);
  return { shortId, id: ids[0] ?? assert.fail() };
}

const placeIn = async (server: TestServer, shortId: string): Promise<string> => (await idsIn(server, shortId))[0] ?? assert.fail();

const remove = (server: TestServer, { key }: Account, fileId: string, query: Readonly<Record<string, string>> = {}) =>
  askDelete(server, { fileId, ...query }, { key });

/** Asserts that the storage of an account is what its rows say: each place is a file, and each blob counts once. */
async function assertCounted(server: TestServer, { userId }: Account): Promise<{ bytes: number; files: number }> {
  return await withDatabase(server, async (db) => {
    const owner = `user:${userId}`;
    const rows = await db
      .selectFrom("files")
      .select(["blob_key", "size_bytes"])
      .where("quota_owner", "=", owner)
      .where("blob_state", "not in", ["uploading", "removed"])
      .execute();
    const bytes = [...new Map(rows.map(({ blob_key, size_bytes }) => [blob_key, size_bytes])).values()].reduce(
      (sum, size) => sum + size,
      0,
    );
    const quota = await db.selectFrom("quotas").selectAll().where("owner", "=", owner).executeTakeFirst();
    const expected = { bytes, files: rows.length };
    assert.deepEqual({ bytes: quota?.used_bytes ?? 0, files: quota?.file_count ?? 0 }, expected);
    assert.equal(quota?.reserved_bytes ?? 0, 0);
    return expected;
  });
}

/** model, "Places"; storage, "Rows and bytes". */
describe("the bytes of a file with several places", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("stay until the last place ends, and are removed with it", async () => {
    const account = await addAccount(server);
    const file = await upload(server, { bytes: "needed" }, account);
    const second = await shareAgain(server, account, file.id);
    const stored = (await storedFiles(server)).length;
    await remove(server, account, file.id);
    assert.equal((await storedFiles(server)).length, stored);
    assert.equal(await (await fetch(await signedUrl(server, second.id))).text(), "needed");
    assert.deepEqual(await assertCounted(server, account), { bytes: 6, files: 1 });
    await remove(server, account, second.id);
    assert.equal((await storedFiles(server)).length, stored - 1);
    assert.deepEqual(await assertCounted(server, account), { bytes: 0, files: 0 });
  });

  test("stay while a place without downloads left has a grant, and cleanup and audit know all places", async () => {
    const account = await addAccount(server);
    const file = await upload(server, { bytes: "granted" }, account);
    const once = await shareAgain(server, account, file.id, { once: true });
    const url = await signedUrl(server, once.id);
    await remove(server, account, file.id);
    assert.equal((await listFiles(server, account.key)).pagination.total, 0, "the last download was counted");
    await cleanUp(server);
    assert.deepEqual(await audit(server), { missing: [], orphans: [] });
    assert.equal(await (await fetch(url)).text(), "granted");
  });

  test("are removed once for places that end together, also in several shares", async () => {
    const account = await addAccount(server);
    const before = (await storedFiles(server)).length;
    const file = await upload(server, { bytes: "together" }, account);
    const places = [file, await shareAgain(server, account, file.id), await shareAgain(server, account, file.id)];
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() })
        .where(
          "short_id",
          "in",
          places.map(({ shortId }) => shortId),
        )
        .execute(),
    );
    await cleanUp(server);
    assert.equal((await storedFiles(server)).length, before);
    assert.deepEqual(await assertCounted(server, account), { bytes: 0, files: 0 });
    for (const { id } of places) assert.deepEqual((await eventsOf(server, id)).at(-1)?.type, "file.expired");
    assert.deepEqual(await audit(server), { missing: [], orphans: [] });
  });

  test("are counted for the owner too when somebody else sent them and the owner shares them again", async () => {
    const [owner, sender] = [await addAccount(server), await addAccount(server)];
    const { data } = await clientOf(server, { key: owner.key }).call("createShare", {});
    const fields = { shareShortId: data.shortId, shareToken: data.shareToken };
    const sent = await upload(server, { bytes: "sent by another", fields }, sender);
    assert.deepEqual(
      [await assertCounted(server, owner), await assertCounted(server, sender)],
      [
        { bytes: 0, files: 0 },
        { bytes: 15, files: 1 },
      ],
    );
    const again = await shareAgain(server, owner, sent.id);
    assert.deepEqual(await assertCounted(server, owner), { bytes: 15, files: 1 });
    await remove(server, owner, sent.id);
    assert.deepEqual(
      [await assertCounted(server, owner), await assertCounted(server, sender)],
      [
        { bytes: 15, files: 1 },
        { bytes: 0, files: 0 },
      ],
    );
    assert.equal(await (await fetch(await signedUrl(server, again.id))).text(), "sent by another");
    assertRefused(await postShare(server, sender, [again.id]), { status: 404, code: "NOT_FOUND" });
  });

  test("are kept for a share that is made while the last place is deleted, unless it is refused", async () => {
    const account = await addAccount(server);
    const [kept, gone] = [await upload(server, { bytes: "kept" }, account), await upload(server, { bytes: "gone" }, account)];
    const again = await shareAgain(server, account, kept.id);
    for (const file of [kept, gone]) assert.equal((await remove(server, account, file.id)).status, 200);
    assert.equal(await (await fetch(await signedUrl(server, again.id))).text(), "kept");
    assertRefused(await postShare(server, account, [gone.id]), { status: 404, code: "NOT_FOUND" });
    await remove(server, account, again.id);
    for (let round = 0; round < 12; round++) {
      const file = await upload(server, { bytes: `round ${round}` }, account);
      const [shared, removed] = await Promise.all([postShare(server, account, [file.id]), remove(server, account, file.id)]);
      assert.equal(removed.status, 200);
      if (shared.status !== 200) {
        assertRefused(shared, { status: 404, code: "NOT_FOUND" });
        continue;
      }
      const { shortId } = shared.body.data as { readonly shortId: string };
      assert.equal(await (await fetch(await signedUrl(server, await placeIn(server, shortId)))).text(), `round ${round}`);
      await remove(server, account, await placeIn(server, shortId));
    }
    assert.deepEqual(await assertCounted(server, account), { bytes: 0, files: 0 });
    assert.deepEqual(await audit(server), { missing: [], orphans: [] });
  });

  test("are kept for a share that is made while the last place expires in another process, unless it is refused", async () => {
    const account = await addAccount(server);
    for (let round = 0; round < 6; round++) {
      const file = await upload(server, { bytes: `expires ${round}` }, account);
      const expired = withServerContext(server, async (ctx) => {
        await ctx.db.updateTable("shares").set({ expires_at: ctx.now() }).where("short_id", "=", file.shortId).execute();
        await expireShares(ctx, file.shortId);
      });
      const [shared] = await Promise.all([postShare(server, account, [file.id]), expired]);
      await cleanUp(server);
      if (shared.status !== 200) {
        assertRefused(shared, { status: 404, code: "NOT_FOUND" });
        continue;
      }
      const { shortId } = shared.body.data as { readonly shortId: string };
      assert.equal(await (await fetch(await signedUrl(server, await placeIn(server, shortId)))).text(), `expires ${round}`);
    }
    await assertCounted(server, account);
    assert.deepEqual(await audit(server), { missing: [], orphans: [] });
  });
});

/** limits, "Tiers"; request limits, "Number of files". */
test("a place needs no room for bytes that are counted, even if the limit of storage was lowered since", async () => {
  const limitsOf = (storageBytes: number) => JSON.stringify({ tiers: { free: { storageBytes } } });
  await using server = await startPlainServer({ FILEHOST_LIMITS: limitsOf(100) });
  const account = await addAccount(server);
  const file = await upload(server, { bytes: "x".repeat(90) }, account);
  await server.restart({ env: { FILEHOST_LIMITS: limitsOf(50) } });
  assert.equal((await postShare(server, account, [file.id])).status, 200);
});

test("places are limited exactly by the number of files and the storage", async () => {
  const limits = JSON.stringify({ tiers: { free: { files: 5, storageBytes: 100 } } });
  await using server = await startPlainServer({ FILEHOST_LIMITS: limits });
  const account = await addAccount(server);
  const file = await upload(server, { bytes: "x".repeat(60) }, account);
  const shared = await Promise.all(Array.from({ length: 10 }, () => postShare(server, account, [file.id])));
  assert.equal(shared.filter(({ status }) => status === 200).length, 4);
  for (const refused of shared.filter(({ status }) => status !== 200)) {
    assertRefused(refused, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.equal(refused.body.limitKind, "FILE_COUNT");
  }
  assert.deepEqual(await assertCounted(server, account), { bytes: 60, files: 5 });
  await remove(server, account, file.id);
  assert.equal((await postShare(server, account, [(await listFiles(server, account.key)).files[0]?.id ?? ""])).status, 200);
  assert.deepEqual(await assertCounted(server, account), { bytes: 60, files: 5 });
});

/** scanning, "The scan". */
test("a scan that runs while a file is shared again has its result in all places, also after the first one has ended", async () => {
  await using server = await startServer({
    env: { FILEHOST_SCANNER: "clamd", FILEHOST_CLAMD: "unix:/nonexistent/clamd.sock", FILEHOST_RATE_LIMITS: "off" },
  });
  const account = await addAccount(server);
  const file = await upload(server, { bytes: "waits" }, account);
  const [second, third] = [await shareAgain(server, account, file.id), await shareAgain(server, account, file.id)];
  assertRefused(await authorize(server, second.id), { status: 409, code: "SCAN_PENDING" });
  await remove(server, account, file.id);
  await remove(server, account, second.id);
  const fourth = await shareAgain(server, account, third.id);
  await server.stop();
  await withDatabase(server, makeJobsDue);
  await server.restart({ env: { FILEHOST_SCANNER: "off", FILEHOST_CLAMD: "" } });
  for (const { id } of [third, fourth]) {
    await until("the place is ready", async () => (await authorize(server, id)).status === 200);
    assert.deepEqual(
      (await eventsOf(server, id)).map(({ type }) => type),
      ["file.ready", "file.authorized"],
    );
  }
  assert.deepEqual(await eventsOf(server, second.id), []);
});

/** thumbnails, "Which files have one". */
test("a thumbnail that is made while a file is shared again is that of all its places", async () => {
  await using server = await startPlainServer();
  const account = await addAccount(server);
  const file = await upload(server, { name: "a.png", type: "image/png", bytes: pngOf(800, 600) }, account);
  const places = [file, await shareAgain(server, account, file.id)];
  const later = await until("the thumbnail is made", async () => {
    const { thumbnailUrl } = (await clientOf(server, account).call("getFile", { fileId: file.id })).data;
    return thumbnailUrl === null ? undefined : await shareAgain(server, account, file.id);
  });
  for (const { id } of [...places, later]) {
    const { thumbnailUrl } = (await clientOf(server, account).call("getFile", { fileId: id })).data;
    assert.equal((await fetch(thumbnailUrl ?? "")).status, 200);
  }
  await remove(server, account, file.id, { allLinks: "true" });
  assert.deepEqual(await storedFiles(server), []);
});

/** scanning, "The scan"; storage, "Parts and an S3 store". */
test("a file whose first place is no longer recorded is still compared with the digests of its parts", async () => {
  await using server = await startPlainServer();
  const [account, admin] = [await addAccount(server), await addAccount(server, { isAdministrator: true })];
  const file = await upload(server, { bytes: "damaged" }, account);
  const [second, third] = [await shareAgain(server, account, file.id), await shareAgain(server, account, file.id)];
  await withDatabase(server, (db) =>
    db
      .insertInto("expected_parts")
      .values({ file_id: file.id, part_number: 1, size_bytes: file.size, start_byte: 0, sha256: "0".repeat(64) })
      .execute(),
  );
  for (const { id } of [file, second]) {
    await remove(server, account, id);
    await withDatabase(server, (db) => db.updateTable("files").set({ ended_at: 1 }).where("id", "=", id).execute());
    await cleanUp(server);
    assert.equal(
      await withDatabase(server, (db) => db.selectFrom("files").select("id").where("id", "=", id).executeTakeFirst()),
      undefined,
    );
  }
  await clientOf(server, { key: admin.key }).call("rescanFile", { fileId: third.id });
  await until("the file is blocked", async () => {
    const { data } = await clientOf(server, account).call("getFile", { fileId: third.id });
    return data.failureReason === "digest_mismatch";
  });
});

/** scanning, "When the scanner is unavailable". */
test("a rescan by the ID of an ended place scans the bytes, and one of all failed files names each file once", async () => {
  await using server = await startPlainServer();
  const [account, admin] = [await addAccount(server), await addAccount(server, { isAdministrator: true })];
  const file = await upload(server, { bytes: "first" }, account);
  const second = await shareAgain(server, account, file.id);
  await remove(server, account, file.id);
  const { data } = await clientOf(server, { key: admin.key }).call("rescanFile", { fileId: file.id });
  assert.equal(data.id, second.id);

  const folderId = (await clientOf(server, account).call("createFolder", { name: "Many" })).data.id;
  const opened = (await clientOf(server, account).call("createShare", {})).data;
  const batch = new FormData();
  batch.set("shareShortId", opened.shortId);
  batch.set("folderId", folderId);
  for (let n = 0; n < 210; n++) batch.append("file", new Blob([`${n}`]), `${n}.txt`);
  const sent = await fetch(`${server.url}/api/files/batch`, {
    method: "POST",
    body: batch,
    headers: { authorization: `Bearer ${account.key}` },
  });
  assert.equal(sent.status, 200);
  assert.equal((await postShare(server, account, [], { fileIds: undefined, folderIds: [folderId] })).status, 200);
  const report = await withServerContext(server, async (ctx) => {
    await ctx.db
      .updateTable("files")
      .set({ scan_status: "unavailable", scan_reason: "scan_failed" })
      .where("folder_id", "=", folderId)
      .execute();
    return await rescanFailed(ctx, "system");
  });
  assert.deepEqual([report.queued.length, report.skipped], [210, []]);
});

/** scanning, "The blocklist". */
test("the blocklist blocks all places of a file, with an event for each", async () => {
  await using server = await startPlainServer();
  const [account, admin] = [await addAccount(server), await addAccount(server, { isAdministrator: true })];
  const file = await upload(server, { bytes: "unwanted" }, account);
  const second = await shareAgain(server, account, file.id);
  await clientOf(server, { key: admin.key }).call("blockDigests", { digests: [file.sha256 ?? ""] });
  for (const { id, shortId } of [file, second]) {
    assertRefused(await authorize(server, id), { status: 404, code: "SCAN_BLOCKED" });
    assert.equal((await askShare(server, shortId)).status, 200);
    assert.deepEqual((await eventsOf(server, id)).at(-1)?.type, "file.failed");
  }
});

/** storage, "Rows and bytes". */
describeUnless(straceMissing ?? longSkipped, "a server that is killed while places end or are added", () => {
  const points: readonly CallPoint[] = [
    { call: "fsync", when: 1 },
    { call: "fsync", when: 2 },
    { call: "unlinkat", when: 1 },
    { call: "sendto", when: 1 },
  ];

  test("leaves each place whole or ended, and the storage exact", { timeout: 600_000 }, async (t) => {
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
    const account = await addAccount(server);
    for (const point of points) {
      await t.test(`the server is killed at ${point.call} ${point.when}`, async () => {
        const file = await upload(server, { bytes: "killed" }, account);
        const second = await shareAgain(server, account, file.id);
        if (point.call !== "unlinkat") await killServerAt(server, point, () => postShare(server, account, [file.id]));
        await killServerAt(server, point, () => remove(server, account, file.id, { allLinks: "true" }));
        await assertNothingLostOrLeft(server);
        const { status } = await remove(server, account, second.id, { allLinks: "true" });
        assert.ok(status === 200 || status === 404, `${status}`);
        await assertNothingLostOrLeft(server);
        await assertCounted(server, account);
      });
    }
  });
});
