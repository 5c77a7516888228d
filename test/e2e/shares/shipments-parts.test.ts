import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, clientOf, getShare, postUpload, signedUrl, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { authorizeWith, changeSettings, credentialsIn, unlock } from "../support/shares/shares.ts";
import { shipmentCalls } from "../support/shares/shipments.ts";
import { complete, init, postComplete, postInit, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** model, "File and share"; curl, "Uploads in parts that join a shipment". */
describe("multipart uploads that join a shipment", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const { open, filesOf } = shipmentCalls(() => server);

  test("the link of an upload redirects to the shipment that it joined", async () => {
    const shipment = await open();
    const session = await init(server, { fileSize: 3000 }, { key: server.owner.key });
    assert.equal((await fetch(`${server.url}/d/${session.shortId}`)).status, 200);
    const parts = await sendParts(server, session, someBytes(3000), { key: server.owner.key });
    const file = await complete(server, session, { parts, shareShortId: shipment.shortId }, { key: server.owner.key });
    assert.equal(file.shortId, shipment.shortId);
    const page = await fetch(`${server.url}/d/${session.shortId}`, { redirect: "manual" });
    assert.equal(page.status, 302);
    assert.equal(new URL(page.headers.get("location") ?? "", server.url).pathname, shipment.sharePath);
    assert.equal((await getShare(server, session.shortId)).short_id, shipment.shortId);
    const protectedNow = await changeSettings(server, { shortId: session.shortId, protect: true }, server.owner.key);
    assert.equal(protectedNow.shortId, shipment.shortId);
    const { unlockCode } = credentialsIn(protectedNow);
    const unlocked = await unlock(server, { shortId: session.shortId, unlockCode });
    await signedUrl(server, shipment.id, { unlockToken: unlocked.unlockToken });
  });

  test("init and the upload's state return the link of the shipment, until complete names another", async () => {
    const key = { key: server.owner.key };
    const [shipment, other] = [await open(), await open()];
    const started = await postInit(server, { fileName: "b.txt", fileSize: 3000, shareShortId: shipment.shortId }, key);
    const linkOf = ({ shortId, shareUrl }: { shortId: string; shareUrl: string }) => ({ shortId, shareUrl });
    assert.deepEqual([started.body.shortId, started.body.shareUrl], [shipment.shortId, shipment.shareUrl]);
    assert.deepEqual(linkOf(started.body.data), linkOf(shipment));
    const session = started.body.data;
    const state = async () => {
      const { data } = await clientOf(server, key).call("getMultipart", { uploadId: session.uploadId });
      return linkOf(data);
    };
    assert.deepEqual(await state(), linkOf(shipment));
    assert.equal((await filesOf(shipment.shortId)).length, 2);
    await sendParts(server, session, someBytes(3000), key);
    const file = await complete(server, session, { shareShortId: other.shortId }, key);
    assert.deepEqual([linkOf(file), await state()], [linkOf(other), linkOf(other)]);
    assert.deepEqual([(await filesOf(shipment.shortId)).length, (await filesOf(other.shortId)).length], [1, 2]);
  });

  test("files can be sent before the upload that opens the shipment is complete, and join it afterwards", async () => {
    const key = { key: server.owner.key };
    const opening = await init(server, { fileSize: 100, openShare: true, protect: true }, key);
    const joining = await init(server, { fileSize: 200, shareShortId: opening.shortId }, key);
    await sendParts(server, joining, someBytes(200), key);
    const early = await postComplete(server, joining, {}, key);
    assertRefused(early, { status: 409, code: "UPLOAD_INCOMPLETE" });
    assert.ok(Number(early.headers.get("retry-after")) > 0);
    const whole = { bytes: "x", fields: { shareShortId: opening.shortId } };
    assertRefused(await postUpload(server, whole, key), { status: 409, code: "UPLOAD_INCOMPLETE" });
    const other = await addAccount(server);
    assertRefused(await postUpload(server, whole, other), { status: 404, code: "NOT_FOUND" });
    const plain = await init(server, { fileSize: 100 }, key);
    assertRefused(await postInit(server, { fileName: "a", fileSize: 1, shareShortId: plain.shortId }, key), {
      status: 404,
      code: "NOT_FOUND",
    });

    await sendParts(server, opening, someBytes(100), key);
    await complete(server, opening, {}, key);
    const joined = await complete(server, joining, {}, key);
    assert.equal(joined.shortId, opening.shortId);
    assert.equal((await upload(server, whole, key)).shortId, opening.shortId);
    assert.equal((await filesOf(opening.shortId)).length, 3);
    assertRefused(await authorizeWith(server, joined.id), { status: 403, code: "UNLOCK_REQUIRED" });
  });

  test("complete may name the shipment", async () => {
    const shipment = await open();
    const session = await init(server, { fileSize: 100 }, { key: server.owner.key });
    await sendParts(server, session, someBytes(100), { key: server.owner.key });
    const wrong = await postComplete(server, session, { shareShortId: "aaaaaaaa" }, { key: server.owner.key });
    assertRefused(wrong, { status: 404, code: "NOT_FOUND" });
    await complete(server, session, { shareShortId: shipment.shortId }, { key: server.owner.key });
    assert.equal((await filesOf(shipment.shortId)).length, 2);
  });

  test("a shipment that expires between init and complete refuses the file", async () => {
    const shipment = await open();
    const session = await init(server, { fileSize: 100, shareShortId: shipment.shortId }, { key: server.owner.key });
    await sendParts(server, session, someBytes(100), { key: server.owner.key });
    await withDatabase(server, async (db) => {
      await db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1000 })
        .where("short_id", "=", shipment.shortId)
        .execute();
    });
    assertRefused(await postComplete(server, session, {}, { key: server.owner.key }), { status: 409, code: "SHARE_EXPIRED" });
    const states = await withDatabase(server, (db) =>
      db.selectFrom("files").select("blob_state").where("short_id", "=", shipment.shortId).orderBy("blob_state").execute(),
    );
    assert.deepEqual(
      states.map(({ blob_state }) => blob_state),
      ["stored", "uploading"],
    );
  });
});
