import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { askShare, getShare, signedUrl, upload } from "../support/api/api.ts";
import { setScanning, uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { sha256 } from "../support/uploads/multipart.ts";

/** expiry, "Takedown"; model, "Transitions". */
describe("undoing a takedown", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const takeDown = async (shortId: string, ...options: string[]): Promise<void> => {
    const { code, stderr } = await server.run(["takedown", shortId, ...options]);
    assert.equal(code, 0, stderr);
  };
  const exitCode = async (shortId: string): Promise<number | null> => (await server.run(["takedown", shortId, "--undo"])).code;

  test("restores the links, the bytes and the remaining time", async () => {
    const file = await upload(server, { bytes: "hello", fields: { ttl: "1h" } });
    await takeDown(file.shortId);
    assert.equal((await askShare(server, file.shortId)).status, 404);
    const tenMinutesMs = 600_000;
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set((update) => ({
          ended_at: update("ended_at", "-", tenMinutesMs),
          expires_at: update("expires_at", "-", tenMinutesMs),
        }))
        .where("short_id", "=", file.shortId)
        .execute(),
    );
    await takeDown(file.shortId, "--undo");
    const { expires_at } = await getShare(server, file.shortId);
    const leftMs = Date.parse(expires_at ?? "") - Date.now();
    assert.ok(leftMs > 3_500_000 && leftMs <= 3_600_000, String(leftMs));
    assert.equal(await (await fetch(await signedUrl(server, file.id))).text(), "hello");
    assert.equal((await fetch(`${server.url}/d/${file.shortId}`)).status, 200);
    await server.run(["cleanup"]);
    assert.equal(await (await fetch(await signedUrl(server, file.id))).text(), "hello", "its removal is cancelled");
    assert.equal(await exitCode(file.shortId), 6, "it is not taken down any more");
  });

  test("restores the remaining files of a shipment", async () => {
    const owner = await addAccount(server);
    const shipment = await uploadShipment(server, { key: owner.key, paths: ["a.txt", "b.txt"] });
    await takeDown(shipment.shortId);
    await withDatabase(server, (db) => db.updateTable("files").set({ remove_at: 1 }).where("id", "=", shipment.id).execute());
    await server.run(["cleanup"]);
    const { stdout, stderr } = await server.run(["takedown", shipment.shortId, "--undo"]);
    assert.match(stdout, /b\.txt/);
    assert.match(stderr, /1 file cannot be brought back/);
    assert.deepEqual(
      (await getShare(server, shipment.shortId)).files?.map(({ name }) => name),
      ["b.txt"],
    );
  });

  test("is refused if no bytes are left, or the share had expired before", async () => {
    const [gone, expired, never] = [
      await upload(server, { bytes: "x" }),
      await upload(server, { bytes: "x" }),
      await upload(server, { bytes: "x" }),
    ];
    for (const { shortId } of [gone, expired]) await takeDown(shortId);
    await withDatabase(server, async (db) => {
      await db.updateTable("files").set({ remove_at: 1 }).where("id", "=", gone.id).execute();
      await db.updateTable("shares").set({ expires_at: 1 }).where("short_id", "=", expired.shortId).execute();
    });
    await server.run(["cleanup"]);
    assert.deepEqual([await exitCode(gone.shortId), await exitCode(expired.shortId), await exitCode(never.shortId)], [6, 6, 6]);
    assert.equal(await exitCode("unknown1"), 4);
    assert.equal((await server.run(["takedown", never.shortId, "--undo", "--block"])).code, 2);
    assert.equal((await askShare(server, never.shortId)).status, 200);
  });

  test("scans files without a verdict, and keeps files of the blocklist blocked", async () => {
    const [pending, blocked] = [await upload(server, { bytes: "first" }), await upload(server, { bytes: `text ${crypto.randomUUID()}` })];
    await setScanning(server, pending.shortId, true);
    await takeDown(pending.shortId);
    await takeDown(blocked.shortId, "--block");
    for (const { shortId } of [pending, blocked]) await takeDown(shortId, "--undo");
    await until("the scan has ended", async () => (await getShare(server, pending.shortId)).scanStatus === "clean");
    await until("it is blocked", async () => (await getShare(server, blocked.shortId)).scanStatus === "unavailable");
    assert.equal((await getShare(server, pending.shortId)).sha256, sha256("first"));
  });

  test("scans files that were blocked because no scanner could be reached", async () => {
    const file = await upload(server, { bytes: "for want of a scanner" });
    await withDatabase(server, (db) =>
      db
        .updateTable("files")
        .set({ scan_status: "unavailable", scan_reason: "scan_failed", scanned_at: null })
        .where("id", "=", file.id)
        .execute(),
    );
    await takeDown(file.shortId);
    await takeDown(file.shortId, "--undo");
    await until("the scan has ended", async () => (await getShare(server, file.shortId)).scanStatus === "clean");
  });

  test("does not restore a download that was used up", async () => {
    const file = await upload(server, { bytes: "x", fields: { once: "true" } });
    await signedUrl(server, file.id);
    await takeDown(file.shortId);
    await takeDown(file.shortId, "--undo");
    assert.equal((await askShare(server, file.shortId)).status, 404);
  });

  test("does not restore files of a deleted account", async () => {
    const owner = await addAccount(server);
    const file = await upload(server, { bytes: "x" }, { key: owner.key });
    await takeDown(file.shortId);
    assert.equal((await server.run(["users", "delete", owner.userId, "--yes"])).code, 0);
    await until("the account is removed", () =>
      withDatabase(
        server,
        async (db) => (await db.selectFrom("users").select("id").where("id", "=", owner.userId).executeTakeFirst()) === undefined,
      ),
    );
    assert.equal(await exitCode(file.shortId), 6);
  });
});
