import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import {
  askShare,
  assertRefused,
  authorize,
  type Body,
  call,
  clientOf,
  deleteFile,
  findInfo,
  getShare,
  postUpload,
  signedUrl,
  type Upload,
  upload,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { authorizeWith, changeSettings, credentialsIn, unlock } from "../support/shares/shares.ts";
import { shipmentCalls } from "../support/shares/shipments.ts";
import { postInit, sha256, someBytes, uploadInParts } from "../support/uploads/multipart.ts";

/** model, "File and share"; sharing, "Publish fields" (`openShare`, `shareShortId`). */
describe("shipments", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    await holdScheduledCleanup(server);
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
    const share = await getShare(server, first.shortId);
    assert.deepEqual(
      {
        short_id: share.short_id,
        kind: share.kind,
        content_type: share.content_type,
        size_bytes: share.size_bytes,
        scanStatus: share.scanStatus,
        scanCoverage: share.scanCoverage,
        sha256: share.sha256,
        uploading: share.uploading,
        unlockRequired: share.unlockRequired,
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
    assert.ok(typeof share.id === "string" && share.id !== first.id && share.id !== second.id);
    assert.ok(typeof share.name === "string" && share.name.length > 0);
    assert.deepEqual([share.title, share.message], [null, null]);
    assert.deepEqual(await filesOf(first.shortId), [
      {
        id: first.id,
        name: "a.txt",
        size_bytes: 5,
        content_type: "text/plain",
        sha256: sha256("hello"),
        modifiedAt: null,
        executable: false,
        encrypted: false,
        scanStatus: "clean",
        failureReason: null,
        relativePath: null,
        uploading: false,
        receivedBytes: null,
      },
      {
        id: second.id,
        name: "b.txt",
        size_bytes: 4,
        content_type: "text/plain",
        sha256: sha256("more"),
        modifiedAt: null,
        executable: false,
        encrypted: false,
        scanStatus: "clean",
        failureReason: null,
        relativePath: "docs/b.txt",
        uploading: false,
        receivedBytes: null,
      },
    ]);
    assert.ok(!("files" in (await getShare(server, (await upload(server, { bytes: "x" })).shortId))));
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
    const { expires_at } = await getShare(server, first.shortId);
    const second: Upload = await join(first, {
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
    const share = await getShare(server, first.shortId);
    assert.deepEqual({ expires: share.expires_at, locked: share.unlockRequired }, { expires: expires_at, locked: false });
    for (let i = 0; i < 2; i += 1) await signedUrl(server, second.id);
  });

  test("the settings of the first file apply to all files", async () => {
    const first: Upload = await open({ protect: "true", maxDownloads: "1", handoffMessage: "Here" });
    const { unlockCode, handoffToken } = credentialsIn(first);
    const second = await join(first);
    assertRefused(await authorizeWith(server, second.id), { status: 403, code: "UNLOCK_REQUIRED" });
    assert.equal((await clientOf(server).call("getHandoff", { token: handoffToken })).shortId, first.shortId);
    // Download limits count per file.
    for (const { id } of [first, second]) {
      await signedUrl(server, id, { unlockCode });
      assertRefused(await authorizeWith(server, id, { unlockCode }), { status: 404, code: "NOT_FOUND" });
    }
    assertRefused(await askShare(server, first.shortId), { status: 404, code: "NOT_FOUND" });
  });

  test("the settings can be changed by the shipment's own id, which its metadata and the response contain", async () => {
    const first = await open();
    const { id } = await getShare(server, first.shortId);
    const { fileId, unlockCode } = await changeSettings(server, { fileId: id, protect: true }, server.owner.key);
    assert.equal(fileId, id);
    assertRefused(await authorize(server, first.id), { status: 403, code: "UNLOCK_REQUIRED" });
    await unlock(server, { fileId, unlockCode });
    const single = await upload(server, { bytes: "x" }, server.owner);
    const byShortId = await changeSettings(server, { fileId: single.shortId }, server.owner.key);
    assert.equal(byShortId.fileId, single.id);
  });

  test("a file without downloads left leaves the other files available", async () => {
    const first = await open({ once: "true" });
    const second = await join(first);
    await signedUrl(server, first.id);
    assert.deepEqual(
      (await filesOf(first.shortId)).map(({ id }) => id),
      [second.id],
    );
    await signedUrl(server, second.id);
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
    const before = await countStoredState(server);
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
    assert.deepEqual(await countStoredState(server), before);
  });

  test("concurrent uploads all join, and deleting the last file ends the shipment", async () => {
    const first = await open();
    const joined = await Promise.all(Array.from({ length: 12 }, (_, n) => join(first, { relativePath: `d/${n}` })));
    const files = await filesOf(first.shortId);
    assert.equal(files.length, 13);
    assert.equal(new Set(files.map(({ id }) => id)).size, 13);
    for (const { id } of [first, ...joined]) {
      await getShare(server, first.shortId);
      await deleteFile(server, { fileId: id }, { key: server.owner.key });
    }
    assertRefused(await askShare(server, first.shortId), { status: 404, code: "NOT_FOUND" });
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
    const run = await clientOf(server, { key: server.owner.key }).call("listRun", { runId: "run-1" });
    assert.deepEqual(run.data.artifacts.map(({ id }) => id).sort(), [first.id, second.id].sort());
    assert.ok(run.data.artifacts.every(({ shortId }) => shortId === first.shortId));
    const item = await findInfo(server, first.shortId);
    assert.deepEqual(
      { status: item?.status, filecode: item?.filecode, size: item?.size },
      { status: 200, filecode: first.shortId, size: "9" },
    );
  });
});
