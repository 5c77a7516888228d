import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { hashToken } from "../../../src/lib/secrets/secrets.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { addAccount, getMe, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withServerContext } from "../support/servers/server-context.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import {
  createFileRequest,
  getByToken,
  getRequest,
  joining,
  openSubmission,
  patchRequest,
  type RequestView,
  send,
  tokenOf,
} from "../support/shares/requests.ts";
import { manyFiles, postBatch } from "../support/uploads/batches.ts";
import { complete, init, MB, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** requests, "Requests", "The link", "States", "Sending files", "The sender's receipt" and "Received files". */
describe("a request", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {}, other: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  test("is created with the default limits, and its link can be read again", async () => {
    const { key } = server.owner;
    const request = await createFileRequest(server, key);
    const { maxFiles, maxBytes, maxFileBytes, state, once, receivedFiles } = request;
    assert.deepEqual(
      { maxFiles, maxBytes, maxFileBytes, state, once, receivedFiles },
      { maxFiles: 100, maxBytes: 1024 ** 3, maxFileBytes: null, state: "open", once: false, receivedFiles: 0 },
    );
    assert.equal(Date.parse(request.expiresAt) - Date.parse(request.createdAt), 30 * DAY_MS);
    assert.match(request.requestUrl, /\/r\/[1-9A-HJ-NP-Za-km-z]{12}$/);
    const listed = await clientOf(server, { key }).call("listRequests", {});
    assert.deepEqual(
      listed.data.find(({ id }) => id === request.id),
      request,
    );
    const { counts } = listed;
    await clientOf(server, { key }).call("updateRequest", { id: request.id, closed: true });
    const ended = await clientOf(server, { key }).call("listRequests", { state: "ended" });
    assert.deepEqual(ended.counts, { open: counts.open - 1, ended: counts.ended + 1 });
    assert.ok(ended.data.some(({ id }) => id === request.id));
    const open = await clientOf(server, { key }).call("listRequests", { state: "open" });
    assert.equal(open.pagination.total, counts.open - 1);
    assert.ok(open.data.every(({ id }) => id !== request.id));
    const row = await withDatabase(server, (db) => db.selectFrom("requests").selectAll().where("id", "=", request.id).executeTakeFirst());
    assert.doesNotMatch(JSON.stringify(row), new RegExp(tokenOf(request)));
  });

  test("has a link of 12 characters, which is a token with and without its prefix, and keeps the longer links of earlier versions", async () => {
    const { key } = server.owner;
    const request = await createFileRequest(server, key);
    const part = tokenOf(request);
    const old = `rq_${"aB3-".repeat(10)}abc`;
    const titleOf = async (requestToken: string) => (await getByToken(server, requestToken)).title;
    for (const token of [part, `rq_${part}`]) {
      assert.equal(await titleOf(token), request.title);
      assert.equal((await fetch(`${server.url}/r/${token}`)).status, 200);
      assert.equal((await send(server, { requestToken: token })).status, 200);
    }
    assertRefused(await send(server, { requestToken: old }), { status: 404, code: "NOT_FOUND" });
    await withServerContext(server, async ({ db, keyring }) => {
      const columns = { token_hash: hashToken(old), token: keyring.encrypt(old) };
      await db.updateTable("requests").set(columns).where("id", "=", request.id).execute();
    });
    assert.ok((await getRequest(server, key, request.id)).requestUrl.endsWith(`/r/${old}`));
    assert.equal(await titleOf(old), request.title);
    assert.equal((await send(server, { requestToken: old })).status, 200);
    assertRefused(await send(server, { requestToken: part }), { status: 404, code: "NOT_FOUND" });
    const rotated = (await clientOf(server, { key }).call("rotateRequest", { id: request.id })).data;
    assert.match(tokenOf(rotated), /^\w{12}$/);
    assertRefused(await send(server, { requestToken: old }), { status: 404, code: "NOT_FOUND" });
  });

  test("puts files into a new folder with its title, into another folder, or into none", async () => {
    const { key } = server.owner;
    const client = clientOf(server, { key });
    const foldersOf = async (name: string) => (await client.call("listFolders", { search: name })).data;
    const received = async (request: RequestView) => {
      const { body } = await send(server, { requestToken: tokenOf(request) });
      const { submissions } = await getRequest(server, key, request.id);
      return submissions.flatMap(({ files }) => files).find(({ id }) => id === body.data.id)?.folderId;
    };
    for (const title of ["Holiday in Rome", ".."]) {
      const own = await createFileRequest(server, key, { title });
      const folder = (await foldersOf(title)).find(({ id }) => id === own.folderId);
      assert.deepEqual([folder?.parent_id, folder?.name], [null, title === ".." ? ".. folder" : title]);
      assert.equal(await received(own), own.folderId);
      const again = await createFileRequest(server, key, { title });
      assert.notEqual(again.folderId, own.folderId);
      const none = await createFileRequest(server, key, { title, folderId: null });
      assert.deepEqual([none.folderId, await received(none)], [null, null]);
      assert.equal((await foldersOf(title)).length, 2);
      const other = await createFileRequest(server, key, { title: "Another", folderId: own.folderId });
      assert.equal(await received(other), own.folderId);
      assert.equal((await foldersOf("Another")).length, 0);
      await client.call("deleteRequest", { id: own.id });
      assert.ok((await foldersOf(title)).some(({ id }) => id === own.folderId));
    }
  });

  test("has a form whose number of days may be anything", async () => {
    const person = { email: "days@example.org", password: "correct horse battery", name: "Ada" };
    const { sessionToken } = (await clientOf(server).call("signUp", person)).data;
    const site = `http://localhost:${new URL(server.url).port}`;
    const make = (days: string) =>
      fetch(`${site}/requests`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie: `session=${sessionToken}`, origin: site, "sec-fetch-site": "same-origin", accept: "text/html" },
        body: new URLSearchParams({ title: "Photos", days }),
      });
    for (const days of ["1e999", "1e12", "366"]) assert.equal((await make(days)).status, 400, days);
    assert.equal((await make("-3")).status, 303);
  });

  test("has a page whose form ignores the fields of other shares and requests", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const site = `http://localhost:${new URL(server.url).port}`;
    const opened = await openSubmission(server, tokenOf(request));
    const form = new FormData();
    for (const [name, value] of Object.entries({ requestToken: "rq_other", shareShortId: opened.shortId, shareToken: opened.shareToken }))
      form.append(name, value);
    form.append("file", new Blob(["x"]), "x.txt");
    const response = await fetch(`${site}/r/${tokenOf(request)}`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: site },
      body: form,
    });
    assert.equal(response.status, 303);
    assert.equal((await fetch(new URL(response.headers.get("location") ?? "", site))).status, 200);
  });

  test("has a page with the files of a sender in the order of their names", async () => {
    const person = { email: "order@example.org", password: "correct horse battery", name: "Ada" };
    const { sessionToken } = (await clientOf(server).call("signUp", person)).data;
    const request = await createFileRequest(server, sessionToken);
    const fields = joining(tokenOf(request), await openSubmission(server, tokenOf(request)));
    for (const name of ["IMG_10.jpg", "IMG_2.jpg", "IMG_1.jpg"]) assert.equal((await send(server, fields, { name })).status, 200);
    const site = `http://localhost:${new URL(server.url).port}`;
    const response = await fetch(`${site}/requests/${request.id}`, { headers: { cookie: `session=${sessionToken}` } });
    const names = [...(await response.text()).matchAll(/IMG_(\d+)<\/bdi>/g)].map(([, number]) => number);
    assert.deepEqual(names, ["1", "2", "10"]);
  });

  test("keeps limits that its form rounds and leaves unchanged, and reads sizes as people type them", async () => {
    const person = { email: "form@example.org", password: "correct horse battery", name: "Ada" };
    const { sessionToken } = (await clientOf(server).call("signUp", person)).data;
    const client = clientOf(server, { key: sessionToken });
    const folderId = (await client.call("createFolder", { name: "Old" })).data.id;
    const { id } = (await client.call("createRequest", { title: "Photos", folderId, maxBytes: 1_400_000, maxFileBytes: 500_000 })).data;
    const site = `http://localhost:${new URL(server.url).port}`;
    const save = (fields: Record<string, string>) =>
      fetch(`${site}/requests/${id}`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie: `session=${sessionToken}`, origin: site, "sec-fetch-site": "same-origin" },
        body: new URLSearchParams({
          title: "Pictures",
          folderId,
          maxFiles: "100",
          maxBytes: "1.3\u00a0MB",
          maxFileBytes: "488 KB",
          ...fields,
        }),
      });
    assert.equal((await save({})).status, 303);
    const left = (await client.call("getRequest", { id })).data;
    assert.deepEqual([left.title, left.folderId, left.maxBytes, left.maxFileBytes], ["Pictures", folderId, 1_400_000, 500_000]);
    assert.equal((await save({ maxBytes: "much" })).status, 400);
    assert.equal((await save({ maxBytes: "3", maxFileBytes: "" })).status, 303);
    const changed = (await client.call("getRequest", { id })).data;
    assert.deepEqual([changed.maxBytes, changed.maxFileBytes], [3 * MB, null]);
    assert.equal((await save({ maxBytes: "1,5 Go", maxFileBytes: "20mb" })).status, 303);
    const typed = (await client.call("getRequest", { id })).data;
    assert.deepEqual([typed.maxBytes, typed.maxFileBytes], [1.5 * 1024 * MB, 20 * MB]);
  });

  test("receives one file, which belongs to its owner", async () => {
    const { key } = server.owner;
    const { data: folder } = await clientOf(server, { key }).call("createFolder", { name: "In" });
    const request = await createFileRequest(server, key, { folderId: folder.id });
    const before = (await getMe(server, key)).storage.usedBytes;
    const sent = await send(server, { requestToken: tokenOf(request), senderName: "Ada", senderNote: "For you." });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    const { id, deletionToken, claimToken, url, shareUrl, isAnonymous } = sent.body.data;
    assert.match(deletionToken ?? "", /^del_/);
    assert.deepEqual({ claimToken, url, isAnonymous }, { claimToken: undefined, url: shareUrl, isAnonymous: false });
    assert.equal((await getMe(server, key)).storage.usedBytes, before + 10);
    const { submissions, receivedFiles, receivedBytes } = await getRequest(server, key, request.id);
    assert.deepEqual({ receivedFiles, receivedBytes }, { receivedFiles: 1, receivedBytes: 10 });
    const [submission] = submissions;
    assert.deepEqual([submission?.senderName, submission?.senderNote], ["Ada", "For you."]);
    const [file] = submission?.files ?? [];
    assert.deepEqual([file?.id, file?.folderId, file?.visibility, file?.requestId], [id, folder.id, "private", request.id]);
    const bytes = await fetch(file?.url ?? "");
    assert.equal(await bytes.text(), "some bytes");
  });

  test("receives many files, and large ones in parts, in one submission", async () => {
    const { key } = server.owner;
    const request = await createFileRequest(server, key);
    const requestToken = tokenOf(request);
    const submission = await openSubmission(server, requestToken, { senderName: "Ada" });
    const fields = joining(requestToken, submission);
    const batch = await postBatch(server, fields, manyFiles(40));
    assert.deepEqual(
      batch.body.data.files.filter(({ error }) => error !== undefined),
      [],
      JSON.stringify(batch.body).slice(0, 500),
    );
    const again = await postBatch(server, fields, manyFiles(40));
    assert.equal(again.body.data.files[0]?.id, batch.body.data.files[0]?.id);
    const bytes = someBytes(2 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: MB, ...fields, relativePath: "a/b.bin" });
    const parts = await sendParts(server, session, bytes);
    const file = await complete(server, session, { parts, ttl: "1h", title: "Mine", visibility: "public" });
    assert.equal(file.shortId, submission.shortId);
    const { receivedFiles, receivedBytes, submissions } = await getRequest(server, key, request.id);
    assert.equal(receivedFiles, 41);
    assert.equal(submissions.length, 1);
    assert.equal(
      receivedBytes,
      submissions[0]?.files.reduce((sum, { size }) => sum + size, 0),
    );
    const row = await withDatabase(server, (db) =>
      db.selectFrom("shares").selectAll().where("short_id", "=", submission.shortId).executeTakeFirstOrThrow(),
    );
    assert.deepEqual([row.title, row.visibility, row.is_private, row.owner_id], [null, "unlisted", 1, server.owner.userId]);
  });

  test("receives a file in parts while its folder is deleted or changed", async () => {
    const { key } = server.owner;
    const client = clientOf(server, { key });
    const newFolder = async () => (await client.call("createFolder", { name: crypto.randomUUID() })).data.id;
    const request = await createFileRequest(server, key, { folderId: await newFolder() });
    const bytes = someBytes(MB);
    const begin = async () => {
      const session = await init(server, { fileSize: bytes.length, partSize: MB, requestToken: tokenOf(request) });
      return { session, parts: await sendParts(server, session, bytes) };
    };
    const folderOf = async (id: string) =>
      (await getRequest(server, key, request.id)).submissions.flatMap(({ files }) => files).find((file) => file.id === id)?.folderId;
    const [changed, deleted] = [await begin(), await begin()];
    const folderId = await newFolder();
    await patchRequest(server, key, request.id, { folderId });
    assert.equal(await folderOf((await complete(server, changed.session, { parts: changed.parts })).id), folderId);
    const toDelete = await newFolder();
    await patchRequest(server, key, request.id, { folderId: toDelete });
    await client.call("deleteFolder", { id: toDelete });
    assert.equal(await folderOf((await complete(server, deleted.session, { parts: deleted.parts })).id), null);
  });

  test("receives a file by PUT, of unknown size", async () => {
    const request = await createFileRequest(server, server.owner.key, { maxBytes: 2 * MB });
    const put = async (bytes: number): Promise<unknown> => {
      const body = new Blob([someBytes(bytes)]).stream();
      const url = `${server.url}/big.bin?requestToken=${tokenOf(request)}&senderName=Ada`;
      const response = await fetch(url, { method: "PUT", body, headers: { Accept: "application/json" } });
      const { limitKind } = (await response.json()) as { limitKind?: string };
      return response.status === 413 ? limitKind : response.status;
    };
    assert.equal(await put(MB), 200);
    assert.equal((await getRequest(server, server.owner.key, request.id)).receivedBytes, MB);
    assert.equal(await put(1.5 * MB), "REQUEST_BYTES");
    await patchRequest(server, server.owner.key, request.id, { maxFileBytes: MB });
    assert.equal(await put(1.5 * MB), "FILE_SIZE");
    assert.equal(await put(MB), 200);
    const { receivedBytes, receivedFiles, state } = await getRequest(server, server.owner.key, request.id);
    assert.deepEqual({ receivedBytes, receivedFiles, state }, { receivedBytes: 2 * MB, receivedFiles: 2, state: "usedUp" });
  });

  test("allows a sender to choose only the path", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const requestToken = tokenOf(request);
    const foreign = { folderId: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e", ttl: "1h", title: "Mine", visibility: "public", runId: "r" };
    const before = await countStoredState(server);
    for (const [name, value] of Object.entries({ ...foreign, openShare: "true", protect: "true", direct: "true" })) {
      const refused = await send(server, { requestToken, [name]: value });
      assertRefused(refused, { status: 400, code: "VALIDATION_FAILED" });
    }
    assertRefused(await send(server, { senderName: "Ada" }), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await call(server, "POST", "/api/shares", { json: { requestToken } }), { status: 400, code: "VALIDATION_FAILED" });
    assert.deepEqual(await countStoredState(server), before);
  });

  test("adds files only to the submission of the token", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const requestToken = tokenOf(request);
    const mine = await openSubmission(server, requestToken);
    const theirs = await openSubmission(server, requestToken);
    const other = await openSubmission(server, tokenOf(await createFileRequest(server, server.other.key)));
    const own = await clientOf(server, { key: server.owner.key }).call("createShare", { title: "Mine" });
    const wrong: readonly (readonly [string, string])[] = [
      [theirs.shortId, mine.shareToken],
      [other.shortId, other.shareToken],
      [own.data.shortId, own.data.shareToken],
      [own.data.shortId, mine.shareToken],
      ["unknown1", mine.shareToken],
    ];
    for (const [shareShortId, shareToken] of wrong) {
      assertRefused(await send(server, { requestToken, shareShortId, shareToken }), { status: 403, code: "WRONG_TOKEN" });
      const batch = await postBatch(server, { requestToken, shareShortId, shareToken }, manyFiles(1));
      assert.equal(batch.status, 403);
    }
    // Without the request's token, the share's is not enough.
    const { shortId: shareShortId, shareToken } = mine;
    assertRefused(await send(server, { shareShortId, shareToken }), { status: 403, code: "WRONG_TOKEN" });
    assert.equal((await postBatch(server, { shareShortId, shareToken }, manyFiles(1))).status, 403);
  });

  test("shows the name of the account, its message and the remaining limits", async () => {
    const request = await createFileRequest(server, server.owner.key, {
      message: "All of them.",
      maxFiles: 3,
      maxFileBytes: 100,
      maxBytes: 1000,
    });
    await send(server, { requestToken: tokenOf(request) });
    assert.deepEqual(await getByToken(server, tokenOf(request)), {
      from: "A person",
      title: "Photos of the party",
      message: "All of them.",
      state: "open",
      encryptTo: null,
      unlockRequired: false,
      once: false,
      leftFiles: 2,
      leftBytes: 990,
      maxFileBytes: 100,
      expiresAt: request.expiresAt,
    });
  });

  test("shows a sender the names of their files", async () => {
    const client = clientOf(server, { key: server.owner.key });
    const requestToken = tokenOf(await createFileRequest(server, server.owner.key));
    const submission = await openSubmission(server, requestToken);
    const { body } = await send(server, { ...joining(requestToken, submission), relativePath: "a/note.txt" });
    for (const name of ["Boring.txt", "Worse.txt"]) await client.call("changeFile", { fileId: body.data.id, name });
    const { shortId, deletionToken } = submission;
    const { files } = (await clientOf(server).call("getSubmission", { shortId, deletionToken })).data;
    assert.deepEqual([files[0]?.name, files[0]?.relativePath], ["note.txt", "a/note.txt"]);
  });

  test("hides from a sender the folders in which their file is shared", async () => {
    const client = clientOf(server, { key: server.owner.key });
    const requestToken = tokenOf(await createFileRequest(server, server.owner.key));
    const submission = await openSubmission(server, requestToken);
    const { body } = await send(server, { ...joining(requestToken, submission), relativePath: "a/cv.pdf" }, { name: "cv.pdf" });
    const other = (await send(server, joining(requestToken, submission), { name: "other.txt" })).body.data.id;
    const fileId = body.data.id;
    const folderId = (await client.call("createFolder", { name: "Rejected" })).data.id;
    await client.call("changeFile", { fileId, name: "Ada.pdf", folderId });
    const first = (await client.call("shareFiles", { folderIds: [folderId], fileIds: [other] })).data;
    const sharedPath = async (shortId: string) =>
      (await clientOf(server).call("getShare", { shortId })).data.files?.find(({ id }) => id === fileId)?.relativePath;
    assert.equal(await sharedPath(first.shortId), "Rejected/Ada.pdf");
    const { shortId, deletionToken } = submission;
    const sent = (await clientOf(server).call("getSubmission", { shortId, deletionToken })).data.files[0];
    assert.deepEqual([sent?.name, sent?.relativePath], ["cv.pdf", "a/cv.pdf"]);
    // Nor does another share show them, for which the file was chosen itself.
    const second = (await client.call("shareFiles", { fileIds: [fileId, other], move: true })).data;
    assert.equal(await sharedPath(second.shortId), "a/Ada.pdf");
  });

  test("does not disclose the remaining limits of its account", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const [max_bytes, max_files] = [10 ** 15, 10 ** 9];
    await withDatabase(server, (db) => db.updateTable("requests").set({ max_bytes, max_files }).where("id", "=", request.id).execute());
    const { leftBytes, leftFiles } = await getByToken(server, tokenOf(request));
    assert.deepEqual({ leftBytes, leftFiles }, { leftBytes: max_bytes, leftFiles: max_files });
  });

  test("is closed, reopened, rotated and deleted", async () => {
    const { key } = server.owner;
    const request = await createFileRequest(server, key);
    const requestToken = tokenOf(request);
    assert.equal((await send(server, { requestToken })).status, 200);
    await patchRequest(server, key, request.id, { closed: true });
    assert.equal((await getByToken(server, requestToken)).state, "closed");
    assertRefused(await send(server, { requestToken }), { status: 409, code: "REQUEST_CLOSED" });
    const refused = await call(server, "POST", "/api/requests/submissions", { json: { requestToken } });
    assertRefused(refused, { status: 409, code: "REQUEST_CLOSED" });
    await patchRequest(server, key, request.id, { closed: false });
    const submission = await openSubmission(server, requestToken);
    assert.equal((await send(server, joining(requestToken, submission))).status, 200);
    const rotated = (await clientOf(server, { key }).call("rotateRequest", { id: request.id })).data;
    assert.notEqual(rotated.requestUrl, request.requestUrl);
    for (const fields of [{ requestToken }, joining(requestToken, submission)])
      assertRefused(await send(server, fields), { status: 404, code: "NOT_FOUND" });
    assert.equal((await send(server, joining(tokenOf(rotated), submission))).status, 200);
    const { files } = await clientOf(server, { key })
      .call("deleteRequest", { id: request.id })
      .then(() => listAll(key));
    assertRefused(await send(server, { requestToken: tokenOf(rotated) }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "GET", `/api/requests/${request.id}`, { key }), { status: 404, code: "NOT_FOUND" });
    assert.equal(files.filter(({ requestId }) => requestId === request.id).length, 3);
  });

  const listAll = async (key: string) => {
    const response = await clientOf(server, { key }).call("listFiles", { limit: 200 });
    assert.ok("pagination" in response);
    return response.data;
  };

  test("expires", async () => {
    const request = await createFileRequest(server, server.owner.key);
    await withDatabase(server, (db) =>
      db
        .updateTable("requests")
        .set({ expires_at: Date.now() - 1 })
        .where("id", "=", request.id)
        .execute(),
    );
    assert.equal((await getByToken(server, tokenOf(request))).state, "expired");
    assertRefused(await send(server, { requestToken: tokenOf(request) }), { status: 409, code: "REQUEST_CLOSED" });
    const later = new Date(Date.now() + DAY_MS).toISOString();
    const reopened = await patchRequest(server, server.owner.key, request.id, { expiresAt: later });
    assert.equal(reopened.status, 200);
    assert.equal((await send(server, { requestToken: tokenOf(request) })).status, 200);
  });

  test("refuses limits above those of the account", async () => {
    const { key } = server.owner;
    const tooLate = new Date(Date.now() + 366 * DAY_MS).toISOString();
    const wrong = [
      { maxFiles: 10_001 },
      { maxFileBytes: 6 * 1024 ** 3 },
      { maxBytes: 11 * 1024 ** 3 },
      { expiresAt: tooLate },
      { expiresAt: "2020-01-01T00:00:00Z" },
      { title: "  " },
      { title: "\u202e\u0007" },
    ];
    for (const json of wrong) {
      const refused = await call(server, "POST", "/api/requests", { key, json: { title: "Photos", ...json } });
      assertRefused(refused, { status: 400, code: "VALIDATION_FAILED" });
    }
    const folderId = (await clientOf(server, { key: server.other.key }).call("createFolder", { name: "Theirs" })).data.id;
    assertRefused(await call(server, "POST", "/api/requests", { key, json: { title: "Photos", folderId } }), {
      status: 404,
      code: "NOT_FOUND",
    });
  });

  test("shows and accepts nothing without its code, if it has one", async () => {
    const { key } = server.owner;
    const request = await createFileRequest(server, key, { protect: true });
    assert.match(request.unlockCode ?? "", /^[2-9A-Z]{6}$/);
    const requestToken = tokenOf(request);
    const shown = await getByToken(server, requestToken);
    assert.deepEqual([shown.unlockRequired, shown.from, shown.title], [true, null, null]);
    assertRefused(await send(server, { requestToken }), { status: 403, code: "UNLOCK_REQUIRED" });
    const open = (json: object) => call(server, "POST", "/api/requests/submissions", { json: { requestToken, ...json } });
    assertRefused(await open({}), { status: 403, code: "UNLOCK_REQUIRED" });
    assertRefused(await open({ unlockCode: "AAAAAA" }), { status: 403, code: "UNLOCK_INVALID" });
    const { unlockToken } = (await clientOf(server).call("unlockRequest", { requestToken, unlockCode: request.unlockCode ?? "" })).data;
    const unlocked = (await clientOf(server).call("getRequestByToken", { requestToken, unlockToken })).data;
    assert.deepEqual([unlocked.from, unlocked.title], ["A person", "Photos of the party"]);
    const submission = await openSubmission(server, requestToken, { unlockToken });
    assert.equal((await send(server, joining(requestToken, submission))).status, 200);
    await patchRequest(server, key, request.id, { protect: true });
    assertRefused(await open({ unlockToken }), { status: 403, code: "UNLOCK_INVALID" });
  });

  test("names an account that shows its name before the code, until it is closed", async () => {
    const { key } = await addAccount(server);
    await clientOf(server, { key }).call("updateMe", { showName: true });
    const request = await createFileRequest(server, key, { protect: true });
    const requestToken = tokenOf(request);
    const shown = async () => {
      const { from, title, state } = await getByToken(server, requestToken);
      return [from, title, state];
    };
    assert.deepEqual(await shown(), ["A person", null, "open"]);
    const { unlockToken } = (await clientOf(server).call("unlockRequest", { requestToken, unlockCode: request.unlockCode ?? "" })).data;
    await patchRequest(server, key, request.id, { closed: true });
    assert.deepEqual(await shown(), [null, null, "closed"]);
    assert.equal((await clientOf(server).call("getRequestByToken", { requestToken, unlockToken })).data.from, "A person");
  });

  test("is removed by its sender until it is closed", async () => {
    const { key } = server.owner;
    const request = await createFileRequest(server, key);
    const requestToken = tokenOf(request);
    const submission = await openSubmission(server, requestToken);
    const { shortId, deletionToken } = submission;
    for (const name of ["a.txt", "b.txt", "c.txt"]) await send(server, joining(requestToken, submission), { name });
    const seen = (await clientOf(server).call("getSubmission", { shortId, deletionToken })).data;
    assert.deepEqual(
      seen.files.map(({ name, removable }) => [name, removable]),
      ["a.txt", "b.txt", "c.txt"].map((name) => [name, true]),
    );
    const [first, second] = seen.files;
    const used = (await getMe(server, key)).storage.usedBytes;
    const removal = (fields: Record<string, string>) =>
      call(server, "DELETE", `/api/requests/submissions/${shortId}?${new URLSearchParams(fields)}`);
    assertRefused(await removal({ deletionToken: submission.shareToken }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await removal({ deletionToken, fileId: "unknown" }), { status: 404, code: "NOT_FOUND" });
    assert.equal((await removal({ deletionToken, fileId: first?.id ?? "" })).status, 200);
    assert.equal((await getMe(server, key)).storage.usedBytes, used - 10);
    assert.equal((await getRequest(server, key, request.id)).receivedFiles, 2);
    await clientOf(server, { key }).call("shareFiles", { fileIds: [second?.id ?? ""] });
    assertRefused(await removal({ deletionToken, fileId: second?.id ?? "" }), { status: 409, code: "CONFLICT" });
    assert.deepEqual((await removal({ deletionToken })).body.data, { removed: 1 });
    await send(server, joining(requestToken, submission), { name: "d.txt" });
    await patchRequest(server, key, request.id, { closed: true });
    assertRefused(await removal({ deletionToken }), { status: 409, code: "REQUEST_CLOSED" });
  });
});
