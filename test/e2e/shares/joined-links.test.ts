import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, authorize, call, clientOf, deleteFile, getShare, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { cleanUp } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { changeSettings, unlock } from "../support/shares/shares.ts";
import { complete, init, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** curl, "Uploads in parts that join a shipment"; model, "Share metadata". */
describe("the first link of an upload in parts that has joined a shipment", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  /** Completes an upload into a shipment; `link` is the short id that init returned. */
  async function join(): Promise<{ readonly link: string; readonly file: Upload; readonly shipment: Upload }> {
    const shipment = await upload(server, { bytes: "first", fields: { openShare: "true" } }, { key: server.owner.key });
    const bytes = someBytes(100);
    const session = await init(server, { fileSize: bytes.length }, { key: server.owner.key });
    await sendParts(server, session, bytes, { key: server.owner.key });
    const file = await complete(server, session, { shareShortId: shipment.shortId }, { key: server.owner.key });
    assert.notEqual(session.shortId, file.shortId);
    return { link: session.shortId, file, shipment };
  }

  test("changes the shipment's protection and returns its short id", async () => {
    const { link, file, shipment } = await join();
    const { shortId, unlockCode } = await changeSettings(server, { shortId: link, protect: true }, server.owner.key);
    assert.equal(shortId, shipment.shortId);
    assertRefused(await authorize(server, file.id), { status: 403, code: "UNLOCK_REQUIRED" });
    assertRefused(await call(server, "GET", `/api/files/share/${link}/archive`), { status: 403, code: "UNLOCK_REQUIRED" });
    const unlocked = await unlock(server, { shortId: link, unlockCode });
    const archive = await clientOf(server).call("authorizeArchive", { shortId: link, unlockToken: unlocked.unlockToken });
    assert.equal((await fetch(archive.url)).status, 200);
  });

  test("adds files to the shipment", async () => {
    const { link, shipment } = await join();
    const { key } = server.owner;
    const sent = await upload(server, { name: "sent.txt", bytes: "sent", fields: { shareShortId: link } }, { key });
    assert.equal(sent.shortId, shipment.shortId);
    const other = await upload(server, { name: "again.txt", bytes: "again" }, { key });
    const { data } = await clientOf(server, { key }).call("shareFiles", { fileIds: [other.id], shareShortId: link });
    assert.equal(data.shortId, shipment.shortId);
    const names = (await getShare(server, shipment.shortId)).data.files?.map(({ name }) => name) ?? [];
    assert.ok(
      ["sent.txt", "again.txt"].every((name) => names.includes(name)),
      names.join(),
    );
  });

  test("identifies the shipment for a takedown", async () => {
    const { link, file, shipment } = await join();
    const { code, stdout, stderr } = await server.run(["takedown", link, "--json"]);
    assert.equal(code, 0, stderr);
    const taken = JSON.parse(stdout) as { shortId: string; files: readonly { id: string }[] };
    assert.equal(taken.shortId, shipment.shortId);
    assert.deepEqual(new Set(taken.files.map(({ id }) => id)), new Set([file.id, shipment.id]));
    assertRefused(await authorize(server, file.id), { status: 404, code: "NOT_FOUND" });
    assert.equal((await fetch(`${server.url}/d/${link}`)).status, 451);
    assert.equal((await fetch(file.url)).status, 404);
  });

  const ends: Readonly<Record<string, (joined: Awaited<ReturnType<typeof join>>) => Promise<unknown>>> = {
    expired: async ({ shipment }) => {
      const now = Date.now();
      await withDatabase(server, (db) =>
        db.updateTable("shares").set({ expires_at: now }).where("short_id", "=", shipment.shortId).execute(),
      );
      await cleanUp(server);
    },
    deleted: ({ file, shipment }) => Promise.all([file, shipment].map(({ id }) => deleteFile(server, { fileId: id }, server.owner))),
    dmca_removed: ({ shipment }) => server.run(["takedown", shipment.shortId]),
  };
  for (const [status, end] of Object.entries(ends)) {
    test(`becomes ${status} with the shipment`, async () => {
      const joined = await join();
      const { link, shipment } = joined;
      await end(joined);
      const rows = await withDatabase(server, (db) =>
        db.selectFrom("shares").select("status").where("short_id", "in", [link, shipment.shortId]).execute(),
      );
      assert.deepEqual(rows, [{ status }, { status }]);
      assertRefused(await askShare(server, link), { status: 404, code: "NOT_FOUND" });
    });
  }

  test("expires with a used-up shipment", async () => {
    const shipment = await upload(server, { bytes: "first", fields: { openShare: "true", once: "true" } }, { key: server.owner.key });
    const session = await init(server, { fileSize: 10, shareShortId: shipment.shortId }, { key: server.owner.key });
    await sendParts(server, session, someBytes(10), { key: server.owner.key });
    await complete(server, session, {}, { key: server.owner.key });
    await clientOf(server).call("authorizeArchive", { shortId: session.shortId });
    const link = await withDatabase(server, (db) =>
      db.selectFrom("shares").select("status").where("short_id", "=", session.shortId).executeTakeFirst(),
    );
    assert.deepEqual(link, { status: "expired" });
  });
});
