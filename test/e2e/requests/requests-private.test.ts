import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, findInfo, getShare } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { createFileRequest, getRequest, joining, openSubmission, send, tokenOf } from "../support/shares/requests.ts";

/** requests, "Received files", "Sharing what you received" and "With curl". */
describe("a received file", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro", username: "ada" }, other: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const receive = async () => {
    const request = await createFileRequest(server, server.owner.key);
    const requestToken = tokenOf(request);
    const submission = await openSubmission(server, requestToken);
    const fields = joining(requestToken, submission);
    const { body } = await send(server, fields, { name: "a.txt" });
    return { request, requestToken, submission, fields, file: body.data };
  };

  test("is opened only by its owner", async () => {
    const { submission, file } = await receive();
    const { shortId } = submission;
    const paths = [`/api/files/share/${shortId}`, `/api/files/share/${shortId}/archive`, `/api/files/download/${file.id}`];
    for (const path of paths) {
      for (const key of [undefined, server.other.key])
        assertRefused(await call(server, "GET", path, { key }), { status: 404, code: "NOT_FOUND" });
      assert.equal((await call(server, "GET", path, { key: server.owner.key })).status, 200, path);
    }
    for (const path of [`/d/${shortId}`, `/d/${shortId}/card.webp`, `/report/${shortId}`]) {
      assert.equal((await fetch(server.url + path)).status, 404, path);
    }
    const form = new URLSearchParams({ fileId: file.id });
    for (const action of ["download", "archive", "preview", "unlock"]) {
      const response = await fetch(`${server.url}/d/${shortId}/${action}`, { method: "POST", body: form, redirect: "manual" });
      assert.equal(response.status, 404, action);
    }
    const { key } = server.owner;
    const { data: shares } = await clientOf(server, { key }).call("listShares", {});
    assert.equal(
      shares.find((share) => share.shortId === shortId),
      undefined,
    );
    assertRefused(await call(server, "POST", `/api/shares/${shortId}/close`, { key }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "GET", `/api/files/${file.id}/details`, { key: server.other.key }), {
      status: 404,
      code: "NOT_FOUND",
    });
    assert.equal((await call(server, "GET", `/api/files/${file.id}/details`, { key })).status, 200);
    assert.equal(await findInfo(server, shortId), undefined);
    const json = { shortId, reason: "malware" };
    assertRefused(await call(server, "POST", "/api/reports", { json }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "POST", "/api/downloads/unlock", { json: { shortId, unlockCode: "AAAAAA" } }), {
      status: 404,
      code: "NOT_FOUND",
    });
    const claim = { fileId: shortId, claimToken: submission.deletionToken };
    assertRefused(await call(server, "POST", "/api/files/claim", { key: server.other.key, json: claim }), {
      status: 404,
      code: "NOT_FOUND",
    });
    const deletion = `/api/files/delete?${new URLSearchParams({ fileId: file.id, token: submission.deletionToken })}`;
    assertRefused(await call(server, "DELETE", deletion), { status: 404, code: "NOT_FOUND" });
    const settings = { fileId: file.id, claimToken: submission.deletionToken, title: "Mine" };
    assertRefused(await call(server, "PATCH", "/api/files/share-settings", { json: settings }), { status: 404, code: "NOT_FOUND" });
  });

  test("gets a separate share from its owner, with another link", async () => {
    const { submission, file, fields } = await receive();
    const { key } = server.owner;
    const { data: share } = await clientOf(server, { key }).call("shareFiles", { fileIds: [file.id], title: "From Ada", ttl: "1d" });
    assert.notEqual(share.shortId, submission.shortId);
    const shown = await getShare(server, share.shortId);
    assert.deepEqual([shown.kind, shown.title, shown.name], ["file", "From Ada", "a.txt"]);
    assert.equal((await fetch(`${server.url}/d/${share.shortId}`)).status, 200);
    assert.equal((await fetch(`${server.url}/d/${submission.shortId}`)).status, 404);
    // What the sender adds is not in it.
    const more = await send(server, fields, { name: "b.txt" });
    assert.equal(more.status, 200);
    assert.equal((await fetch(`${server.url}/d/${share.shortId}`)).status, 200);
    assertRefused(await call(server, "GET", `/api/files/download/${more.body.data.id}`), { status: 404, code: "NOT_FOUND" });
    const { data: again } = await clientOf(server, { key }).call("shareFiles", { fileIds: [file.id] });
    for (const { shortId } of [share, again]) assert.equal((await fetch(`${server.url}/d/${shortId}`)).status, 200);
  });

  test("is shared with others in a shipment", async () => {
    const [first, second] = [await receive(), await receive()];
    const { key } = server.owner;
    const fileIds = [first.file.id, second.file.id];
    const { data: share } = await clientOf(server, { key }).call("shareFiles", { fileIds, protect: true });
    assert.match(share.unlockCode ?? "", /^\w{6}$/);
    const { data } = await clientOf(server, { key }).call("getShare", { shortId: share.shortId });
    assert.equal(data.kind, "shipment");
    assert.deepEqual(data.files?.map(({ id }) => id).sort(), fileIds.sort());
  });

  test("has the full limit of its share, whatever its owner downloaded before", async () => {
    const [first, second] = [await receive(), await receive()];
    const { key } = server.owner;
    const fileIds = [first.file.id, second.file.id];
    const response = await call(server, "GET", `/api/files/download/${first.file.id}`, { key });
    const { url } = response.body as { url?: string };
    const { data: share } = await clientOf(server, { key }).call("shareFiles", { fileIds, once: true });
    assert.equal((await fetch(url ?? "")).status, 403, "the URL from before the limit");
    const { data } = await clientOf(server, { key }).call("getFile", { fileId: first.file.id });
    assert.equal(data.downloads, 0);
    const archive = () => call(server, "GET", `/api/files/share/${share.shortId}/archive`);
    assert.equal((await archive()).status, 200);
    assertRefused(await archive(), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "GET", `/api/files/download/${first.file.id}`), { status: 404, code: "NOT_FOUND" });
  });

  test("cannot be shared by other accounts", async () => {
    const { file } = await receive();
    const json = { fileIds: [file.id] };
    const share = (key?: string) => call(server, "POST", "/api/files/share", { key, json });
    assertRefused(await share(), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await share(server.other.key), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "POST", "/api/files/share", { key: server.owner.key, json: { fileIds: ["unknown"] } }), {
      status: 404,
      code: "NOT_FOUND",
    });
  });

  test("has a changeable expiry, and no other settings of a share", async () => {
    const { file } = await receive();
    const patch = (json: object) =>
      call(server, "PATCH", "/api/files/share-settings", { key: server.owner.key, json: { fileId: file.id, ...json } });
    assert.equal((await patch({ extendTtl: "30d" })).status, 200);
    assert.equal((await patch({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })).status, 200);
    for (const json of [{ visibility: "public" }, { title: "x" }, { protect: true }, { maxDownloads: 1 }])
      assertRefused(await patch(json), { status: 409, code: "CONFLICT" });
  });

  test("is not stored with a file of the same form that came before the token", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const form = new FormData();
    form.append("file", new File(["own"], "own.txt"));
    form.append("requestToken", tokenOf(request));
    form.append("file", new File(["sent"], "sent.txt"));
    const response = await fetch(server.url, { method: "POST", body: form, headers: { Accept: "application/json" } });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /before the first file/);
    assert.equal((await getRequest(server, server.owner.key, request.id)).receivedFiles, 0);
  });
});
