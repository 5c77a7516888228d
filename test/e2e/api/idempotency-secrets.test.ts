import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { type Account, addAccount, createKey } from "../support/accounts/accounts.ts";
import { connectApp, registerApp } from "../support/accounts/oauth.ts";
import { homeOf } from "../support/accounts/person.ts";
import { type ApiResponse, assertRefused, call } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { type Data, newKey, startRepeatServer } from "../support/api/idempotency.ts";
import { callTool, connectMcp } from "../support/api/mcp.ts";
import { withDatabase } from "../support/servers/state.ts";
import { init, postComplete, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** idempotency, "Secrets of a repeated response". */
describe("a repeated response", () => {
  let server: TestServer;
  let owner: Account;
  let session: string;
  let token: string;
  before(async () => {
    server = await startRepeatServer();
    owner = await addAccount(server);
    session = await startSession(server, owner);
    token = await connect();
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** The token of an application with all rights in the API. */
  const connect = async (scope = "account"): Promise<string> => {
    const change = { scope, resource: `${homeOf(server)}/api` };
    return (await connectApp(server, await registerApp(server), session, change)).access_token;
  };
  const send = (path: string, idempotencyKey: string, key: string, options: { json?: object; body?: BodyInit; method?: string }) =>
    call<Data>(server, options.method ?? "POST", path, {
      key,
      headers: { "Idempotency-Key": idempotencyKey, Accept: "application/json" },
      ...options,
    });
  const without = (response: ApiResponse<Data>, secrets: readonly string[]): object => {
    const strip = (value: object) => Object.fromEntries(Object.entries(value).filter(([name]) => !secrets.includes(name)));
    const marks = { idempotent: true, secretsWithheld: true };
    const entries = Object.entries(strip(response.body)).map(([name, value]) =>
      name === "data" || name === "file" ? [name, { ...strip(value as object), ...marks }] : [name, value],
    );
    return { ...Object.fromEntries(entries), ...marks };
  };

  const form = () => {
    const body = new FormData();
    body.append("protect", "true");
    body.append("file", new Blob(["x"]), "a.txt");
    return body;
  };
  const UPLOAD = ["url", "unlockCode", "handoffUrl", "claimToken", "deletionToken"];
  const writes: Readonly<
    Record<string, { path: string; secrets: readonly string[]; send: () => { json?: object; body?: BodyInit; method?: string } }>
  > = {
    "a new key": { path: "/api/keys", secrets: ["key"], send: () => ({ json: { label: "one" } }) },
    "an upload by PUT": { path: "/a.txt?protect=true", secrets: UPLOAD, send: () => ({ method: "PUT", body: "x" }) },
    "an upload by a form": { path: "/", secrets: UPLOAD, send: () => ({ body: form() }) },
    "an upload of the API": { path: "/api/files/upload", secrets: UPLOAD, send: () => ({ body: form() }) },
    "an upload session": {
      path: "/api/files/multipart/init",
      secrets: ["uploadId"],
      send: () => ({ json: { fileName: "a", fileSize: 1 } }),
    },
    "a delegation": {
      path: "/api/files/upload-delegations",
      secrets: ["delegationToken", "uploadUrl", "uploadId", "unlockCode", "handoffUrl"],
      send: () => ({ json: { name: "a", protect: true } }),
    },
    "a shipment": {
      path: "/api/shares",
      secrets: ["shareToken", "claimToken", "deletionToken", "unlockCode", "handoffUrl"],
      send: () => ({ json: { protect: true } }),
    },
    "a request": {
      path: "/api/requests",
      secrets: ["requestUrl", "unlockCode"],
      send: () => ({ json: { title: "Photos", protect: true } }),
    },
    "a webhook": {
      path: "/api/webhooks",
      secrets: ["secret"],
      send: () => ({ json: { url: "https://127.0.0.1:9/", events: ["file.failed"] } }),
    },
    "an import": {
      path: "/api/files/remote-multipart/init",
      secrets: ["jobSecret"],
      send: () => ({ json: { url: "http://127.0.0.1:9/a" } }),
    },
  };
  for (const [title, { path, secrets, send: request }] of Object.entries(writes))
    test(`of ${title} has its secrets only for the credential that made it`, async () => {
      const idempotencyKey = newKey();
      const other = await createKey(server, owner.key, { label: "another" });
      const first = await send(path, idempotencyKey, owner.key, request());
      assert.ok(first.status < 300, JSON.stringify(first.body));
      assert.ok(secrets.some((name) => first.body.data[name] !== undefined));
      for (const credential of [other.key, token]) {
        const repeated = await send(path, idempotencyKey, credential, request());
        // An application may not make keys, so it is not told of one either.
        if (title === "a new key" && credential === token) {
          assertRefused(repeated, { status: 403, code: "PROOF_REQUIRED" });
          continue;
        }
        assert.equal(repeated.status, first.status, JSON.stringify(repeated.body));
        const expected = without(first, secrets) as Data;
        assert.deepEqual(repeated.body, expected);
      }
      const own = await send(path, idempotencyKey, owner.key, request());
      for (const name of secrets) assert.equal(own.body.data[name], first.body.data[name], name);
      assert.equal(own.body.data.secretsWithheld, undefined);
    });

  test("has no secrets for a form of several files, and in text, and says so", async () => {
    const idempotencyKey = newKey();
    const other = await createKey(server, owner.key, { label: "another" });
    const several = () => {
      const body = form();
      body.append("file", new Blob(["y"]), "b.txt");
      return { body };
    };
    const first = await send("/", idempotencyKey, owner.key, several());
    const { body } = await send("/", idempotencyKey, other.key, several());
    const marks = { idempotent: true, secretsWithheld: true };
    const files = (first.body.data.files as Record<string, unknown>[]).map((file) => ({
      ...Object.fromEntries(Object.entries(file).filter(([name]) => !UPLOAD.includes(name))),
      ...marks,
    }));
    assert.deepEqual(body, { success: true, data: { files, ...marks }, ...marks });
    const text = await fetch(`${server.url}/`, {
      method: "POST",
      headers: { Authorization: `Bearer ${other.key}`, "Idempotency-Key": idempotencyKey },
      ...several(),
    });
    assert.match(text.headers.get("x-filehost-warning") ?? "", /without its secrets/);
    assert.equal(text.headers.get("x-unlock-code"), null);
  });

  test("has the secrets of a completed upload in parts only for the credential that completed it, without an Idempotency-Key", async () => {
    const other = await createKey(server, owner.key, { label: "another" });
    const bytes = someBytes(10);
    const session = await init(server, { fileSize: bytes.length, protect: true }, { key: owner.key });
    await sendParts(server, session, bytes, { key: owner.key });
    const complete = (key: string) => postComplete(server, session, {}, { key });
    const first = await complete(owner.key);
    assert.ok(first.body.data.unlockCode && first.body.data.handoffUrl);
    for (const credential of [other.key, token]) {
      const { status, body } = await complete(credential);
      assert.equal(status, 200);
      const { unlockCode, handoffUrl, ...rest } = first.body.data;
      assert.deepEqual(body.data, { ...rest, url: rest.shareUrl, secretsWithheld: true });
    }
    assert.deepEqual((await complete(owner.key)).body, first.body);
  });

  test("has no secret in its headers", async () => {
    const idempotencyKey = newKey();
    const headers = { "Idempotency-Key": idempotencyKey };
    const put = (key: string) =>
      fetch(`${server.url}/a.txt?protect=true`, { method: "PUT", body: "x", headers: { ...headers, Authorization: `Bearer ${key}` } });
    const [first, other] = [await put(owner.key), await put(token)];
    assert.ok(first.headers.has("x-unlock-code") && first.headers.has("x-handoff-url"));
    assert.ok(!other.headers.has("x-unlock-code") && !other.headers.has("x-handoff-url"));
    assert.equal(await other.text(), await first.text());
  });

  test("has its secrets for the same key after it was rotated, and for the same application with a new token", async () => {
    const key = await createKey(server, owner.key, { label: "rotated" });
    const idempotencyKey = newKey();
    const first = await send("/api/keys", idempotencyKey, key.key, { json: { label: "one" } });
    const rotated = await call<Data>(server, "POST", `/api/keys/${key.id}/rotate`, { key: owner.key, json: {} });
    const again = await send("/api/keys", idempotencyKey, String(rotated.body.data.key), { json: { label: "one" } });
    assert.equal(again.body.data.key, first.body.data.key);
    const ofApp = newKey();
    const made = await send("/api/files/multipart/init", ofApp, token, { json: { fileName: "a", fileSize: 1 } });
    const otherApp = await send("/api/files/multipart/init", ofApp, await connect(), { json: { fileName: "a", fileSize: 1 } });
    assert.ok(made.body.data.uploadId !== undefined);
    assert.equal(otherApp.body.data.uploadId, undefined);
    assert.equal(otherApp.body.secretsWithheld, true);
  });

  test("has the secrets of an MCP tool only for the same credential, as over HTTP", async () => {
    const input = { contentBase64: btoa("mine"), fileName: "mine.txt", protect: true, idempotencyKey: newKey() };
    const other = await createKey(server, owner.key, { label: "another" });
    await using mine = await connectMcp(server, { era: "no session", key: owner.key });
    await using theirs = await connectMcp(server, { era: "no session", key: other.key });
    const first = await callTool(mine, "upload", input);
    const second = await callTool(theirs, "upload", input);
    assert.equal(second.data.id, first.data.id, second.text);
    for (const name of UPLOAD) assert.equal(second.data[name], undefined, name);
    assert.equal(second.data.secretsWithheld, true);
    assert.deepEqual((await callTool(mine, "upload", input)).data, { ...first.data, idempotent: true });
  });

  test("needs the scope, the proof and the verified address of the original request", async () => {
    const idempotencyKey = newKey();
    const make = (key: string) => send("/api/keys", idempotencyKey, key, { json: { label: "one" } });
    const reader = await createKey(server, owner.key, { label: "reader", scope: "files_read" });
    const own = await startSession(server, owner);
    assert.equal((await make(owner.key)).status, 200);
    assertRefused(await make(reader.key), { status: 403, code: "INSUFFICIENT_SCOPE" });
    assert.equal((await make(own)).status, 200);
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: null }).execute());
    assertRefused(await make(own), { status: 403, code: "PROOF_REQUIRED" });
  });
});
