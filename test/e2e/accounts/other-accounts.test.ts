import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { createKey, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { type ApiResponse, type CallOptions, call, clientOf, getShare, postUpload, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { createImport } from "../support/shares/imports.ts";
import { addWebhook } from "../support/shares/webhooks.ts";
import { complete, init, postAbort, postComplete, postUrls, sendParts, sha256, someBytes } from "../support/uploads/multipart.ts";

/** An API request that names an object, or the response to a request sent in another way. */
type Attempt = (id: string, options: CallOptions) => readonly [method: string, path: string, json?: object] | Promise<ApiResponse>;

/** identifiers, "Identifiers": an object that a caller's key does not own is 404, as if it did not exist. */
describe("objects of another account", () => {
  let server: ServerWith<"owner" | "other">;
  let file: Upload;
  before(async () => {
    server = await withAccounts(startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8", FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" }), {
      owner: {},
      other: {},
    });
    file = await upload(
      server,
      { bytes: "hello", name: "private-name.txt", fields: { runId: "run-of-the-owner" } },
      { key: server.owner.key },
    );
  });
  after(() => server[Symbol.asyncDispose]());

  /** Asserts that another account gets the same response for an existing object as for an unknown one, except for the names in the request. */
  async function assertUnknown(real: string, unknown: string, asks: readonly Attempt[]): Promise<void> {
    for (const ask of asks) {
      const send = async (id: string): Promise<ApiResponse> => {
        const options = { key: server.other.key };
        const asked = ask(id, options);
        if (asked instanceof Promise) return await asked;
        const [method, path, json] = asked;
        return await call(server, method, `/api${path}`, { ...options, ...(json && { json }) });
      };
      const [existing, missing] = [await send(real), await send(unknown)];
      assert.ok([403, 404].includes(existing.status), `${existing.status} ${JSON.stringify(existing.body)}`);
      assert.equal(existing.status, missing.status, JSON.stringify(missing.body));
      assert.deepEqual({ ...existing.body, requestId: undefined }, { ...missing.body, requestId: undefined });
      assert.doesNotMatch(JSON.stringify(existing.body), /private-name|A person|@example/);
    }
  }
  const NO_FILE = "aaaaaaaaaaaaaaaa";
  const NO_SHARE = "aaaaaaaa";
  const NO_ID = "019a0000-0000-7000-8000-000000000000";

  test("a file is hidden from settings, deletion, events and lineage", async () => {
    const { id, shortId } = file;
    const mine = await upload(server, { bytes: "x" }, { key: server.other.key });
    await assertUnknown(id, NO_FILE, [
      (fileId) => ["PATCH", "/files/share-settings", { fileId, protect: true }],
      (id) => ["DELETE", `/files/delete?fileId=${id}`],
      (id) => ["DELETE", `/files/delete?fileId=${id}&force=true`],
      (id) => ["DELETE", `/files/delete?fileId=${id}&token=del_anything`],
      (id) => ["GET", `/files/${id}/download-events`],
      (parent) => ["PATCH", "/files/share-settings", { fileId: mine.id, upstreamFileIds: [parent] }],
      (parent) => ["POST", "/files/upload-delegations", { name: "a", upstreamFileIds: [parent] }],
    ]);
    await assertUnknown(shortId, NO_SHARE, [
      (shortId) => ["PATCH", "/files/share-settings", { shortId, protect: true }],
      (shortId) => ["POST", `/shares/${shortId}/close`, {}],
      (shortId) => ["GET", `/shares/${shortId}/downloads`],
    ]);
    assert.equal((await getShare(server, shortId)).unlockRequired, false);
  });

  test("files and folders are absent from lists and runs", async () => {
    for (const path of ["/files/list", "/files/list?runId=run-of-the-owner", "/files/run/run-of-the-owner", "/folders/list", "/shares"]) {
      const { status, body } = await call(server, "GET", `/api${path}`, { key: server.other.key });
      assert.equal(status, 200);
      assert.doesNotMatch(JSON.stringify(body), new RegExp(`private-name|${file.id}`));
    }
  });

  test("a folder is hidden from uploads, moves, lists, renames and deletion", async () => {
    const folder = (await clientOf(server, server.owner).call("createFolder", { name: "private-name" })).data.id;
    const mine = await clientOf(server, { key: server.other.key }).call("createFolder", { name: "mine" });
    const session = await init(server, { fileSize: 4 }, { key: server.other.key });
    await sendParts(server, session, someBytes(4), { key: server.other.key });
    await assertUnknown(folder, NO_ID, [
      (folderId, options) => postUpload(server, { bytes: "x", fields: { folderId } }, options),
      (folderId) => ["POST", "/files/multipart/init", { fileName: "a", fileSize: 1, folderId }],
      (folderId) => ["POST", "/files/upload-delegations", { name: "a", folderId }],
      (parentId) => ["POST", "/folders", { name: "x", parentId }],
      (id) => ["PATCH", `/folders/${id}`, { name: "mine" }],
      (id) => ["DELETE", `/folders/${id}`],
      (parentId) => ["PATCH", `/folders/${mine.data.id}`, { parentId }],
      (folderId, options) => postComplete(server, session, { folderId }, options),
    ]);
    const [existing, missing] = await Promise.all(
      [folder, NO_ID].map((id) => call(server, "GET", `/api/files/list?folderId=${id}`, { key: server.other.key })),
    );
    assert.equal(existing?.status, missing?.status);
    assert.deepEqual(existing?.body, missing?.body);
  });

  test("an upload in parts is hidden, even from a caller who knows its uploadId", async () => {
    const session = await init(server, { fileSize: 4 }, { key: server.owner.key });
    const other = "A".repeat(43);
    const of = (uploadId: string) => ({ uploadId, key: session.key });
    for (const key of [server.other.key, undefined]) {
      const options = key === undefined ? {} : { key };
      for (const ask of [
        (id: string) => postUrls(server, of(id), { 1: sha256("x") }, options),
        (id: string) => postComplete(server, of(id), {}, options),
        (id: string) => postAbort(server, of(id), options),
        (id: string) => call(server, "GET", `/api/files/multipart/${id}`, options),
      ]) {
        const [existing, missing] = [await ask(session.uploadId), await ask(other)];
        assert.equal(existing.status, 404, JSON.stringify(existing.body));
        assert.deepEqual(existing.body, missing.body);
      }
    }
    await sendParts(server, session, someBytes(4), { key: server.owner.key });
    await complete(server, session, {}, { key: server.owner.key });
  });

  test("an import job is hidden", async () => {
    await using origin = await startOrigin({ "/private-name.bin": sendFile({ bytes: someBytes(100) }) });
    const { jobId: job } = await createImport(server, { url: `${origin.url}/private-name.bin` }, server.owner.key);
    await assertUnknown(job, NO_ID, [
      (id) => ["GET", `/files/remote-multipart/${id}`],
      (id) => ["GET", `/files/remote-multipart/${id}?secret=job_wrong`],
      (id) => ["GET", `/files/remote-multipart/${id}/events`],
      (id) => ["DELETE", `/files/remote-multipart/${id}`],
    ]);
    assert.equal((await call(server, "GET", `/api/files/remote-multipart/${job}`)).status, 404);
  });

  test("a shipment is hidden from uploads, delegations and link protection", async () => {
    const shipment = await upload(server, { bytes: "x", fields: { openShare: "true" } }, { key: server.owner.key });
    await assertUnknown(shipment.shortId, NO_SHARE, [
      (shareShortId, options) => postUpload(server, { bytes: "x", fields: { shareShortId } }, options),
      (shareShortId) => ["POST", "/files/upload-delegations", { name: "a", shareShortId }],
    ]);
    await assertUnknown(shipment.id, NO_FILE, [
      (fileId) => ["PATCH", "/files/link-protection", { fileId, claimToken: "claim_anything", protect: true }],
    ]);
  });

  test("a webhook and its deliveries are hidden", async () => {
    const { id: hook } = await addWebhook(server, server.owner.key, { url: "https://127.0.0.1:9/private-name" });
    await assertUnknown(hook, NO_ID, [
      (id) => ["PATCH", `/webhooks/${id}`, { events: ["file.failed"] }],
      (id) => ["POST", `/webhooks/${id}/rotate`, {}],
      (id) => ["POST", `/webhooks/${id}/test`, {}],
      (id) => ["GET", `/webhooks/${id}/deliveries`],
      (id) => ["POST", `/webhooks/${id}/deliveries/${NO_ID}/retry`, {}],
      (id) => ["DELETE", `/webhooks/${id}`],
    ]);
    const body = await clientOf(server, { key: server.other.key }).call("listWebhooks", {});
    assert.doesNotMatch(JSON.stringify(body), /private-name/);
  });

  test("a key is hidden", async () => {
    const { id } = await createKey(server, server.owner.key, { label: "private-name" });
    await assertUnknown(id, NO_ID, [(id) => ["DELETE", `/keys/${id}`], (id) => ["POST", `/keys/${id}/rotate`, {}]]);
    const list = await clientOf(server, { key: server.other.key }).call("listKeys", {});
    assert.doesNotMatch(JSON.stringify(list), /private-name/);
  });

  test("each route for objects of an account requires a key", async () => {
    const asked: readonly [string, string, object?][] = [
      ["PATCH", "/files/share-settings", { fileId: file.id, protect: true }],
      ["POST", "/files/claim", { fileId: file.id, claimToken: "claim_anything" }],
      ["GET", "/files/list"],
      ["GET", "/files/run/run-of-the-owner"],
      ["GET", `/files/${file.id}/download-events`],
      ["POST", "/folders", { name: "x" }],
      ["GET", "/folders/list"],
      ["POST", "/files/upload-delegations", {}],
      ["GET", "/me"],
      ["GET", "/keys"],
      ["GET", "/webhooks"],
      ["DELETE", `/files/delete?fileId=${file.id}`],
    ];
    for (const [method, path, json] of asked) {
      const { status, body } = await call(server, method, `/api${path}`, json ? { json } : {});
      assert.equal(status, 401, `${method} ${path}: ${JSON.stringify(body)}`);
    }
  });
});
