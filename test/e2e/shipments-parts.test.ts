import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../support/server.ts";
import { type Account, addAccount } from "./support/accounts.ts";
import { assertRefused, call, getShare } from "./support/api.ts";
import { init, postComplete, sendParts, someBytes } from "./support/multipart.ts";
import { credentialsIn, download, patchSettings } from "./support/owned.ts";
import { startPlainServer } from "./support/plain.ts";
import { shipmentCalls } from "./support/shipments.ts";
import { withDatabase } from "./support/state.ts";

/** interface, "Publish fields" (`openShare`, `shareShortId`); decisions, "Model". */
describe("shipments that uploads in parts join", () => {
  let server: TestServer;
  let owner: Account;
  before(async () => {
    server = await startPlainServer();
    owner = await addAccount(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const { open, filesOf } = shipmentCalls(() => ({ server, owner }));

  test("the link of an upload in parts leads on to the shipment that it joined", async () => {
    const shipment = await open();
    const session = await init(server, { fileSize: 3000, shareShortId: shipment.shortId }, { key: owner.key });
    assert.equal((await fetch(`${server.url}/d/${session.shortId}`)).status, 200);
    const parts = await sendParts(server, session, someBytes(3000), { key: owner.key });
    const { status, body } = await postComplete(server, session, { parts }, { key: owner.key });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.shortId, shipment.shortId);
    const page = await fetch(`${server.url}/d/${session.shortId}`, { redirect: "manual" });
    assert.equal(page.status, 302);
    assert.equal(new URL(page.headers.get("location") ?? "", server.url).pathname, shipment.sharePath);
    assert.equal((await getShare(server, session.shortId)).body.short_id, shipment.shortId);
    const protectedNow = await patchSettings(server, { shortId: session.shortId, protect: true }, owner.key);
    assert.equal(protectedNow.body.data.shortId, shipment.shortId);
    const { unlockCode } = credentialsIn(protectedNow.body.data);
    const unlocked = await call(server, "POST", "/api/downloads/unlock", { json: { shortId: session.shortId, unlockCode } });
    assert.equal((await download(server, shipment.id, { unlockToken: String(unlocked.body.unlockToken) })).status, 200);
  });

  test("complete may say which shipment", async () => {
    const shipment = await open();
    const session = await init(server, { fileSize: 100 }, { key: owner.key });
    await sendParts(server, session, someBytes(100), { key: owner.key });
    const wrong = await postComplete(server, session, { shareShortId: "aaaaaaaa" }, { key: owner.key });
    assertRefused(wrong, { status: 404, code: "NOT_FOUND" });
    const { status, body } = await postComplete(server, session, { shareShortId: shipment.shortId }, { key: owner.key });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await filesOf(shipment.shortId)).length, 2);
  });

  test("a shipment that ends between init and complete refuses the file", async () => {
    const shipment = await open();
    const session = await init(server, { fileSize: 100, shareShortId: shipment.shortId }, { key: owner.key });
    await sendParts(server, session, someBytes(100), { key: owner.key });
    await withDatabase(server, async (db) => {
      await db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1000 })
        .where("short_id", "=", shipment.shortId)
        .execute();
    });
    assertRefused(await postComplete(server, session, {}, { key: owner.key }), { status: 409, code: "SHARE_EXPIRED" });
    assert.equal(
      (await withDatabase(server, (db) => db.selectFrom("files").select("id").where("short_id", "=", shipment.shortId).execute())).length,
      1,
    );
  });
});
