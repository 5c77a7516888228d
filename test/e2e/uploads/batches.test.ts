import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, deleteFile, getShare, type Upload, upload } from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { changeSettings } from "../support/shares/shares.ts";
import { shipmentCalls } from "../support/shares/shipments.ts";
import { type Entry, manyFiles, postBatch, type SentFile } from "../support/uploads/batches.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { joining, openShipment } from "../support/uploads/sent-shipments.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

/** uploads, "Many small files". */
describe("POST /api/files/batch", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const { open, filesOf } = shipmentCalls(() => server);

  const send = async (shipment: { readonly shortId: string }, files: readonly SentFile[]): Promise<readonly Entry[]> => {
    const { status, body } = await postBatch(server, { shareShortId: shipment.shortId }, files, { key: server.owner.key });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.files;
  };

  test("stores 500 files in a shipment, with their paths and results in the order of the form", async () => {
    const shipment = await open();
    const files = manyFiles(500);
    const stored = await send(shipment, files);
    assert.deepEqual(
      stored.map(({ relativePath, name, sha256, shortId, error }) => ({ relativePath, name, sha256, shortId, error })),
      files.map(({ relativePath = "", bytes = "" }, n) => ({
        relativePath,
        name: `${n}.txt`,
        sha256: sha256(bytes),
        shortId: shipment.shortId,
        error: undefined,
      })),
    );
    assert.equal(new Set(stored.map(({ id }) => id)).size, 500);
    const share = await getShare(server, shipment.shortId);
    assert.equal(share.files?.length, 501);
    for (const n of [0, 250, 499]) assert.equal(await downloadDigest(server, stored[n]?.id ?? ""), sha256(files[n]?.bytes ?? ""));
    const { sessions, reservedBytes } = await countStoredState(server);
    assert.deepEqual({ sessions, reservedBytes }, { sessions: 0, reservedBytes: 0 });
  });

  test("names a file by the field before it, otherwise by its filename, and applies runId and folderId to all files", async () => {
    const shipment = await open();
    const client = clientOf(server, server.owner);
    const folder = (await client.call("createFolder", { name: "batches" })).data;
    const fields = { shareShortId: shipment.shortId, runId: "run-of-a-batch", folderId: folder.id };
    const { body } = await postBatch(
      server,
      fields,
      [
        { relativePath: "a/named.txt", name: "other.txt" },
        { name: "b/by-name.txt", bytes: "2" },
        { name: "plain.txt", bytes: "3" },
      ],
      { key: server.owner.key },
    );
    assert.deepEqual(
      body.data.files.map(({ relativePath, name }) => [relativePath, name]),
      [
        ["a/named.txt", "named.txt"],
        ["b/by-name.txt", "by-name.txt"],
        ["plain.txt", "plain.txt"],
      ],
    );
    const run = await client.call("listRun", { runId: "run-of-a-batch" });
    assert.deepEqual(new Set(run.data.artifacts.map(({ folderId }) => folderId)), new Set([folder.id]));
    assert.equal(run.data.artifacts.length, 3);
  });

  test("puts files into the folder that is named before them, and refuses those of an unknown folder separately", async () => {
    const shipment = await open();
    const client = clientOf(server, server.owner);
    const { folders } = (await client.call("createFolders", { paths: ["Trip", "Trip/Day 1"] })).data;
    const [trip, day] = folders.map(({ id }) => id);
    const stored = await send(shipment, [
      { relativePath: "loose.txt", bytes: "1" },
      { relativePath: "Trip/a.txt", bytes: "2", folderId: trip },
      { relativePath: "Trip/b.txt", bytes: "3" },
      { relativePath: "Trip/Day 1/c.txt", bytes: "4", folderId: day },
      { relativePath: "unknown.txt", bytes: "5", folderId: crypto.randomUUID() },
      { relativePath: "malformed.txt", bytes: "6", folderId: "abc" },
      { relativePath: "last.txt", bytes: "7", folderId: "null" },
    ]);
    assert.deepEqual(
      stored.map(({ errorCode }) => errorCode),
      [undefined, undefined, undefined, undefined, "NOT_FOUND", "VALIDATION_FAILED", undefined],
    );
    const folderOf = async ({ id }: Entry) => (await client.call("getFile", { fileId: id })).data.folderId;
    const found = await Promise.all(stored.filter(({ errorCode }) => errorCode === undefined).map(folderOf));
    assert.deepEqual(found, [null, trip, trip, day, null]);
  });

  test("the typed client sends files", async () => {
    const shipment = await open();
    const bytes = new TextEncoder().encode("typed");
    const file = ["x/1.txt", "x/2.txt"].map((relativePath) => ({ relativePath, type: "text/plain", sha256: sha256(bytes), bytes }));
    const { data } = await clientOf(server, server.owner).call("uploadBatch", { shareShortId: shipment.shortId, file });
    assert.deepEqual(
      data.files.map((entry) => ("id" in entry ? entry.relativePath : entry.error)),
      ["x/1.txt", "x/2.txt"],
    );
  });

  test("refuses each bad file separately, and stores the others", async () => {
    const shipment = await open();
    const bytes = someBytes(4 * MB);
    const stored = await send(shipment, [
      { relativePath: "first.txt", bytes: "1" },
      { relativePath: "large.bin", bytes: someBytes(4 * MB + 1) },
      { relativePath: "largest.bin", bytes },
      { relativePath: "x".repeat(1025), bytes: "2" },
      { relativePath: "../..", bytes: "3" },
      { relativePath: "wrong.txt", bytes: "4", sha256: sha256("other") },
      { relativePath: "malformed.txt", bytes: "5", sha256: "abc" },
      { relativePath: "right.txt", bytes: "6", sha256: sha256("6").toUpperCase() },
      { relativePath: "empty.txt" },
      { relativePath: "../last.txt", bytes: "7" },
    ]);
    assert.deepEqual(
      stored.map(({ relativePath, errorCode }) => [relativePath, errorCode]),
      [
        ["first.txt", undefined],
        ["large.bin", "FILE_TOO_LARGE_FOR_DIRECT"],
        ["largest.bin", undefined],
        ["x".repeat(1024), "VALIDATION_FAILED"],
        ["../..", "VALIDATION_FAILED"],
        ["wrong.txt", "DIGEST_MISMATCH"],
        ["malformed.txt", "VALIDATION_FAILED"],
        ["right.txt", undefined],
        ["empty.txt", undefined],
        ["last.txt", undefined],
      ],
    );
    assert.equal(stored[2]?.sha256, sha256(bytes));
    assert.deepEqual(
      (await filesOf(shipment.shortId)).map(({ relativePath }) => relativePath).toSorted(),
      [null, "empty.txt", "first.txt", "largest.bin", "last.txt", "right.txt"].toSorted(),
    );
  });

  test("returns the stored files when it is sent again, also while the first request runs, and keeps other bytes beside them", async () => {
    const shipment = await open();
    const files = manyFiles(120);
    const both = await Promise.all([send(shipment, files), send(shipment, files)]);
    const ids = both.map((stored) => stored.map(({ id }) => id));
    assert.deepEqual(ids[0], ids[1]);
    const again = await send(shipment, [...files.slice(0, 3), ...files.slice(0, 3), { relativePath: "folder/0.txt", bytes: "other" }]);
    assert.deepEqual(
      again.slice(0, 6).map(({ id }) => id),
      [...(ids[0] ?? []).slice(0, 3), ...(ids[0] ?? []).slice(0, 3)],
    );
    assert.ok(!ids[0]?.includes(again[6]?.id ?? ""));
    const twice = await send(shipment, [
      { relativePath: "twice.txt", bytes: "2" },
      { relativePath: "twice.txt", bytes: "2" },
    ]);
    assert.equal(twice[0]?.id, twice[1]?.id);
    assert.equal((await filesOf(shipment.shortId)).length, 1 + 120 + 1 + 1);
    const { sessions, reservedBytes, stored, files: rows } = await countStoredState(server);
    assert.deepEqual({ sessions, reservedBytes }, { sessions: 0, reservedBytes: 0 });
    assert.equal(stored.length, rows, "no bytes are left of files that were found");
  });

  test("stores a deleted file again", async () => {
    const shipment = await open();
    const [first] = await send(shipment, manyFiles(1));
    await deleteFile(server, { fileId: first?.id ?? "" }, server.owner);
    const [again] = await send(shipment, manyFiles(1));
    assert.equal(again?.error, undefined);
    assert.notEqual(again?.id, first?.id);
  });

  test("adds files without a key by the token of a shipment, until it ends", async () => {
    const shipment = await openShipment(server, { ttl: "1h" });
    const post = (fields: Record<string, string>, count = 40) => postBatch(server, fields, manyFiles(count));
    const { status, body } = await post(joining(shipment));
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(
      body.data.files.every(({ isAnonymous, claimToken, error }) => isAnonymous && claimToken === undefined && error === undefined),
    );
    const again = await post(joining(shipment), 41);
    assert.deepEqual(
      again.body.data.files.slice(0, 40).map(({ id }) => id),
      body.data.files.map(({ id }) => id),
    );
    assert.equal((await getShare(server, shipment.shortId)).files?.length, 41);
    assertRefused(await post({ shareShortId: shipment.shortId }), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await post({ shareShortId: shipment.shortId, shareToken: "share_wrong" }), { status: 403, code: "WRONG_TOKEN" });
    const other = await openShipment(server);
    assertRefused(await post({ ...joining(shipment), shareShortId: other.shortId }), { status: 403, code: "WRONG_TOKEN" });
    assertRefused(await post({ ...joining(shipment), runId: "run-1" }), { status: 400, code: "VALIDATION_FAILED" });
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1000 })
        .where("short_id", "=", shipment.shortId)
        .execute(),
    );
    assertRefused(await post(joining(shipment)), { status: 403, code: "WRONG_TOKEN" });
  });

  test("returns a file's signed URL again to the owner of the shipment, and not to a sender with its token", async () => {
    const shipment = await openShipment(server, { maxDownloads: 2 }, { key: server.owner.key });
    const urlsOf = async (files: readonly SentFile[], options = {}): Promise<readonly (string | null)[]> => {
      const { status, body } = await postBatch(server, joining(shipment), files, options);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data.files.map(({ url }) => url);
    };
    const download = async (url: string | null | undefined): Promise<number> => (await fetch(url ?? assert.fail())).status;
    const [first] = await urlsOf(manyFiles(1));
    assert.equal(await download(first), 200);
    assert.equal(await download(first), 404, "a URL is one download");
    const [again, second] = await urlsOf(manyFiles(2));
    assert.equal(again, null);
    assert.ok(second);
    assert.deepEqual(await urlsOf(manyFiles(2), await addAccount(server)), [null, null]);
    await changeSettings(server, { shortId: shipment.shortId, protect: true }, server.owner.key);
    assert.deepEqual(await urlsOf(manyFiles(2)), [null, null], "no URL opens a share that is protected");
    const [owners] = await urlsOf(manyFiles(1), server.owner);
    assert.equal(await download(owners), 200);
  });

  test("hides the URLs from a sender whose anonymous shipment has no owner", async () => {
    const shipment = await openShipment(server);
    const send = async (): Promise<readonly Entry[]> => (await postBatch(server, joining(shipment), manyFiles(1))).body.data.files;
    assert.ok((await send())[0]?.url);
    assert.equal((await send())[0]?.url, null);
  });

  test("fills a shipment to its last file, and returns the files of a full one", async () => {
    const shipment = await open();
    await withDatabase(server, (db) =>
      sql`INSERT INTO files (id, short_id, owner_id, quota_owner, name, size_bytes, content_type, blob_key, blob_state, scan_status, created_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9979)
        SELECT id || '-' || i, short_id, owner_id, quota_owner, name, 0, content_type, printf('%032x', i), blob_state, scan_status, created_at
          FROM n, files WHERE id = ${shipment.id}`.execute(db),
    );
    const stored = await send(shipment, manyFiles(40));
    const kept = stored.filter(({ error }) => error === undefined);
    assert.equal(kept.length, 20);
    assert.deepEqual(new Set(stored.flatMap(({ errorCode }) => errorCode ?? [])), new Set(["QUOTA_EXCEEDED"]));
    const again = await send(
      shipment,
      manyFiles(40).filter(({ relativePath }) => kept.some((one) => one.relativePath === relativePath)),
    );
    assert.deepEqual(again.map(({ id }) => id).toSorted(), kept.map(({ id }) => id).toSorted());
  });

  test("refuses a request without a shipment before its first file, with too many or no files, or a malformed one", async () => {
    const shipment = await open();
    const other = await addAccount(server);
    const ended: Upload = await open();
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1000 })
        .where("short_id", "=", ended.shortId)
        .execute(),
    );
    const single = await upload(server, { bytes: "x" }, server.owner);
    const before = await countStoredState(server);
    const refusals: readonly [Record<string, string>, string | undefined, number, string][] = [
      [{}, server.owner.key, 400, "VALIDATION_FAILED"],
      [{ shareShortId: "abc" }, server.owner.key, 400, "VALIDATION_FAILED"],
      [{ shareShortId: "unknown1" }, server.owner.key, 404, "NOT_FOUND"],
      [{ shareShortId: single.shortId }, server.owner.key, 404, "NOT_FOUND"],
      [{ shareShortId: shipment.shortId }, other.key, 404, "NOT_FOUND"],
      [{ shareShortId: shipment.shortId }, undefined, 401, "UNAUTHENTICATED"],
      [{ shareShortId: ended.shortId }, server.owner.key, 409, "SHARE_EXPIRED"],
      [{ shareShortId: shipment.shortId, folderId: crypto.randomUUID() }, server.owner.key, 404, "NOT_FOUND"],
    ];
    for (const [fields, key, status, code] of refusals)
      assertRefused(await postBatch(server, fields, manyFiles(3), key === undefined ? {} : { key }), { status, code });
    const { key } = server.owner;
    assertRefused(await postBatch(server, { shareShortId: shipment.shortId }, [], { key }), { status: 400, code: "NO_FILE" });
    const late = new FormData();
    late.append("file", new File(["x"], "a.txt"));
    late.append("shareShortId", shipment.shortId);
    assertRefused(await call(server, "POST", "/api/files/batch", { key, body: late }), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await call(server, "POST", "/api/files/batch", { key, json: {} }), { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
    assertRefused(await call(server, "POST", "/api/files/batch", { key }), { status: 400, code: "VALIDATION_FAILED" });
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    for (const body of ["junk", "--b\r\n\r\n", "--b\r\nContent-Disposition: form-data; name=shareShortId\r\n\r\nx"])
      assertRefused(await call(server, "POST", "/api/files/batch", { key, headers, body }), { status: 400, code: "VALIDATION_FAILED" });
    assert.deepEqual(await countStoredState(server), before);
  });

  test("refuses the 501st file and a body above 66 MB, and keeps what was stored before", async () => {
    const shipment = await open();
    const { key } = server.owner;
    const fields = { shareShortId: shipment.shortId };
    const many = await postBatch(server, fields, manyFiles(501), { key });
    assertRefused(many, { status: 400, code: "VALIDATION_FAILED" });
    const declared = await sendRaw(server, [
      `POST /api/files/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${66 * MB + 1}\r\n\r\n`,
    ]);
    assert.equal(declared.status, 413);
    const chunk = someBytes(4 * MB - 1000);
    const form = (count: number): SentFile[] => Array.from({ length: count }, (_, n) => ({ relativePath: `${n}.bin`, bytes: chunk }));
    const streamed = await call(server, "POST", "/api/files/batch", {
      key,
      headers: { "Content-Type": "multipart/form-data; boundary=b" },
      body: new ReadableStream({
        start(controller) {
          const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
          controller.enqueue(encode(`--b\r\nContent-Disposition: form-data; name="shareShortId"\r\n\r\n${shipment.shortId}\r\n`));
          for (const [n, { bytes }] of form(17).entries()) {
            controller.enqueue(encode(`--b\r\nContent-Disposition: form-data; name="file"; filename="${n}.bin"\r\n\r\n`));
            controller.enqueue(bytes);
            controller.enqueue(encode("\r\n"));
          }
          controller.enqueue(encode("--b--\r\n"));
          controller.close();
        },
      }),
    });
    assertRefused(streamed, { status: 413, code: "BODY_TOO_LARGE" });
    const whole = await send(shipment, form(16));
    assert.ok(whole.every(({ error }) => error === undefined));
    const all = await filesOf(shipment.shortId);
    assert.equal(new Set(all.map(({ relativePath }) => relativePath)).size, all.length);
    const { sessions, reservedBytes } = await countStoredState(server);
    assert.deepEqual({ sessions, reservedBytes }, { sessions: 0, reservedBytes: 0 });
  });

  test("uses the quota to the byte and to the file", async () => {
    const account = await addAccount(server);
    const shipment = await upload(server, { bytes: "x", fields: { openShare: "true" } }, account);
    const leave = (usedBytes: number) =>
      withDatabase(server, (db) =>
        db.updateTable("quotas").set({ used_bytes: usedBytes }).where("owner", "=", `user:${account.userId}`).execute(),
      );
    await leave(10 * 1024 ** 3 - 250);
    const files = Array.from({ length: 40 }, (_, n) => ({ relativePath: `${n}.bin`, bytes: someBytes(10, n) }));
    const { body } = await postBatch(server, { shareShortId: shipment.shortId }, files, account);
    assert.equal(body.data.files.filter(({ error }) => error === undefined).length, 25);
    const refused = body.data.files.filter(({ error }) => error !== undefined);
    assert.deepEqual(new Set(refused.map(({ errorCode }) => errorCode)), new Set(["QUOTA_EXCEEDED"]));
    const quota = await withDatabase(server, (db) =>
      db.selectFrom("quotas").selectAll().where("owner", "=", `user:${account.userId}`).executeTakeFirstOrThrow(),
    );
    assert.deepEqual([quota.used_bytes, quota.reserved_bytes, quota.file_count], [10 * 1024 ** 3, 0, 26]);
  });
});
