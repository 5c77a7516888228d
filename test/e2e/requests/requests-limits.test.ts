import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount, getMe, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import {
  createFileRequest,
  getByToken,
  getRequest,
  joining,
  openSubmission,
  patchRequest,
  send,
  tokenOf,
} from "../support/shares/requests.ts";
import { manyFiles, postBatch } from "../support/uploads/batches.ts";
import { abort, init, MB, postInit } from "../support/uploads/multipart.ts";

/** requests, "Limits". */
describe("the limits of a request", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(
      startPlainServer({ FILEHOST_LIMITS: JSON.stringify({ tiers: { free: { storageBytes: MB, storageMaxBytes: MB } } }) }),
      { owner: { tier: "pro" } },
    );
  });
  after(() => server[Symbol.asyncDispose]());

  const together = async (count: number, start: (n: number) => Promise<{ readonly status: number }>): Promise<readonly number[]> => {
    const responses = await Promise.all(Array.from({ length: count }, (_, n) => start(n)));
    return responses.map(({ status }) => status).sort();
  };
  const statuses = (accepted: number, refused: number, status: number): number[] => [
    ...Array<number>(accepted).fill(200),
    ...Array<number>(refused).fill(status),
  ];

  test("apply to files that are sent at the same time", async () => {
    const request = await createFileRequest(server, server.owner.key, { maxFiles: 5 });
    const requestToken = tokenOf(request);
    assert.deepEqual(await together(12, () => send(server, { requestToken })), statuses(5, 7, 413));
    assert.equal((await getRequest(server, server.owner.key, request.id)).receivedFiles, 5);
    const refused = await send(server, { requestToken });
    assert.deepEqual([refused.body.limitKind, refused.body.limitFiles], ["REQUEST_FILES", 5]);
    assert.equal((await getByToken(server, requestToken)).state, "usedUp");
    await patchRequest(server, server.owner.key, request.id, { maxFiles: 6 });
    assert.deepEqual(await together(4, () => send(server, { requestToken })), statuses(1, 3, 413));
  });

  test("apply to bytes that are sent at the same time", async () => {
    const request = await createFileRequest(server, server.owner.key, { maxBytes: 45 });
    const requestToken = tokenOf(request);
    assert.deepEqual(await together(10, () => send(server, { requestToken })), statuses(4, 6, 413));
    assert.equal((await getRequest(server, server.owner.key, request.id)).receivedBytes, 40);
    const refused = await send(server, { requestToken });
    assert.deepEqual([refused.body.limitKind, refused.body.limitBytes], ["REQUEST_BYTES", 45]);
    assert.equal((await send(server, { requestToken }, { bytes: "12345" })).status, 200);
  });

  test("apply within a batch: the files that fit are stored", async () => {
    const request = await createFileRequest(server, server.owner.key, { maxFiles: 7 });
    const requestToken = tokenOf(request);
    const submission = await openSubmission(server, requestToken);
    const { body } = await postBatch(server, joining(requestToken, submission), manyFiles(10));
    const refused = body.data.files.filter(({ errorCode }) => errorCode === "QUOTA_EXCEEDED");
    assert.equal(refused.length, 3, JSON.stringify(body));
    assert.equal((await getRequest(server, server.owner.key, request.id)).receivedFiles, 7);
  });

  test("apply to the size of a file", async () => {
    const request = await createFileRequest(server, server.owner.key, { maxFileBytes: 9 });
    const refused = await send(server, { requestToken: tokenOf(request) });
    assertRefused(refused, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.equal(refused.body.limitKind, "FILE_SIZE");
    const sessions = await postInit(server, { fileName: "a", fileSize: 10, requestToken: tokenOf(request) });
    assert.equal(sessions.status, 413);
  });

  test("count an unfinished upload, until it is aborted", async () => {
    const request = await createFileRequest(server, server.owner.key, { maxFiles: 1, maxBytes: 3 * MB });
    const requestToken = tokenOf(request);
    const session = await init(server, { fileSize: 2 * MB, requestToken });
    assert.equal((await send(server, { requestToken })).status, 413);
    await abort(server, session);
    const { receivedFiles, receivedBytes } = await getRequest(server, server.owner.key, request.id);
    assert.deepEqual([receivedFiles, receivedBytes], [0, 0]);
    assert.equal((await send(server, { requestToken })).status, 200);
  });

  test("admit exactly one sender", async () => {
    const request = await createFileRequest(server, server.owner.key, { once: true });
    const requestToken = tokenOf(request);
    const submissions = await Promise.all(Array.from({ length: 5 }, () => openSubmission(server, requestToken)));
    const sent = await together(5, (n) => send(server, joining(requestToken, submissions[n] ?? fail())));
    assert.deepEqual(sent, statuses(1, 4, 409));
    assertRefused(await send(server, { requestToken }), { status: 409, code: "REQUEST_CLOSED" });
    const again = await together(5, (n) => send(server, joining(requestToken, submissions[n] ?? fail()), { name: "more.txt" }));
    assert.deepEqual(again, statuses(1, 4, 409));
    assert.equal((await getRequest(server, server.owner.key, request.id)).submissions.length, 1);
    assert.equal((await getByToken(server, requestToken)).state, "usedUp");
  });

  test("include the quota of the request's account, exactly", async () => {
    const owner = await addAccount(server);
    const request = await createFileRequest(server, owner.key, { maxBytes: MB });
    const requestToken = tokenOf(request);
    const bytes = "x".repeat(300_000);
    assert.deepEqual(await together(6, () => send(server, { requestToken }, { bytes })), statuses(3, 3, 413));
    const refused = await send(server, { requestToken }, { bytes });
    assert.deepEqual([refused.body.limitKind, refused.body.limitBytes], ["REQUEST_BYTES", null]);
    const { usedBytes, reservedBytes } = (await getMe(server, owner.key)).storage;
    assert.deepEqual([usedBytes, reservedBytes], [900_000, 0]);
    const { receivedFiles, receivedBytes } = await getRequest(server, owner.key, request.id);
    assert.deepEqual([receivedFiles, receivedBytes], [3, 900_000]);
    await withDatabase(server, (db) =>
      db.updateTable("quotas").set({ used_bytes: MB }).where("owner", "=", `user:${owner.userId}`).execute(),
    );
    assert.equal((await getByToken(server, requestToken)).state, "full");
  });

  test("do not reduce the owner's own unfinished uploads", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const requestToken = tokenOf(request);
    const submission = await openSubmission(server, requestToken);
    for (let n = 0; n < 20; n += 1) await init(server, { fileSize: 10, ...joining(requestToken, submission) });
    const refused = await postInit(server, { fileName: "a", fileSize: 10, ...joining(requestToken, submission) });
    assertRefused(refused, { status: 429, code: "TOO_MANY_UPLOADS" });
    assert.equal((await postInit(server, { fileName: "a", fileSize: 10 }, { key: server.owner.key })).status, 200);
  });
});

function fail(): never {
  throw new Error("no submission");
}
