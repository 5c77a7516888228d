import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { Encrypter } from "age-encryption";
import { createShareKey, type ShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
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
import { postBatch } from "../support/uploads/batches.ts";
import { init, MB, postComplete, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** requests, "Encrypted requests". */
describe("an encrypted request", () => {
  let server: ServerWith<"owner">;
  let own: ShareKey;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    own = await createShareKey();
  });
  after(() => server[Symbol.asyncDispose]());

  const create = (): Promise<RequestView> => createFileRequest(server, server.owner.key, { encryptTo: own.recipient });

  async function encrypt(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const encrypter = new Encrypter();
    encrypter.addRecipient(own.recipient);
    return Uint8Array.from(await encrypter.encrypt(bytes));
  }

  const receivedOf = async ({ id }: RequestView) =>
    (await getRequest(server, server.owner.key, id)).submissions.flatMap(({ files }) => files);

  test("has the key of its owner, in its link too, and shows it to senders before they enter its code", async () => {
    const request = await createFileRequest(server, server.owner.key, { encryptTo: own.recipient, protect: true });
    assert.equal(request.encryptTo, own.recipient);
    assert.equal(new URL(request.requestUrl).hash, `#to=${own.recipient}`);
    const { encryptTo, title } = await getByToken(server, tokenOf(request));
    assert.deepEqual({ encryptTo, title }, { encryptTo: own.recipient, title: null });
    const rotated = (await clientOf(server, { key: server.owner.key }).call("rotateRequest", { id: request.id })).data;
    assert.equal(new URL(rotated.requestUrl).hash, `#to=${own.recipient}`);
    const plain = await createFileRequest(server, server.owner.key, { encryptTo: null });
    assert.equal(plain.encryptTo, null);
    assert.equal(new URL(plain.requestUrl).hash, "");
  });

  test("refuses damaged keys, private keys and a change of the key", async () => {
    for (const encryptTo of [own.identity, own.recipient.slice(0, -1), `${own.recipient.slice(0, -1)}!`, "", 1])
      assertRefused(await call(server, "POST", "/api/requests", { key: server.owner.key, json: { title: "Photos", encryptTo } }), {
        status: 400,
        code: "VALIDATION_FAILED",
      });
    const { id } = await create();
    const other = (await createShareKey()).recipient;
    for (const encryptTo of [other, null])
      assertRefused(await patchRequest(server, server.owner.key, id, { encryptTo }), { status: 400, code: "VALIDATION_FAILED" });
    assert.equal((await getRequest(server, server.owner.key, id)).encryptTo, own.recipient);
  });

  test("receives encrypted files, and refuses others in every kind of upload, of which nothing remains", async () => {
    const request = await create();
    const requestToken = tokenOf(request);
    const refused = { status: 415, code: "ENCRYPTION_REQUIRED" } as const;
    assertRefused(await send(server, { requestToken }), refused);
    const put = await fetch(`${server.url}/note.txt?requestToken=${requestToken}`, { method: "PUT", body: "some words" });
    assert.equal(put.status, 415);
    const submission = await openSubmission(server, requestToken);
    const fields = joining(requestToken, submission);
    const encrypted = await encrypt(Buffer.from("some words"));
    const { body } = await postBatch(server, fields, [
      { relativePath: "plain.txt", bytes: "some words" },
      { relativePath: "sealed.age", bytes: encrypted },
    ]);
    assert.deepEqual(
      body.data.files.map(({ errorCode = "" }) => errorCode),
      ["ENCRYPTION_REQUIRED", ""],
    );
    const large = someBytes(6 * MB);
    const session = await init(server, { ...fields, fileName: "large.bin", fileSize: large.length, partSize: 5 * MB });
    await sendParts(server, session, large);
    assertRefused(await postComplete(server, session), refused);
    const sealed = await encrypt(large);
    const other = await init(server, { ...fields, fileName: "large.age", fileSize: sealed.length, partSize: 5 * MB });
    await sendParts(server, other, sealed);
    assert.equal((await postComplete(server, other)).status, 200);
    const received = await receivedOf(request);
    assert.deepEqual(received.map(({ name, encrypted }) => [name, encrypted]).toSorted(), [
      ["large.age", true],
      ["sealed.age", true],
    ]);
    const { receivedFiles, receivedBytes } = await getRequest(server, server.owner.key, request.id);
    assert.deepEqual({ receivedFiles, receivedBytes }, { receivedFiles: 2, receivedBytes: encrypted.length + sealed.length });
  });

  test("shows senders without scripts a command in place of the form, whose files are refused", async () => {
    const request = await create();
    const path = `/r/${tokenOf(request)}`;
    const page = await (await fetch(server.url + path)).text();
    assert.match(page, new RegExp(`filehost up FILE --request '[^<]*${path}#to=${own.recipient}'`));
    assert.doesNotMatch(page, /enctype/);
    const form = new FormData();
    form.set("file", new File(["some words"], "note.txt"));
    const response = await fetch(server.url + path, { method: "POST", body: form, headers: { Origin: server.url } });
    assert.equal(response.status, 415);
    assert.deepEqual(await receivedOf(request), []);
  });

  test("keeps nothing of the key when its account is deleted", async () => {
    await using other = await withAccounts(startPlainServer(), { owner: {} });
    const { id } = await createFileRequest(other, other.owner.key, { encryptTo: own.recipient });
    await withDatabase(other, async (db) => {
      await db.updateTable("requests").set({ owner_id: null }).where("id", "=", id).execute();
      const row = await db.selectFrom("requests").select(["encrypt_to", "title"]).where("id", "=", id).executeTakeFirst();
      assert.deepEqual({ ...row }, { encrypt_to: null, title: "" });
    });
  });

  test("cannot be created at a server that refuses encrypted files", async () => {
    await using closed = await withAccounts(startPlainServer({ FILEHOST_ENCRYPTED: "off" }), { owner: {} });
    assertRefused(
      await call(closed, "POST", "/api/requests", { key: closed.owner.key, json: { title: "Photos", encryptTo: own.recipient } }),
      { status: 415, code: "ENCRYPTED_REFUSED" },
    );
    assert.equal((await createFileRequest(closed, closed.owner.key)).encryptTo, null);
  });

  test("is closed to senders when the server begins to refuse encrypted files", async () => {
    await using changed = await withAccounts(startPlainServer(), { owner: {}, administrator: { isAdministrator: true } });
    const request = await createFileRequest(changed, changed.owner.key, { encryptTo: own.recipient });
    const requestToken = tokenOf(request);
    assert.equal((await getByToken(changed, requestToken)).state, "open");
    await clientOf(changed, changed.administrator).call("updateSettings", { settings: { encrypted: "off" } });
    assert.equal((await getByToken(changed, requestToken)).state, "closed");
    assert.equal((await fetch(`${changed.url}/r/${requestToken}`)).status, 404);
    const refused = { status: 415, code: "ENCRYPTED_REFUSED" } as const;
    assertRefused(await send(changed, { requestToken }), refused);
    assertRefused(await call(changed, "POST", "/api/requests/submissions", { json: { requestToken } }), refused);
  });

  test("ends an upload at its first bytes if they are not encrypted", async () => {
    const request = await create();
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const path = `/scan.tiff?requestToken=${tokenOf(request)}`;
    socket.write(`PUT ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: ${100 * MB}\r\n\r\n`);
    // The rest of the file is never sent.
    socket.write(Buffer.from(someBytes(MB)));
    const [response] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    assert.match(response.toString("latin1"), /^HTTP\/1\.1 415 /);
    assert.deepEqual(await receivedOf(request), []);
  });
});
