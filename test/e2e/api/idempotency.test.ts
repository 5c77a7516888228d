import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { type ApiResponse, assertRefused, signedUrl, upload } from "../support/api/api.ts";
import { type Data, newKey, repeatCalls, startRepeatServer, type Table } from "../support/api/idempotency.ts";
import { cleanUp } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { MB, type Session, sendParts, sha256, someBytes } from "../support/uploads/multipart.ts";

/** idempotency, "Idempotency", "What a repeated request gets", "Scope of a key" and "Calls that repeat without a key". */
describe("Idempotency-Key", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startRepeatServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const { send, rows } = repeatCalls(() => server);
  /** The body of the repeated response that follows this one. */
  const marked = (response: ApiResponse<Data>): object => {
    const withMark = (value: unknown): unknown =>
      typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, idempotent: true } : value;
    const entries = Object.entries(response.body).map(([name, value]) => [
      name,
      name === "data" || name === "file" ? withMark(value) : value,
    ]);
    return { ...Object.fromEntries(entries), idempotent: true };
  };

  const writes: Readonly<Record<string, { json: object; other: object; table: Table; path: string }>> = {
    init: {
      path: "/files/multipart/init",
      json: { fileName: "a", fileSize: 9 },
      other: { fileName: "a", fileSize: 10 },
      table: "upload_sessions",
    },
    folders: { path: "/folders", json: { name: "A folder" }, other: { name: "Another" }, table: "folders" },
    keys: { path: "/keys", json: { label: "one" }, other: { label: "two" }, table: "api_keys" },
    delegations: { path: "/files/upload-delegations", json: { name: "a" }, other: { name: "b" }, table: "upload_delegations" },
    webhooks: {
      path: "/webhooks",
      json: { url: "https://127.0.0.1:9/hook", events: ["file.ready"] },
      other: { url: "https://127.0.0.1:9/other", events: ["file.ready"] },
      table: "webhook_endpoints",
    },
  };
  for (const [name, { path, json, other, table }] of Object.entries(writes)) {
    test(`has one effect on ${name} and returns the same response, per caller and route`, async () => {
      const key = newKey();
      const before = await rows(table);
      const first = await send("POST", `/api${path}`, key, { json });
      assert.ok(first.status >= 200 && first.status < 300, JSON.stringify(first.body));
      const second = await send("POST", `/api${path}`, key, { json });
      assert.equal(second.status, first.status);
      assert.deepEqual(second.body, marked(first));
      assertRefused(await send("POST", `/api${path}`, key, { json: other }), { status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
      assert.equal((await rows(table)) - before, 1);
      const otherAccount = await addAccount(server);
      const theirs = await send("POST", `/api${path}`, key, { json, headers: { Authorization: `Bearer ${otherAccount.key}` } });
      assert.equal(theirs.status, first.status, JSON.stringify(theirs.body));
      assert.notDeepEqual(theirs.body.data, first.body.data);
      // The same key is independent on another route.
      await upload(server, { bytes: "x" }, { key: server.owner.key, headers: { "Idempotency-Key": key } });
    });
  }

  test("is ignored by requests with passwords or new sessions, and by the deletion of an account", async () => {
    const { email, password } = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery" };
    const key = newKey();
    const keyless = { headers: { Authorization: "" } };
    await send("POST", "/api/auth/sign-up", key, { ...keyless, json: { email, password, name: "Ada" } });
    const signIn = () => send("POST", "/api/auth/sign-in", key, { ...keyless, json: { login: email, password } });
    const [first, second] = [(await signIn()).body.data.sessionToken, (await signIn()).body.data.sessionToken];
    assert.ok(typeof first === "string" && typeof second === "string" && first !== second);
    const asSession = (token: unknown) => ({ headers: { Authorization: `Bearer ${token}` } });
    // A session gets nothing of what another one of its account got.
    const made = await send("POST", "/api/keys", key, { ...asSession(first), json: { label: "one" } });
    assert.deepEqual(
      (await send("POST", "/api/keys", key, { ...asSession(first), json: { label: "one" } })).body.data.key,
      made.body.data.key,
    );
    await withDatabase(server, (db) => db.updateTable("sessions").set({ proved_at: null }).execute());
    assertRefused(await send("POST", "/api/keys", key, { ...asSession(second), json: { label: "one" } }), {
      status: 403,
      code: "PROOF_REQUIRED",
    });
    await send("POST", "/api/auth/prove", key, { ...asSession(first), json: { password } });
    await send("DELETE", "/api/me", key, { ...asSession(first), json: { confirm: email } });
    const stored = await withDatabase(server, (db) =>
      db.selectFrom("idempotent_requests").select("route").where("route", "like", "%/auth/%").execute(),
    );
    const deletions = await withDatabase(server, (db) =>
      db.selectFrom("idempotent_requests").select("route").where("route", "like", "DELETE /me%").execute(),
    );
    assert.deepEqual([...stored, ...deletions], []);
  });

  test("stores no digest of a body that a reader of the database could compute", async () => {
    const json = { name: `Folder ${crypto.randomUUID()}` };
    assert.equal((await send("POST", "/api/folders", newKey(), { json })).status, 200);
    const rows = await withDatabase(server, (db) => db.selectFrom("idempotent_requests").select("body_digest").execute());
    for (const value of [json, { ...json, parentId: undefined }, { ...json, parentId: null }])
      assert.ok(!JSON.stringify(rows).includes(sha256(JSON.stringify(value))));
  });

  test("completes an upload once, also for concurrent requests", async () => {
    const bytes = someBytes(2 * MB);
    const session = (await send("POST", "/api/files/multipart/init", newKey(), { json: { fileName: "a", fileSize: bytes.length } })).body
      .data as unknown as Session;
    const parts = await sendParts(server, session, bytes, { key: server.owner.key });
    const key = newKey();
    const json = { uploadId: session.uploadId, key: session.key, parts };
    const before = await rows("files");
    const both = await Promise.all([1, 2].map(() => send("POST", "/api/files/multipart/complete", key, { json })));
    for (const { status } of both) assert.ok(status === 200 || status === 409);
    const again = await send("POST", "/api/files/multipart/complete", key, { json });
    assert.equal(again.status, 200);
    assert.equal(again.body.data.idempotent, true);
    assert.equal((again.body.file as { idempotent: boolean }).idempotent, true);
    assert.equal(await rows("files"), before);
  });

  test("does not rotate a share's protection twice", async () => {
    const file = await upload(server, { bytes: "x" }, { key: server.owner.key });
    const key = newKey();
    const json = { fileId: file.id, protect: true };
    const first = await send("PATCH", "/api/files/share-settings", key, { json });
    const second = await send("PATCH", "/api/files/share-settings", key, { json });
    assert.deepEqual(second.body, marked(first));
    await signedUrl(server, file.id, { unlockCode: String(first.body.data.unlockCode) });
    assertRefused(await send("PATCH", "/api/files/share-settings", key, { json: { ...json, protect: false } }), {
      status: 422,
      code: "IDEMPOTENCY_KEY_REUSED",
    });
  });

  test("returns the response of a finished claim and deletion", async () => {
    const file = await upload(server, { bytes: "x" });
    const [claiming, deleting] = [newKey(), newKey()];
    const json = { fileId: file.id, claimToken: file.claimToken };
    const first = await send("POST", "/api/files/claim", claiming, { json });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const path = `/api/files/delete?fileId=${file.id}`;
    assert.equal((await send("DELETE", path, deleting)).status, 200);
    const again = await send("DELETE", path, deleting);
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, { success: true, data: { id: file.id, remainingLinks: 0, idempotent: true }, idempotent: true });
    assert.deepEqual((await send("POST", "/api/files/claim", claiming, { json })).body, marked(first));
    assertRefused(await send("DELETE", path, newKey()), { status: 404, code: "NOT_FOUND" });
    assertRefused(await send("DELETE", `${path}0`, deleting), { status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
  });

  test("imports a URL once, with one job", async () => {
    await using origin = await startOrigin({ "/a.bin": sendFile({ bytes: someBytes(1000) }) });
    const [uploadKey, jobKey] = [newKey(), newKey()];
    const json = { url: `${origin.url}/a.bin` };
    const first = await send("POST", "/api/files/remote-upload", uploadKey, { json });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const second = await send("POST", "/api/files/remote-upload", uploadKey, { json });
    assert.deepEqual(second.body.data, { ...first.body.data, idempotent: true });
    assert.equal(origin.requests.length, 1);
    const before = await rows("imports");
    const job = await send("POST", "/api/files/remote-multipart/init", jobKey, { json });
    const same = await send("POST", "/api/files/remote-multipart/init", jobKey, { json });
    assert.equal(job.status, 202);
    assert.deepEqual(same.body.data, { ...job.body.data, idempotent: true });
    assert.equal((await rows("imports")) - before, 1);
  });

  test("returns the response for a day, and can then be used for another request", async () => {
    const key = newKey();
    const make = (name: string) => send("POST", "/api/folders", key, { json: { name } });
    const first = await make("Of yesterday");
    const ageTo = (ms: number) =>
      withDatabase(server, (db) =>
        db
          .updateTable("idempotent_requests")
          .set({ created_at: Date.now() - ms })
          .execute(),
      );
    await ageTo(DAY_MS - 60_000);
    await cleanUp(server);
    assert.deepEqual((await make("Of yesterday")).body, marked(first));
    assertRefused(await make("Of today"), { status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
    await ageTo(DAY_MS + 1_000);
    await cleanUp(server);
    const second = await make("Of today");
    assert.equal(second.status, 200);
    assert.equal(second.body.idempotent, undefined);
    assert.notEqual(second.body.data.id, first.body.data.id);
  });

  test("stores only successful responses", async () => {
    const key = newKey();
    assertRefused(await send("POST", "/api/folders", key, { json: { name: "" } }), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await send("POST", "/api/folders", key, { json: { name: "x", parentId: crypto.randomUUID() } }), {
      status: 404,
      code: "NOT_FOUND",
    });
    assert.equal((await send("POST", "/api/folders", key, { json: { name: "Valid" } })).status, 200);
  });

  test("has 8 to 200 characters, and is ignored for GET", async () => {
    for (const key of ["1234567", "x".repeat(201)])
      assertRefused(await send("POST", "/api/folders", key, { json: { name: "x" } }), { status: 400, code: "VALIDATION_FAILED" });
    for (const key of ["12345678", "x".repeat(200)])
      assert.equal((await send("POST", "/api/folders", key, { json: { name: `for ${key.length}` } })).status, 200);
    assert.equal((await send("GET", "/api/files/list", "short")).status, 200);
  });
});
