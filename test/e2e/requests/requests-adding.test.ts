import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { createFileRequest, getRequest, openSubmission, patchRequest, send, tokenOf } from "../support/shares/requests.ts";

/** requests, "The page of a link". */
describe("the form of a receipt", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  /** Sends a form of files to a page; resolves to its status and the path that it leads to. */
  async function post(path: string, names: readonly string[], fields: Readonly<Record<string, string>> = {}) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const name of names) form.append("file", new File(["some bytes"], name, { type: "text/plain" }));
    const headers = { Origin: server.url, Accept: "text/html" };
    const response = await fetch(server.url + path, { method: "POST", redirect: "manual", headers, body: form });
    await response.arrayBuffer();
    return { status: response.status, path: response.headers.get("location") ?? "" };
  }

  /** Sends one file with the form of a request; resolves to the path of its receipt. */
  async function begin(path: string): Promise<string> {
    const { status, path: receipt } = await post(path, ["first.txt"]);
    assert.equal(status, 303);
    return new URL(receipt, server.url).pathname;
  }

  const create = (input: Parameters<typeof createFileRequest>[2] = {}) => createFileRequest(server, server.owner.key, input);
  const pageOf = async (path: string): Promise<string> =>
    await (await fetch(server.url + path, { headers: { Accept: "text/html" } })).text();
  /** Returns the names of the received files of each submission, in order. */
  const receivedOf = async ({ id }: { readonly id: string }) =>
    (await getRequest(server, server.owner.key, id)).submissions.map(({ files }) => files.map(({ name }) => name).sort());

  test("adds files to the submission, also after its sender has removed all files", async () => {
    const request = await create();
    const path = `/r/${tokenOf(request)}`;
    const receipt = await begin(path);
    assert.match(
      await pageOf(receipt),
      new RegExp(`<div class="without-scripts"><form [^>]*action="${receipt}" enctype="multipart/form-data"`),
    );
    assert.deepEqual(await post(receipt, ["second.txt", "third.txt"]), { status: 303, path: receipt });
    assert.deepEqual(await receivedOf(request), [["first.txt", "second.txt", "third.txt"]]);
    const removed = await fetch(server.url + receipt, { method: "POST", redirect: "manual", body: new URLSearchParams() });
    assert.equal(removed.status, 303);
    assert.equal((await getRequest(server, server.owner.key, request.id)).receivedFiles, 0);
    assert.equal((await post(receipt, ["fourth.txt"])).status, 303);
    assert.deepEqual(await receivedOf(request), [["fourth.txt"]]);
    await begin(path);
    assert.equal((await receivedOf(request)).length, 2);
  });

  test("adds files to a submission that a client opened, whatever other fields it has", async () => {
    const [request, other] = [await create(), await create()];
    const { shortId, deletionToken } = await openSubmission(server, tokenOf(request));
    const { shortId: shareShortId, shareToken } = await openSubmission(server, tokenOf(other));
    const receipt = `/r/${tokenOf(request)}/${shortId}/${deletionToken}`;
    assert.equal((await post(receipt, ["a.txt"], { requestToken: tokenOf(other), shareShortId, shareToken })).status, 303);
    assert.deepEqual([await receivedOf(request), await receivedOf(other)], [[["a.txt"]], []]);
    assert.equal((await post(receipt, ["b.txt"], { ttl: "24h" })).status, 400);
    assert.equal((await post(`${receipt}?ttl=24h`, ["b.txt"])).status, 400);
    assert.equal((await post(receipt, [])).status, 400);
    assert.deepEqual(await receivedOf(request), [["a.txt"]]);
  });

  test("needs no code, because the receipt is only given to senders with the code", async () => {
    const request = await create({ protect: true });
    const path = `/r/${tokenOf(request)}`;
    assert.equal((await post(path, ["a.txt"])).status, 403);
    const { unlockCode = "" } = request;
    const { unlockToken } = (await clientOf(server).call("unlockRequest", { requestToken: tokenOf(request), unlockCode })).data;
    const receipt = await begin(`${path}?${new URLSearchParams({ unlockToken })}`);
    assert.equal((await post(receipt, ["b.txt"])).status, 303);
    assert.deepEqual(await receivedOf(request), [["b.txt", "first.txt"]]);
  });

  test("is refused with a wrong token, and below the link of another request or a replaced link", async () => {
    const [request, other] = [await create(), await create()];
    const receipt = await begin(`/r/${tokenOf(request)}`);
    const [, , token = "", shortId = "", deletionToken = ""] = receipt.split("/");
    const foreign = await begin(`/r/${tokenOf(request)}`);
    const [, , , , foreignToken = ""] = foreign.split("/");
    for (const path of [
      `/r/${token}/${shortId}/${foreignToken}`,
      `/r/${token}/${shortId}/del_wrong`,
      `/r/${token}/abcdefgh/${deletionToken}`,
      `/r/${tokenOf(other)}/${shortId}/${deletionToken}`,
    ])
      assert.equal((await post(path, ["a.txt"])).status, 404, path);
    await clientOf(server, { key: server.owner.key }).call("rotateRequest", { id: request.id });
    assert.doesNotMatch(await pageOf(receipt), /enctype/);
    assert.equal((await post(receipt, ["a.txt"])).status, 404);
    assert.deepEqual(await receivedOf(request), [["first.txt"], ["first.txt"]]);
  });

  test("holds the limits of the request exactly, and its end", async () => {
    const request = await create({ maxFiles: 4, maxFileBytes: 10, maxBytes: 30 });
    const receipt = await begin(`/r/${tokenOf(request)}`);
    const statuses = await Promise.all(Array.from({ length: 5 }, async (_, n) => (await post(receipt, [`${n}.txt`])).status));
    assert.deepEqual(statuses.sort(), [303, 303, 413, 413, 413]);
    assert.doesNotMatch(await pageOf(receipt), /enctype/);
    const set = (json: object) => patchRequest(server, server.owner.key, request.id, json);
    await set({ maxBytes: 100, maxFileBytes: 9 });
    assert.equal((await post(receipt, ["large.txt"])).status, 413);
    await set({ maxFileBytes: null });
    // A form with a file too many adds none.
    assert.equal((await post(receipt, ["a.txt", "b.txt"])).status, 413);
    assert.equal((await post(receipt, ["a.txt"])).status, 303);
    await set({ maxFiles: 10, closed: true });
    assert.equal((await post(receipt, ["late.txt"])).status, 409);
    assert.doesNotMatch(await pageOf(receipt), /enctype/);
    const { receivedFiles, receivedBytes } = await getRequest(server, server.owner.key, request.id);
    assert.deepEqual([receivedFiles, receivedBytes], [4, 40]);
  });

  test("is offered to the only sender of a request with `once`, and to nobody else", async () => {
    const request = await create({ once: true });
    const late = await openSubmission(server, tokenOf(request));
    const receipt = await begin(`/r/${tokenOf(request)}`);
    assert.match(await pageOf(receipt), /enctype/);
    assert.equal((await post(receipt, ["a.txt"])).status, 303);
    assert.equal((await post(`/r/${tokenOf(request)}/${late.shortId}/${late.deletionToken}`, ["b.txt"])).status, 409);
    assert.deepEqual(await receivedOf(request), [["a.txt", "first.txt"]]);
  });

  test("is a command for an encrypted request, which refuses its files", async () => {
    const encryptTo = (await createShareKey()).recipient;
    const request = await create({ encryptTo });
    const bytes = "age-encryption.org/v1\n-> X25519 some bytes";
    const { shortId, deletionToken } = (await send(server, { requestToken: tokenOf(request) }, { bytes, name: "a.age" })).body.data;
    const receipt = `/r/${tokenOf(request)}/${shortId}/${deletionToken}`;
    const page = await pageOf(receipt);
    assert.match(page, new RegExp(`<div class="without-scripts">.*filehost up FILE --request '[^<]*#to=${encryptTo}'`));
    assert.doesNotMatch(page, /enctype/);
    assert.equal((await post(receipt, ["plain.txt"])).status, 415);
    assert.deepEqual(await receivedOf(request), [["a.age"]]);
  });
});
