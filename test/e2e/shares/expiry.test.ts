import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { askShare, assertRefused, authorize, deleteFile, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { countStoredState, storedFiles, withDatabase } from "../support/servers/state.ts";

/** expiry, "When a share expires". */
describe("an expired share", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  /** Sets the expiry in the database, since the shortest TTL is five minutes. */
  const expireNow = (file: Upload) =>
    withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1 })
        .where("short_id", "=", file.shortId)
        .execute(),
    );

  test("responds 404 on every route from its expiry on, before any cleanup", async () => {
    const unlimited = await upload(server, { bytes: "x" });
    const limited = await upload(server, { bytes: "x", fields: { maxDownloads: "5" } });
    for (const file of [unlimited, limited]) {
      const url = await signedUrl(server, file.id);
      await expireNow(file);
      assertRefused(await askShare(server, file.shortId), { status: 404, code: "NOT_FOUND" });
      assertRefused(await authorize(server, file.id), { status: 404, code: "NOT_FOUND" });
      assert.equal((await fetch(url)).status, 404);
      assert.equal((await fetch(url, { method: "HEAD" })).status, 404);
      assert.equal((await fetch(file.url)).status, 404);
      assert.equal((await fetch(server.url + file.sharePath)).status, 404);
    }
  });

  test("loses its bytes and storage in one cleanup, which records one event", async () => {
    const before = await countStoredState(server);
    const file = await upload(server, { bytes: "expiring bytes" });
    assert.equal((await storedFiles(server)).length, before.stored.length + 1);
    await expireNow(file);
    for (let run = 0; run < 2; run += 1) {
      const { code, stderr } = await server.run(["cleanup"]);
      assert.equal(code, 0, stderr);
    }
    const after = await countStoredState(server);
    assert.ok(after.stored.length <= before.stored.length);
    assert.ok(after.usedBytes <= before.usedBytes);
    assert.equal(after.reservedBytes, 0);
    const events = await withDatabase(server, (db) =>
      db.selectFrom("events").selectAll().where("file_id", "=", file.id).where("type", "=", "file.expired").execute(),
    );
    assert.equal(events.length, 1);
    assert.equal((JSON.parse(events[0]?.data ?? "{}") as { reason?: string }).reason, "expired");
    const row = await withDatabase(server, (db) => db.selectFrom("files").selectAll().where("id", "=", file.id).executeTakeFirstOrThrow());
    assert.deepEqual([row.status, row.blob_state], ["expired", "removed"]);
    const audit = await server.run(["audit", "--json"]);
    assert.equal(audit.code, 0, audit.stderr);
    assert.deepEqual(JSON.parse(audit.stdout), { missing: [], orphans: [] });
  });

  test("can still be deleted by its token", async () => {
    const file = await upload(server, { bytes: "x" });
    await expireNow(file);
    await deleteFile(server, { fileId: file.id, token: file.deletionToken });
  });
});
