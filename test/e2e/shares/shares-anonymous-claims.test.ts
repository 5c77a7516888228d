import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { getMe, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import {
  askDelete,
  askShare,
  assertRefused,
  clientOf,
  deleteFile,
  getShare,
  listFiles,
  postUpload,
  signedUrl,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { assertNothingLostOrLeft, cleanUp } from "../support/servers/server-context.ts";
import { assertQuotasExact, withDatabase } from "../support/servers/state.ts";
import { claim, postClaim } from "../support/shares/shares.ts";
import { init, postComplete, sendParts, someBytes } from "../support/uploads/multipart.ts";
import { addFile, joining, openShipment } from "../support/uploads/sent-shipments.ts";

const MANY_SHARES = { FILEHOST_LIMITS: JSON.stringify({ rates: { shares: 10_000 } }) };

/** sharing, "Claiming" and "Deleting". */
describe("claiming and deleting a shipment", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer(MANY_SHARES), { owner: {}, other: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const remove = (id: string, token?: string, key?: string) => askDelete(server, { fileId: id, token }, key === undefined ? {} : { key });
  const claimable = (shipment: { shortId: string; claimToken?: string | undefined }) => ({
    id: shipment.shortId,
    ...(shipment.claimToken !== undefined && { claimToken: shipment.claimToken }),
  });

  test("a claim moves the shipment, all its files and their storage, and ends its token", async () => {
    const shipment = await openShipment(server);
    const files = [await addFile(server, shipment, "a.txt"), await addFile(server, shipment, "b.txt")];
    const usedBefore = (await getMe(server, server.owner.key)).storage.usedBytes;
    assertRefused(await postClaim(server, { fileId: shipment.shortId, claimToken: "claim_wrong" }, server.owner.key), {
      status: 403,
      code: "WRONG_TOKEN",
    });
    const claimed = await claim(server, claimable(shipment), server.owner.key);
    assert.deepEqual(claimed, { id: shipment.shortId, shortCode: shipment.shortId });
    assert.deepEqual(await claim(server, claimable(shipment), server.owner.key), claimed);
    assertRefused(await postClaim(server, { fileId: shipment.shortId, claimToken: shipment.claimToken }, server.other.key), {
      status: 409,
      code: "CONFLICT",
    });
    const me = await getMe(server, server.owner.key);
    assert.equal(me.storage.usedBytes - usedBefore, 10);
    const listed = await listFiles(server, server.owner.key);
    assert.deepEqual(new Set(listed.files.map(({ id }) => id)), new Set(files.map(({ id }) => id)));
    assertRefused(await postUpload(server, { bytes: "x", fields: joining(shipment) }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await remove(shipment.shortId, shipment.deletionToken), { status: 404, code: "NOT_FOUND" });
    await clientOf(server, server.owner).call("uploadFile", {
      file: { name: "c.txt", type: "text/plain", bytes: new TextEncoder().encode("more") },
      shareShortId: shipment.shortId,
    });
    await deleteFile(server, { fileId: shipment.shortId }, server.owner);
    assert.equal((await askShare(server, shipment.shortId)).status, 404);
    assert.equal((await getMe(server, server.owner.key)).storage.usedBytes, usedBefore);
  });

  test("an invalid claim changes nothing", async () => {
    await using small = await withAccounts(
      startPlainServer({ FILEHOST_LIMITS: JSON.stringify({ tiers: { free: { storageBytes: 8, storageMaxBytes: 8 } } }) }),
      { owner: {} },
    );
    const shipment = await openShipment(small);
    for (const name of ["a.txt", "b.txt"]) await addFile(small, shipment, name);
    assertRefused(await postClaim(small, { fileId: shipment.shortId, claimToken: shipment.claimToken }, small.owner.key), {
      status: 413,
      code: "QUOTA_EXCEEDED",
    });
    const rows = await withDatabase(small, (db) => db.selectFrom("quotas").selectAll().where("used_bytes", ">", 0).execute());
    assert.deepEqual(
      rows.map(({ used_bytes, file_count }) => [used_bytes, file_count]),
      [[10, 2]],
    );
    await addFile(small, shipment, "c.txt");
  });

  test("one of two concurrent claims succeeds", async () => {
    for (let round = 0; round < 20; round++) {
      const shipment = await openShipment(server);
      await addFile(server, shipment);
      const ask = { fileId: shipment.shortId, claimToken: shipment.claimToken };
      const responses = await Promise.all([postClaim(server, ask, server.owner.key), postClaim(server, ask, server.other.key)]);
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409]);
    }
  });

  test("a file that joins during a claim belongs to the account or is refused", async () => {
    for (let round = 0; round < 20; round++) {
      const shipment = await openShipment(server);
      const session = await init(server, { fileSize: 10, ...joining(shipment) });
      await sendParts(server, session, someBytes(10));
      const [joined, done, claimed] = await Promise.all([
        postUpload(server, { bytes: "x", fields: joining(shipment) }),
        postComplete(server, session),
        postClaim(server, { fileId: shipment.shortId, claimToken: shipment.claimToken }, server.owner.key),
      ]);
      assert.deepEqual([done.status, claimed.status], [200, 200], JSON.stringify([done.body, claimed.body]));
      assert.ok(joined.status === 200 || joined.body.errorCode === "WRONG_TOKEN", JSON.stringify(joined.body));
      const owners = await withDatabase(server, (db) =>
        db.selectFrom("files").select("owner_id").where("short_id", "=", shipment.shortId).execute(),
      );
      assert.deepEqual(new Set(owners.map(({ owner_id }) => owner_id)), new Set([server.owner.userId]));
      assert.equal(owners.length, joined.status === 200 ? 2 : 1);
    }
    await assertQuotasExact(server);
  });

  test("a deletion immediately ends all files and uploads in progress", async () => {
    for (let round = 0; round < 20; round++) {
      const shipment = await openShipment(server, { title: "Private" });
      const file = await addFile(server, shipment);
      const url = await signedUrl(server, file.id);
      const session = await init(server, { fileSize: 10, ...joining(shipment) });
      await sendParts(server, session, someBytes(10));
      const [done, removed] = await Promise.all([postComplete(server, session), remove(shipment.shortId, shipment.deletionToken)]);
      assert.equal(removed.status, 200, JSON.stringify(removed.body));
      assert.ok(
        done.status === 200 || done.body.errorCode === "UPLOAD_CLOSED" || done.body.errorCode === "SHARE_EXPIRED",
        JSON.stringify(done.body),
      );
      assert.equal((await askShare(server, shipment.shortId)).status, 404);
      assert.equal((await fetch(url)).status, 404);
      assertRefused(await postUpload(server, { bytes: "x", fields: joining(shipment) }), { status: 403, code: "WRONG_TOKEN" });
      assertRefused(await remove(shipment.shortId, shipment.deletionToken), { status: 404, code: "NOT_FOUND" });
    }
    await cleanUp(server);
    await assertNothingLostOrLeft(server);
    await assertQuotasExact(server);
    const titles = await withDatabase(server, (db) => db.selectFrom("shares").select("title").where("title", "=", "Private").execute());
    assert.deepEqual(titles, []);
  });

  test("a deletion token also deletes one file, by the API and by the page", async () => {
    const shipment = await openShipment(server);
    const [first, second] = [await addFile(server, shipment, "a.txt"), await addFile(server, shipment, "b.txt")];
    assertRefused(await remove(first.id, "del_wrong"), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await remove(shipment.shortId), { status: 403, code: "WRONG_TOKEN" });
    assert.equal((await remove(first.id, shipment.deletionToken)).status, 200);
    assert.deepEqual(
      (await getShare(server, shipment.shortId)).files?.map(({ id }) => id),
      [second.id],
    );
    const page = `${server.url}/delete/${shipment.shortId}/${shipment.deletionToken}`;
    assert.match(await (await fetch(page)).text(), /Delete this shipment and all its files\?/);
    assert.equal((await fetch(page, { method: "POST" })).status, 200);
    assert.equal((await askShare(server, shipment.shortId)).status, 404);
    assert.equal((await fetch(page)).status, 404);
  });
});
