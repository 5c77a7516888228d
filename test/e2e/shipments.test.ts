import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount, type ServerWith, withAccounts } from "./support/accounts.ts";
import { assertRefused, authorize, type Body, call, getShare, postUpload, type Upload, upload } from "./support/api.ts";
import { postInit, someBytes, uploadInParts } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { authorizeWith, credentialsIn, type ProtectedUpload } from "./support/shares.ts";
import { shipmentCalls } from "./support/shipments.ts";
import { traces, withDatabase } from "./support/state.ts";

/** model, "File and share"; sharing, "Publish fields" (`openShare`, `shareShortId`). */
describe("shipments", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const { open, join, filesOf } = shipmentCalls(() => server);

  test("files join an open shipment under its short id", async () => {
    const first = await open();
    const second = await join(first, { relativePath: "docs/b.txt" });
    assert.equal(second.shortId, first.shortId);
    assert.equal(second.shortCode, first.shortId);
    assert.equal(second.shareUrl, first.shareUrl);
    assert.notEqual(second.id, first.id);
    const { body } = await getShare(server, first.shortId);
    assert.deepEqual(
      {
        short_id: body.short_id,
        kind: body.kind,
        content_type: body.content_type,
        size_bytes: body.size_bytes,
        scanStatus: body.scanStatus,
        scanCoverage: body.scanCoverage,
        sha256: body.sha256,
        uploading: body.uploading,
        unlockRequired: body.unlockRequired,
      },
      {
        short_id: first.shortId,
        kind: "shipment",
        content_type: null,
        size_bytes: 9,
        scanStatus: "clean",
        scanCoverage: "none",
        sha256: null,
        uploading: false,
        unlockRequired: false,
      },
    );
    assert.ok(typeof body.id === "string" && body.id !== first.id && body.id !== second.id);
    assert.ok(typeof body.name === "string" && body.name.length > 0);
    assert.ok(!("message" in body));
    assert.deepEqual(await filesOf(first.shortId), [
      {
        id: first.id,
        name: "a.txt",
        size_bytes: 5,
        content_type: "text/plain",
        scanStatus: "clean",
        failureReason: null,
        relativePath: null,
      },
      {
        id: second.id,
        name: "b.txt",
        size_bytes: 4,
        content_type: "text/plain",
        scanStatus: "clean",
        failureReason: null,
        relativePath: "docs/b.txt",
      },
    ]);
    assert.ok(!("files" in (await getShare(server, (await upload(server, { bytes: "x" })).shortId)).body));
  });

  test("files join by form, by request body and in parts", async () => {
    const shipment = await uploadInParts(server, someBytes(3000), { openShare: true, relativePath: "p/1.bin" }, { key: server.owner.key });
    await join(shipment);
    const put = await call<Body & { data: Upload }>(server, "PUT", `/c.txt?shareShortId=${shipment.shortId}`, {
      key: server.owner.key,
      body: "three",
      headers: { Accept: "application/json" },
    });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    const part = await uploadInParts(
      server,
      someBytes(2000),
      { fileName: "d.bin", shareShortId: shipment.shortId },
      { key: server.owner.key },
    );
    assert.equal(part.shortId, shipment.shortId);
    assert.deepEqual(
      (await filesOf(shipment.shortId)).map(({ name }) => name),
      ["parts.bin", "b.txt", "c.txt", "d.bin"],
    );
  });

  test("share settings sent with a joining file are ignored", async () => {
    const first = await open({ ttl: "2d" });
    const { expires_at } = (await getShare(server, first.shortId)).body;
    const second: ProtectedUpload = await join(first, {
      ttl: "6d",
      protect: "true",
      once: "true",
      visibility: "public",
      retention: "forever",
      direct: "true",
      handoffMessage: "x",
    });
    assert.ok(!("unlockCode" in second) && !("handoffUrl" in second));
    assert.equal(second.expiresAt, expires_at);
    const { body } = await getShare(server, first.shortId);
    assert.deepEqual({ expires: body.expires_at, locked: body.unlockRequired }, { expires: expires_at, locked: false });
    for (let i = 0; i < 2; i += 1) assert.equal((await authorize(server, second.id)).status, 200);
  });

  test("the settings of the first file apply to all files", async () => {
    const first: ProtectedUpload = await open({ protect: "true", maxDownloads: "1", handoffMessage: "Here" });
    const { unlockCode, handoffToken } = credentialsIn(first);
    const second = await join(first);
    assertRefused(await authorizeWith(server, second.id), { status: 403, code: "UNLOCK_REQUIRED" });
    assert.equal((await call(server, "GET", `/api/files/handoff/${handoffToken}`)).body.shortId, first.shortId);
    // Download limits count per file.
    for (const { id } of [first, second]) {
      assert.equal((await authorizeWith(server, id, { unlockCode })).status, 200);
      assertRefused(await authorizeWith(server, id, { unlockCode }), { status: 404, code: "NOT_FOUND" });
    }
    assertRefused(await getShare(server, first.shortId), { status: 404, code: "NOT_FOUND" });
  });

  test("the settings can be changed by the shipment's own id, which its metadata and the response contain", async () => {
    const first = await open();
    const { id } = (await getShare(server, first.shortId)).body;
    const { status, body } = await call(server, "PATCH", "/api/files/share-settings", {
      key: server.owner.key,
      json: { fileId: id, protect: true },
    });
    assert.equal(status, 200, JSON.stringify(body));
    const { fileId, unlockCode } = body.data as { fileId: string; unlockCode: string };
    assert.equal(fileId, id);
    assertRefused(await authorize(server, first.id), { status: 403, code: "UNLOCK_REQUIRED" });
    assert.equal((await call(server, "POST", "/api/downloads/unlock", { json: { fileId, unlockCode } })).status, 200);
    const single = await upload(server, { bytes: "x" }, server.owner);
    const byShortId = await call(server, "PATCH", "/api/files/share-settings", { key: server.owner.key, json: { fileId: single.shortId } });
    assert.equal((byShortId.body.data as { fileId: string }).fileId, single.id);
  });

  test("a file without downloads left leaves the other files available", async () => {
    const first = await open({ once: "true" });
    const second = await join(first);
    assert.equal((await authorize(server, first.id)).status, 200);
    assert.deepEqual(
      (await filesOf(first.shortId)).map(({ id }) => id),
      [second.id],
    );
    assert.equal((await authorize(server, second.id)).status, 200);
  });

  test("uploads to unknown, foreign, single-file and expired shares are refused and leave nothing", async () => {
    const shipment = await open();
    const single = await upload(server, { bytes: "x" }, { key: server.owner.key });
    const other = await addAccount(server);
    const ended = await open();
    await withDatabase(server, async (db) => {
      await db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1000 })
        .where("short_id", "=", ended.shortId)
        .execute();
    });
    const before = await traces(server);
    const post = (shareShortId: string, key?: string) =>
      postUpload(server, { bytes: "x", fields: { shareShortId } }, key === undefined ? {} : { key });
    assertRefused(await post("aaaaaaaa", server.owner.key), { status: 404, code: "NOT_FOUND" });
    assertRefused(await post(shipment.shortId, other.key), { status: 404, code: "NOT_FOUND" });
    assertRefused(await post(single.shortId, server.owner.key), { status: 404, code: "NOT_FOUND" });
    assertRefused(await post(shipment.shortId), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await post("abc", server.owner.key), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await post("a".repeat(17), server.owner.key), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await post(ended.shortId, server.owner.key), { status: 409, code: "SHARE_EXPIRED" });
    const fields = { fileName: "x", fileSize: 1, shareShortId: shipment.shortId };
    assertRefused(await postInit(server, fields, { key: other.key }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await postInit(server, { ...fields, shareShortId: ended.shortId }, { key: server.owner.key }), {
      status: 409,
      code: "SHARE_EXPIRED",
    });
    const both = { openShare: "true", shareShortId: shipment.shortId };
    assertRefused(await postUpload(server, { bytes: "x", fields: both }, { key: server.owner.key }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
    assert.deepEqual(await traces(server), before);
  });

  test("concurrent uploads all join, and deleting the last file ends the shipment", async () => {
    const first = await open();
    const joined = await Promise.all(Array.from({ length: 12 }, (_, n) => join(first, { relativePath: `d/${n}` })));
    const files = await filesOf(first.shortId);
    assert.equal(files.length, 13);
    assert.equal(new Set(files.map(({ id }) => id)).size, 13);
    for (const { id } of [first, ...joined]) {
      assert.equal((await getShare(server, first.shortId)).status, 200);
      assert.equal((await call(server, "DELETE", `/api/files/delete?fileId=${id}`, { key: server.owner.key })).status, 200);
    }
    assertRefused(await getShare(server, first.shortId), { status: 404, code: "NOT_FOUND" });
    assert.equal((await fetch(server.url + first.sharePath)).status, 404);
  });

  test("relative paths cannot leave the shipment", async () => {
    const first = await open({ relativePath: "../../etc/passwd" });
    await join(first, { relativePath: "/absolute//a/./b/../c.txt" });
    await join(first, { relativePath: "win\\dows\\..\\x.txt" });
    for (const { relativePath } of await filesOf(first.shortId)) {
      assert.ok(relativePath && !relativePath.startsWith("/") && !relativePath.includes("\\"), relativePath ?? "none");
      assert.ok(!relativePath.split("/").some((part) => ["", ".", ".."].includes(part)), relativePath);
    }
    assertRefused(await postUpload(server, { bytes: "x", fields: { relativePath: "x".repeat(1025) } }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
  });

  test("file info and run listings include the shipment's files", async () => {
    const first = await open({ runId: "run-1" });
    const second = await join(first, { runId: "run-1" });
    const run = await call<Body & { data: { artifacts: { id: string; shortId: string }[] } }>(server, "GET", "/api/files/run/run-1", {
      key: server.owner.key,
    });
    assert.deepEqual(run.body.data.artifacts.map(({ id }) => id).sort(), [first.id, second.id].sort());
    assert.ok(run.body.data.artifacts.every(({ shortId }) => shortId === first.shortId));
    const info = await call(server, "GET", `/api/files/info?file_code=${first.shortId}`);
    const [item] = info.body.result as { status: number; filecode: string; size: string }[];
    assert.deepEqual(
      { status: item?.status, filecode: item?.filecode, size: item?.size },
      { status: 200, filecode: first.shortId, size: "9" },
    );
  });
});
