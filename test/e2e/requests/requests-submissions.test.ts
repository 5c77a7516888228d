import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { prepareSubmission, resolveUploader } from "../../../src/service/requests/uploader.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { cleanUp, findFile, holdScheduledCleanup, withServerContext } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createFileRequest, getRequest, joining, openSubmission, type Submission, send, tokenOf } from "../support/shares/requests.ts";
import { manyFiles, postBatch } from "../support/uploads/batches.ts";
import { abort, complete, init, MB, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** requests, "Received files" and "Limits". */
describe("a submission to an open request", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const submit = async () => {
    const request = await createFileRequest(server, server.owner.key, { once: true });
    const requestToken = tokenOf(request);
    const submission = await openSubmission(server, requestToken);
    const fields = joining(requestToken, submission);
    const sent = await send(server, fields);
    assert.equal(sent.status, 200);
    return { request, submission, fields, fileId: sent.body.data.id };
  };
  const shareOf = ({ shortId }: Submission) =>
    withDatabase(server, (db) => db.selectFrom("shares").selectAll().where("short_id", "=", shortId).executeTakeFirstOrThrow());
  const expire = ({ shortId }: Submission) =>
    withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1, is_expiry_chosen: 1 })
        .where("short_id", "=", shortId)
        .execute(),
    );
  const receiptOf = ({ shortId, deletionToken = "" }: Submission) =>
    call(server, "GET", `/api/requests/submissions/${shortId}?${new URLSearchParams({ deletionToken })}`);

  test("accepts more files, by every kind of upload, after its owner has deleted all files", async () => {
    const { request, submission, fields, fileId } = await submit();
    const owner = clientOf(server, { key: server.owner.key });
    await owner.call("deleteFile", { fileId });
    assert.equal((await shareOf(submission)).status, "deleted");
    const more = await send(server, fields, { name: "more.txt" });
    assert.equal(more.status, 200, JSON.stringify(more.body));
    await owner.call("deleteFile", { fileId: more.body.data.id });
    const batch = await postBatch(server, fields, manyFiles(2));
    assert.deepEqual(
      batch.body.data.files.map(({ error }) => error),
      [undefined, undefined],
    );
    await owner.call("deleteFile", { fileId: submission.shortId });
    const bytes = someBytes(MB);
    const session = await init(server, { fileSize: bytes.length, partSize: MB, ...fields });
    await complete(server, session, { parts: await sendParts(server, session, bytes) });
    const { submissions, receivedFiles } = await getRequest(server, server.owner.key, request.id);
    assert.deepEqual([submissions.length, submissions[0]?.files.length, receivedFiles], [1, 1, 5]);
    assert.deepEqual(((await receiptOf(submission)).body.data as { files: readonly unknown[] }).files.length, 1);
  });

  test("accepts more files after others have expired, which stay expired", async () => {
    const { request, submission, fields, fileId } = await submit();
    await expire(submission);
    const more = await send(server, fields, { name: "more.txt" });
    assert.equal(more.status, 200, JSON.stringify(more.body));
    assert.equal((await findFile(server, fileId))?.status, "expired");
    const { status, ended_at, expires_at, is_expiry_chosen } = await shareOf(submission);
    assert.deepEqual([status, ended_at, is_expiry_chosen], ["active", null, 0]);
    assert.ok((expires_at ?? 0) > Date.now() + 6 * DAY_MS);
    await expire(submission);
    await cleanUp(server);
    assert.equal((await shareOf(submission)).status, "expired");
    assert.equal((await send(server, fields)).status, 200);
    const { submissions } = await getRequest(server, server.owner.key, request.id);
    assert.equal(submissions[0]?.files.length, 1);
  });

  test("accepts more files after the rows of its files were deleted", async () => {
    const { submission, fields, fileId } = await submit();
    await clientOf(server, { key: server.owner.key }).call("deleteFile", { fileId });
    await cleanUp(server);
    await withDatabase(server, async (db) => {
      await db.updateTable("files").set({ ended_at: 1 }).where("id", "=", fileId).execute();
      await db.updateTable("shares").set({ ended_at: 1 }).where("short_id", "=", submission.shortId).execute();
    });
    await cleanUp(server);
    assert.equal(await findFile(server, fileId), undefined);
    assert.equal((await send(server, fields)).status, 200);
  });

  test("accepts no files after it was taken down", async () => {
    const { submission, fields } = await submit();
    assert.equal((await server.run(["takedown", submission.shortId])).code, 0);
    assertRefused(await send(server, fields), { status: 403, code: "WRONG_TOKEN" });
    assert.equal((await postBatch(server, fields, manyFiles(1))).status, 403);
    assertRefused(await receiptOf(submission), { status: 404, code: "NOT_FOUND" });
    const receipt = `/r/${fields.requestToken}/${submission.shortId}/${submission.deletionToken}`;
    assert.equal((await fetch(server.url + receipt, { headers: { Accept: "text/html" } })).status, 404);
  });

  test("has its receipt below the link of its request, and below a replaced link, but not below the link of another request", async () => {
    const [request, other] = [await createFileRequest(server, server.owner.key), await createFileRequest(server, server.owner.key)];
    const submission = await openSubmission(server, tokenOf(request));
    assert.equal((await send(server, joining(tokenOf(request), submission))).status, 200);
    const pathAt = (token: string) => `/r/${token}/${submission.shortId}/${submission.deletionToken}`;
    const get = async (token: string) => (await fetch(server.url + pathAt(token), { headers: { Accept: "text/html" } })).status;
    const remove = async (token: string) => {
      const response = await fetch(server.url + pathAt(token), { method: "POST", body: new URLSearchParams(), redirect: "manual" });
      return response.status;
    };
    assert.deepEqual([await get(tokenOf(request)), await get(tokenOf(other)), await remove(tokenOf(other))], [200, 404, 404]);
    assert.equal(((await receiptOf(submission)).body.data as { files: readonly unknown[] }).files.length, 1);
    await clientOf(server, { key: server.owner.key }).call("rotateRequest", { id: request.id });
    assert.deepEqual([await get(tokenOf(request)), await remove(tokenOf(request))], [200, 303]);
    assert.deepEqual(((await receiptOf(submission)).body.data as { files: readonly unknown[] }).files, []);
  });
});

/** requests, "Limits" and "Sending files". */
describe("a submission without files", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const submissionsOf = (requestId: string) =>
    withDatabase(server, (db) => db.selectFrom("request_submissions").selectAll().where("request_id", "=", requestId).execute());
  const hasShare = (shortId: string) =>
    withDatabase(
      server,
      async (db) => (await db.selectFrom("shares").select("short_id").where("short_id", "=", shortId).executeTakeFirst()) !== undefined,
    );

  test("is deleted with the upload with which it began, when that upload is aborted", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const session = await init(server, { fileSize: MB, partSize: MB, requestToken: tokenOf(request), senderNote: "Note" });
    const [begun] = await submissionsOf(request.id);
    await abort(server, session);
    assert.deepEqual(await submissionsOf(request.id), []);
    assert.equal(await hasShare(begun?.short_id ?? ""), false);
    const submission = await openSubmission(server, tokenOf(request));
    await abort(server, await init(server, { fileSize: MB, partSize: MB, ...joining(tokenOf(request), submission) }));
    assert.equal((await send(server, joining(tokenOf(request), submission))).status, 200, "one that was opened stays");
  });

  test("is deleted by the cleanup a day after it began, unless it has files", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const [empty, full, emptied] = [
      await openSubmission(server, tokenOf(request)),
      await openSubmission(server, tokenOf(request)),
      await openSubmission(server, tokenOf(request)),
    ];
    for (const one of [full, emptied]) assert.equal((await send(server, joining(tokenOf(request), one))).status, 200);
    const { shortId, deletionToken = "" } = emptied;
    await clientOf(server).call("removeSubmitted", { shortId, deletionToken });
    await cleanUp(server);
    assert.equal((await submissionsOf(request.id)).length, 3);
    const created_at = Date.now() - DAY_MS;
    await withDatabase(server, (db) => db.updateTable("request_submissions").set({ created_at }).execute());
    await cleanUp(server);
    assert.deepEqual((await submissionsOf(request.id)).map(({ short_id }) => short_id).toSorted(), [full.shortId, shortId].toSorted());
    assert.equal((await send(server, joining(tokenOf(request), emptied))).status, 200, "what was removed is replaced");
    assert.deepEqual([await hasShare(empty.shortId), await hasShare(full.shortId)], [false, true]);
    assert.equal((await send(server, joining(tokenOf(request), full))).status, 200);
    await clientOf(server, { key: server.owner.key }).call("deleteRequest", { id: request.id });
    assert.equal(await hasShare(full.shortId), true, "the files stay");
  });

  test("receives nothing from an upload that was in progress when it was deleted", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const submission = await openSubmission(server, tokenOf(request));
    await withServerContext(server, async (ctx) => {
      const uploader = await resolveUploader(
        ctx,
        { actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" }, address: "192.0.2.7" },
        joining(tokenOf(request), submission),
      );
      await clientOf(server, { key: server.owner.key }).call("rotateRequest", { id: request.id });
      assert.deepEqual(await submissionsOf(request.id), []);
      const { actor, submission: target } = uploader;
      assert.ok(target);
      await assert.rejects(
        ctx.transaction((ctx) => prepareSubmission(ctx, actor, target)),
        { code: "WRONG_TOKEN" },
      );
    });
  });

  test("is refused if a request has 1,000 of them, until the oldest is ten minutes old", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const row = { request_id: request.id, sender_name: null, sender_note: null, created_at: Date.now() };
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ ...row, id: `empty-${n}`, short_id: `empty-${n}` }));
    await withDatabase(server, (db) => db.insertInto("request_submissions").values(rows).execute());
    const open = () => call(server, "POST", "/api/requests/submissions", { json: { requestToken: tokenOf(request) } });
    assertRefused(await open(), { status: 429, code: "TOO_MANY_UPLOADS" });
    assert.deepEqual((await getRequest(server, server.owner.key, request.id)).submissions, []);
    assert.equal((await send(server, { requestToken: tokenOf(request) })).status, 200, "one file is still accepted");
    const created_at = Date.now() - 10 * MINUTE_MS;
    await withDatabase(server, (db) => db.updateTable("request_submissions").set({ created_at }).where("id", "=", "empty-7").execute());
    assert.equal((await open()).status, 200);
    assertRefused(await open(), { status: 429, code: "TOO_MANY_UPLOADS" });
    assert.ok((await submissionsOf(request.id)).every(({ short_id }) => short_id !== "empty-7"));
    await clientOf(server, { key: server.owner.key }).call("deleteRequest", { id: request.id });
  });

  test("is replaced by a new one if its sender has removed its files, and is forgotten with the link", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const requestToken = tokenOf(request);
    const open = () => call(server, "POST", "/api/requests/submissions", { json: { requestToken } });
    const sendAndRemove = async (fields: Readonly<Record<string, string>>): Promise<string> => {
      const { id: fileId, shortId, deletionToken = added.deletionToken ?? "" } = (await send(server, fields)).body.data;
      await clientOf(server).call("removeSubmitted", { shortId, fileId, deletionToken });
      return shortId;
    };
    const added = await openSubmission(server, requestToken);
    await sendAndRemove(joining(requestToken, added));
    const removed = await sendAndRemove({ requestToken });
    await withDatabase(server, async (db) => {
      const share = await db.selectFrom("shares").selectAll().where("short_id", "=", removed).executeTakeFirstOrThrow();
      const submission = await db.selectFrom("request_submissions").selectAll().where("short_id", "=", removed).executeTakeFirstOrThrow();
      const file = await db.selectFrom("files").selectAll().where("short_id", "=", removed).executeTakeFirstOrThrow();
      for (let start = 0; start < 998; start += 100) {
        const ids = Array.from({ length: Math.min(100, 998 - start) }, (_, n) => `removed-${start + n}`);
        await db
          .insertInto("shares")
          .values(ids.map((short_id) => ({ ...share, short_id })))
          .execute();
        await db
          .insertInto("request_submissions")
          .values(ids.map((id) => ({ ...submission, id, short_id: id })))
          .execute();
        await db
          .insertInto("files")
          .values(ids.map((id) => ({ ...file, id, blob_key: id, short_id: id, submission_id: id })))
          .execute();
      }
    });
    assert.equal((await open()).status, 200);
    assert.equal((await open()).status, 200);
    await sendAndRemove({ requestToken });
    assert.equal((await submissionsOf(request.id)).length, 1_000);
    assert.equal((await send(server, joining(requestToken, added))).status, 200, "one to which files can be added stays");
    await clientOf(server, { key: server.owner.key }).call("rotateRequest", { id: request.id });
    assert.deepEqual(
      (await submissionsOf(request.id)).map(({ short_id }) => short_id),
      [added.shortId],
    );
    await cleanUp(server);
    await clientOf(server, { key: server.owner.key }).call("deleteRequest", { id: request.id });
  });

  test("remains for the sender who has just removed its files, also if a request has 1,000 others", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const requestToken = tokenOf(request);
    const { id: fileId, shortId, deletionToken = "" } = (await send(server, { requestToken })).body.data;
    const row = { request_id: request.id, sender_name: null, sender_note: null, created_at: Date.now() };
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ ...row, id: `other-${n}`, short_id: `other-${n}` }));
    await withDatabase(server, (db) => db.insertInto("request_submissions").values(rows).execute());
    await clientOf(server).call("removeSubmitted", { shortId, fileId, deletionToken });
    assert.deepEqual((await clientOf(server).call("getSubmission", { shortId, deletionToken })).data.files, []);
    await clientOf(server, { key: server.owner.key }).call("deleteRequest", { id: request.id });
  });

  test("counts for the sender's address, also with a key", async () => {
    const FILEHOST_LIMITS = JSON.stringify({ rates: { shares: 2 } });
    await using limited = await withAccounts(startPlainServer({ FILEHOST_LIMITS }), { owner: {}, sender: {} });
    const json = { requestToken: tokenOf(await createFileRequest(limited, limited.owner.key)) };
    const open = (key: string) => call(limited, "POST", "/api/requests/submissions", { key, json });
    assert.equal((await open(limited.sender.key)).status, 200);
    assert.equal((await open(limited.owner.key)).status, 200);
    assertRefused(await open(limited.sender.key), { status: 429, code: "RATE_LIMITED" });
  });
});
