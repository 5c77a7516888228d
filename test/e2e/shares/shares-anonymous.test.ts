import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { addAccount, getMe, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, authorize, call, clientOf, deleteFile, getShare, listFiles, postUpload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { assertNothingLostOrLeft, cleanUp, holdScheduledCleanup } from "../support/servers/server-context.ts";
import { assertQuotasExact, withDatabase } from "../support/servers/state.ts";
import { createImport, startImportingServer, waitForBytes, waitForEnd } from "../support/shares/imports.ts";
import { changeLink, credentialsIn, unlock } from "../support/shares/shares.ts";
import { complete, init, MB, postComplete, postInit, sendParts, someBytes } from "../support/uploads/multipart.ts";
import { addFile, joining, openShipment } from "../support/uploads/sent-shipments.ts";

const MANY_SHARES = { FILEHOST_LIMITS: JSON.stringify({ rates: { shares: 10_000 } }) };

const post = (server: { url: string }, json: object, key?: string) =>
  call(server, "POST", "/api/shares", { json, ...(key !== undefined && { key }) });

/** sharing, "Shipments". */
describe("a shipment of a sender without a key", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer(MANY_SHARES), { owner: {}, other: {} });
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const expire = (shortId: string): Promise<unknown> =>
    withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1 })
        .where("short_id", "=", shortId)
        .execute(),
    );

  test("opens empty, and its link works immediately", async () => {
    const shipment = await openShipment(server, { title: "Slides", message: "Room 12.", ttl: "24h" });
    assert.match(shipment.shareToken, /^share_[\w-]{43}$/);
    assert.ok(shipment.claimToken && shipment.deletionToken && shipment.expiresAt);
    assert.equal(shipment.unlockCode, undefined);
    const { data } = await getShare(server, shipment.shortId);
    assert.deepEqual(
      { ...data, expires_at: null },
      {
        id: shipment.shortId,
        short_id: shipment.shortId,
        kind: "shipment",
        name: "Shipment",
        title: "Slides",
        message: "Room 12.",
        size_bytes: 0,
        content_type: null,
        sha256: null,
        expires_at: null,
        scanStatus: "pending",
        failureReason: null,
        modifiedAt: null,
        executable: false,
        encrypted: false,
        scanned: false,
        scanCoverage: null,
        uploading: false,
        receivedBytes: null,
        unlockRequired: false,
        unlockKind: null,
        downloadsLimited: false,
        directEffective: false,
        sponsoredDelivery: false,
        paymentRequired: false,
        priceCents: null,
        files: [],
      },
    );
    const page = await fetch(shipment.shareUrl);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /Waiting for the first file/);
    const archive = await call(server, "GET", `/api/files/share/${shipment.shortId}/archive`);
    assertRefused(archive, { status: 409, code: "UPLOAD_INCOMPLETE" });
  });

  test("accepts files by its token from a form, a PUT and parts, whose responses have no tokens", async () => {
    const shipment = await openShipment(server);
    const fields = joining(shipment);
    const form = await addFile(server, shipment, "form.txt");
    const query = new URLSearchParams({ ...fields, relativePath: "docs/put.txt" });
    const put = await fetch(`${server.url}/put.txt?${query}`, { method: "PUT", body: "put", headers: { Accept: "application/json" } });
    assert.equal(put.status, 200);
    const session = await init(server, { fileName: "parts.bin", fileSize: 3000, ...fields });
    assert.equal(session.shortId, shipment.shortId);
    await sendParts(server, session, someBytes(3000));
    const parts = await complete(server, session);
    assert.deepEqual(await complete(server, session), parts);
    const { data } = (await put.json()) as { data: typeof form };
    for (const file of [form, data, parts]) {
      assert.equal(file.shortId, shipment.shortId);
      assert.equal(file.isAnonymous, true);
      assert.deepEqual([file.claimToken, file.deletionToken], [undefined, undefined]);
    }
    const { files, size_bytes } = await getShare(server, shipment.shortId);
    assert.deepEqual(
      files?.map(({ name, relativePath }) => [name, relativePath]),
      [
        ["form.txt", null],
        ["put.txt", "docs/put.txt"],
        ["parts.bin", null],
      ],
    );
    assert.equal(size_bytes, 5 + 3 + 3000);
    const { url } = await clientOf(server).call("authorizeArchive", { shortId: shipment.shortId });
    assert.equal((await fetch(url)).status, 200);
  });

  test("shows files during their upload, with the received bytes", async () => {
    const shipment = await openShipment(server);
    const session = await init(server, {
      fileName: "big.bin",
      fileSize: 2 * MB,
      partSize: MB,
      relativePath: "in/big.bin",
      ...joining(shipment),
    });
    const bytes = someBytes(2 * MB);
    const before = await getShare(server, shipment.shortId);
    assert.equal(before.uploading, true);
    await sendParts(server, { ...session, totalParts: 1 }, bytes);
    const share = await getShare(server, shipment.shortId);
    assert.equal(share.receivedBytes, MB);
    const [file] = share.files ?? [];
    assert.deepEqual(
      [file?.name, file?.relativePath, file?.size_bytes, file?.uploading, file?.receivedBytes],
      ["big.bin", "in/big.bin", 2 * MB, true, MB],
    );
    assert.match(await (await fetch(shipment.shareUrl)).text(), /big\.bin/);
    assertRefused(await authorize(server, session.fileId), { status: 409, code: "SCAN_PENDING" });
    await sendParts(server, session, bytes);
    await complete(server, session);
    const done = await getShare(server, shipment.shortId);
    assert.deepEqual([done.uploading, done.receivedBytes, done.files?.[0]?.uploading], [false, null, false]);
  });

  test("remains when an upload into it is aborted", async () => {
    const shipment = await openShipment(server);
    const session = await init(server, { fileSize: 10, ...joining(shipment) });
    await clientOf(server).call("abortMultipart", { uploadId: session.uploadId, key: session.key });
    assert.deepEqual((await getShare(server, shipment.shortId)).files, []);
    await addFile(server, shipment);
  });

  test("refuses wrong tokens, missing tokens, and contradictory fields", async () => {
    const [shipment, other] = [await openShipment(server), await openShipment(server)];
    const send = (fields: Record<string, string>, key?: string) =>
      postUpload(server, { bytes: "x", fields }, key === undefined ? {} : { key });
    const { shortId, shareToken } = shipment;
    assertRefused(await send({ shareShortId: shortId }), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await send({ shareShortId: shortId }, server.owner.key), { status: 404, code: "NOT_FOUND" });
    for (const token of [other.shareToken, "share_x", shipment.claimToken ?? ""])
      assertRefused(await send({ shareShortId: shortId, shareToken: token }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await send({ shareShortId: "nothere1", shareToken }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await send({ shareToken }), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await send({ shareShortId: shortId, shareToken, runId: "r" }), { status: 400, code: "VALIDATION_FAILED" });
    const folder = (await clientOf(server, server.owner).call("createFolder", { name: "F" })).data.id;
    assertRefused(await send({ shareShortId: shortId, shareToken, folderId: folder }, server.owner.key), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
    const delegation = { sizeBytes: 5, shareShortId: shortId, shareToken };
    const delegated = await call(server, "POST", "/api/files/upload-delegations", { key: server.owner.key, json: delegation });
    assertRefused(delegated, { status: 400, code: "VALIDATION_FAILED" });
    const misplaced = [{ openShare: true }, { shareShortId: shortId }, { shareToken }, { relativePath: "a" }, { runId: "r" }];
    for (const fields of misplaced) {
      const { status } = await post(server, fields, server.owner.key);
      assert.equal(status, 400, JSON.stringify(fields));
    }
    assertRefused(await post(server, { visibility: "public" }), { status: 400, code: "USERNAME_REQUIRED" });
    assertRefused(await post(server, { direct: true }), { status: 403, code: "PRO_REQUIRED" });
    assertRefused(await post(server, { ttl: "4d" }), { status: 400, code: "EXPIRY_TOO_LONG" });
    assertRefused(await post(server, { title: "x".repeat(121) }), { status: 400, code: "VALIDATION_FAILED" });
  });

  test("accepts no new files 24 hours after its opening, and an upload that has started may complete", async () => {
    const shipment = await openShipment(server);
    const session = await init(server, { fileSize: 10, ...joining(shipment) });
    await sendParts(server, session, someBytes(10));
    await withDatabase(server, (db) =>
      db.updateTable("shares").set({ share_token_expires_at: Date.now() }).where("short_id", "=", shipment.shortId).execute(),
    );
    const late = await postUpload(server, { bytes: "x", fields: joining(shipment) });
    assertRefused(late, { status: 403, code: "WRONG_TOKEN" });
    await complete(server, session);
    assert.equal((await getShare(server, shipment.shortId)).files?.length, 1);
  });

  test("accepts no files after its expiry, is not found and is removed", async () => {
    const [shipment, empty] = [await openShipment(server), await openShipment(server)];
    const file = await addFile(server, shipment);
    const session = await init(server, { fileSize: 10, ...joining(shipment) });
    await sendParts(server, session, someBytes(10));
    for (const { shortId } of [shipment, empty]) await expire(shortId);
    assertRefused(await postUpload(server, { bytes: "x", fields: joining(shipment) }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await postComplete(server, session), { status: 409, code: "SHARE_EXPIRED" });
    for (const { shortId } of [shipment, empty]) assert.equal((await askShare(server, shortId)).status, 404);
    const report = await cleanUp(server);
    assert.ok(report.expired >= 2 && report.uploads >= 1);
    assert.equal((await authorize(server, file.id)).status, 404);
    await withDatabase(server, (db) => db.updateTable("shares").set({ ended_at: 1 }).where("short_id", "=", empty.shortId).execute());
    await cleanUp(server);
    const rows = await withDatabase(server, (db) =>
      db.selectFrom("shares").select("short_id").where("short_id", "in", [shipment.shortId, empty.shortId]).execute(),
    );
    assert.deepEqual(rows, [{ short_id: shipment.shortId }]);
    await assertNothingLostOrLeft(server);
  });

  test("loses its token and its uploads by a takedown", async () => {
    const shipment = await openShipment(server);
    const session = await init(server, { fileSize: 10, ...joining(shipment) });
    await sendParts(server, session, someBytes(10));
    assert.equal((await server.run(["takedown", shipment.shortId])).code, 0);
    assertRefused(await postUpload(server, { bytes: "x", fields: joining(shipment) }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await postComplete(server, session), { status: 409, code: "UPLOAD_CLOSED" });
    assert.equal((await fetch(shipment.shareUrl)).status, 451);
  });

  test("limits the downloads of each file exactly", async () => {
    const shipment = await openShipment(server, { maxDownloads: 3 });
    const files = [await addFile(server, shipment, "a.txt"), await addFile(server, shipment, "b.txt")];
    for (const { id } of files) {
      const tries = await Promise.all(Array.from({ length: 8 }, () => authorize(server, id)));
      assert.equal(tries.filter(({ status }) => status === 200).length, 3);
    }
    assert.equal((await askShare(server, shipment.shortId)).status, 404);
  });

  test("hides title, message and files until it is unlocked", async () => {
    const opened = await openShipment(server, { title: "T", message: "M", protect: true, handoffMessage: "H" });
    const { unlockCode, handoffToken } = credentialsIn(opened);
    await addFile(server, opened);
    const hidden = { title: null, message: null, files: null };
    const wordsOf = async (query = "") => {
      const { body } = await askShare(server, opened.shortId + query);
      return { title: body.title, message: body.message, files: body.files };
    };
    assert.deepEqual(await wordsOf(), hidden);
    assert.deepEqual(await wordsOf("?unlockToken=ul_x.y"), hidden);
    const { unlockToken } = await unlock(server, { shortId: opened.shortId, unlockCode });
    const { title, message, files } = await wordsOf(`?unlockToken=${unlockToken}`);
    assert.deepEqual([title, message, (files as unknown[]).length], ["T", "M", 1]);
    const handoff = await clientOf(server).call("getHandoff", { token: handoffToken });
    assert.equal(handoff.data.message, "H");
    const cleared = await changeLink(server, { fileId: opened.shortId, claimToken: opened.claimToken ?? "", protect: false });
    assert.deepEqual([cleared.fileId, cleared.unlockRequired], [opened.shortId, false]);
    assert.equal((await wordsOf()).title, "T");
  });

  test("names its archive by its title", async () => {
    const shipment = await openShipment(server, { title: "Été: 1/2" });
    await addFile(server, shipment);
    const { url } = await clientOf(server).call("authorizeArchive", { shortId: shipment.shortId });
    const response = await fetch(url);
    await response.arrayBuffer();
    const name = encodeURIComponent(`Été_ 1_2-${shipment.shortId}.zip`);
    assert.ok(
      response.headers.get("content-disposition")?.includes(`filename*=UTF-8''${name}`),
      response.headers.get("content-disposition") ?? "",
    );
  });
});

/** sharing, "Shipments". */
describe("an empty shipment of an account", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer(MANY_SHARES), { owner: {}, other: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  test("has no claim and deletion token; the owner's key joins without its token, others with it", async () => {
    const shipment = await openShipment(server, {}, server.owner);
    assert.deepEqual([shipment.claimToken, shipment.deletionToken], [undefined, undefined]);
    const joinedByKey = await postUpload(server, { bytes: "x", fields: { shareShortId: shipment.shortId } }, server.owner);
    assert.equal(joinedByKey.status, 200);
    const usedBefore = (await getMe(server, server.owner.key)).storage.usedBytes;
    const file = await addFile(server, shipment);
    const byOther = await postUpload(server, { bytes: "other", fields: joining(shipment) }, server.other);
    assert.equal(byOther.status, 200);
    assert.deepEqual([file.isAnonymous, byOther.body.data.isAnonymous], [false, false]);
    assert.equal((await listFiles(server, server.owner.key)).files.length, 3);
    assert.equal((await listFiles(server, server.other.key)).files.length, 0);
    assert.equal((await getMe(server, server.owner.key)).storage.usedBytes, usedBefore, "the uploaders' quotas");
    assert.equal((await getMe(server, server.other.key)).storage.usedBytes, 5);
    await deleteFile(server, { fileId: file.id }, server.owner);
    const started = await postInit(server, { fileName: "a", fileSize: 10, ...joining(shipment) }, server.other);
    const session = started.body.data;
    await sendParts(server, session, someBytes(10), server.other);
    assertRefused(await postComplete(server, session, {}, server.owner), { status: 404, code: "NOT_FOUND" });
    await complete(server, session, {}, server.other);
    await assertQuotasExact(server);
  });

  test("expires with the Pro of its owner", async () => {
    const pro = await addAccount(server, { tier: "pro" });
    const shipment = await openShipment(server, {}, pro);
    assert.equal(shipment.expiresAt, null);
    await withDatabase(server, (db) =>
      db
        .updateTable("users")
        .set({ pro_until: Date.now() - 1000 })
        .where("id", "=", pro.userId)
        .execute(),
    );
    await cleanUp(server);
    assert.notEqual((await getShare(server, shipment.shortId)).expires_at, null);
  });

  test("is opened once by a repeated request with the same Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": "open-once-1" };
    const [first, again] = [
      await call(server, "POST", "/api/shares", { json: { title: "T" }, headers }),
      await call(server, "POST", "/api/shares", { json: { title: "T" }, headers }),
    ];
    const [one, two] = [first.body.data, again.body.data] as Record<string, unknown>[];
    assert.equal(one?.shareToken, two?.shareToken);
    assert.equal(two?.idempotent, true);
    assertRefused(await call(server, "POST", "/api/shares", { json: { title: "U" }, headers }), {
      status: 422,
      code: "IDEMPOTENCY_KEY_REUSED",
    });
  });
});

/** limits, "Rates"; sharing, "Shipments". */
test("shipments without a key are limited by address, and refused where uploads require a key", async () => {
  await using limited = await startPlainServer({ FILEHOST_LIMITS: JSON.stringify({ rates: { shares: 2 } }) });
  for (let n = 0; n < 2; n++) await openShipment(limited);
  assertRefused(await post(limited, {}), { status: 429, code: "RATE_LIMITED" });
  const { key } = await addAccount(limited);
  assert.equal((await post(limited, {}, key)).status, 200);
  await using closed = await startPlainServer({ FILEHOST_ANONYMOUS: "off" });
  assertRefused(await post(closed, {}), { status: 401, code: "UNAUTHENTICATED" });
});

/** sharing, "Shipments"; imports, "Interruptions". */
test("imports join a shipment by its token, also a job whose server was restarted meanwhile", async () => {
  let stalls = true;
  const bytes = new Uint8Array(1000);
  await using origin = await startOrigin({ "/a": sendFile({ bytes: bytes, stallAfter: () => (stalls ? 600 : undefined) }) });
  await using server = await startImportingServer();
  const shipment = await openShipment(server);
  const job = await createImport(server, { url: `${origin.url}/a`, ...joining(shipment) });
  assert.deepEqual([job.claimToken, job.deletionToken], [undefined, undefined]);
  await waitForBytes(server, job, 600);
  stalls = false;
  await server.restart({ signal: "SIGKILL" });
  assert.equal((await waitForEnd(server, job)).status, "completed");
  await clientOf(server).call("importFile", { url: `${origin.url}/a`, ...joining(shipment) });
  const refused = await call(server, "POST", "/api/files/remote-upload", {
    json: { url: `${origin.url}/a`, shareShortId: shipment.shortId },
  });
  assertRefused(refused, { status: 401, code: "UNAUTHENTICATED" });
  assert.equal((await getShare(server, shipment.shortId)).files?.filter(({ uploading }) => !uploading).length, 2);
});

/** storage, "Rows and bytes". */
test("a server that is killed during an upload into a shipment keeps the shipment and can continue the upload", async () => {
  await using server = await startPlainServer();
  const shipment = await openShipment(server);
  const session = await init(server, { fileSize: 2 * MB, partSize: MB, ...joining(shipment) });
  const bytes = someBytes(2 * MB);
  await sendParts(server, { ...session, totalParts: 1 }, bytes);
  await server.restart({ signal: "SIGKILL" });
  const { files } = await getShare(server, shipment.shortId);
  assert.deepEqual([files?.length, files?.[0]?.receivedBytes], [1, MB]);
  await sendParts(server, session, bytes);
  await complete(server, session);
  await addFile(server, shipment);
  assert.equal((await getShare(server, shipment.shortId)).files?.length, 2);
  await assertNothingLostOrLeft(server);
});
