import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount, createKey, getMe } from "../support/accounts/accounts.ts";
import { type ApiResponse, assertRefused, call, clientOf, postUpload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

/** accounts, "Authentication", "Keys and scopes" and "The account of a key"; identifiers, "Secrets". */
describe("an API key", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const me = (key: string): Promise<ApiResponse> => call(server, "GET", "/api/me", { key });
  const listKeys = async (key: string) => (await clientOf(server, { key }).call("listKeys", {})).data;

  test("is accepted in each documented header", async () => {
    const { key } = await addAccount(server);
    const headersWithKey: readonly Record<string, string>[] = [
      { Authorization: `Bearer ${key}` },
      { Authorization: `bearer  ${key}` },
      { Authorization: key },
      { "x-service-api-key": key },
      { "X-Service-Api-Key": key },
    ];
    for (const headers of headersWithKey)
      assert.equal((await call(server, "GET", "/api/me", { headers })).status, 200, JSON.stringify(headers));
    // File info alone accepts a key in the query.
    const { shortId } = await upload(server, { bytes: "x" });
    assert.equal((await call(server, "GET", `/api/files/info?file_code=${shortId}&key=${key}`)).status, 200);
    assertRefused(await call(server, "GET", `/api/files/info?file_code=${shortId}&key=${key}x`), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await call(server, "GET", `/api/me?key=${key}`), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await call(server, "GET", `/api/files/list?key=${key}`), { status: 401, code: "UNAUTHENTICATED" });
  });

  test("is refused when invalid, also on routes that require no key", async () => {
    const { key } = await addAccount(server);
    const { shortId } = await upload(server, { bytes: "x" });
    for (const wrong of [
      "nonsense",
      "bc_aaaaaaaa_short",
      `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`,
      `bc_00000000_${"a".repeat(43)}`,
    ]) {
      for (const path of [
        "/api/me",
        "/api/files/list",
        `/api/files/share/${shortId}`,
        "/api/agent/capabilities",
        `/api/files/info?file_code=${shortId}`,
      ]) {
        assertRefused(await call(server, "GET", path, { key: wrong }), { status: 401, code: "UNAUTHENTICATED" });
      }
      assertRefused(await postUpload(server, { bytes: "x" }, { key: wrong }), { status: 401, code: "UNAUTHENTICATED" });
    }
  });

  test("is limited by its scope", async () => {
    const read = await addAccount(server, { scope: "files_read" });
    const write = await addAccount(server, { scope: "files_write" });
    const full = await addAccount(server);
    const reads = ["/api/me", "/api/files/list", "/api/files/run/r", "/api/folders/list"];
    for (const { key } of [read, write, full])
      for (const path of reads) assert.equal((await call(server, "GET", path, { key })).status, 200, path);
    const writes: readonly [string, string][] = [
      ["POST", "/api/folders"],
      ["PATCH", "/api/folders/x"],
      ["DELETE", "/api/folders/x"],
      ["PATCH", "/api/files/share-settings"],
      ["POST", "/api/files/claim"],
      ["POST", "/api/files/multipart/init"],
    ];
    for (const [method, path] of writes) {
      assertRefused(await call(server, method, path, { key: read.key, json: {} }), { status: 403, code: "INSUFFICIENT_SCOPE" });
      assert.notEqual((await call(server, method, path, { key: write.key, json: {} })).status, 403, path);
    }
    assertRefused(await postUpload(server, { bytes: "x" }, { key: read.key }), { status: 403, code: "INSUFFICIENT_SCOPE" });
    const fulls: readonly [string, string][] = [
      ["GET", "/api/keys"],
      ["POST", "/api/keys"],
      ["DELETE", "/api/keys/x"],
      ["POST", "/api/keys/x/rotate"],
    ];
    for (const [method, path] of fulls) {
      const json = method === "POST" ? {} : undefined;
      for (const { key } of [read, write])
        assertRefused(await call(server, method, path, { key, json }), { status: 403, code: "INSUFFICIENT_SCOPE" });
      assertRefused(await call(server, method, path, { json }), { status: 401, code: "UNAUTHENTICATED" });
    }
  });

  test("returns its owner, tier, scope, storage and limits from GET /me", async () => {
    const { key, userId } = await addAccount(server, { username: "grace", scope: "files_read" });
    const writer = await addAccount(server);
    await withDatabase(server, (db) =>
      db.updateTable("api_keys").set({ owner_id: userId }).where("owner_id", "=", writer.userId).execute(),
    );
    await upload(server, { bytes: "12345" }, { key: writer.key });
    const me = await getMe(server, key);
    assert.deepEqual(me.owner, {
      id: userId,
      name: "A person",
      showName: false,
      email: `${userId}@example.org`,
      emailVerified: true,
      username: "grace",
      role: "user",
    });
    assert.deepEqual({ tier: me.tier, scope: me.scope, keyTier: me.key?.tier }, { tier: "free", scope: "files_read", keyTier: "free" });
    const GB = 1024 ** 3;
    assert.deepEqual(me.storage, {
      usedBytes: 5,
      reservedBytes: 0,
      includedBytes: 10 * GB,
      allowedBytes: 10 * GB,
      leftBytes: 10 * GB - 5,
      isPastIncluded: false,
      isShared: false,
    });
    assert.equal(me.limits.fileBytes, 5 * GB);
    assert.equal(me.limits.requestsPerMinute, 100);
    const pro = await addAccount(server, { tier: "pro" });
    const proData = await getMe(server, pro.key);
    assert.deepEqual([proData.tier, proData.key?.tier, proData.storage.allowedBytes], ["pro", "premium", 1024 * GB]);
  });

  test("is shown once, stored as a salted hash and usable within its scope", async () => {
    const { key } = await addAccount(server);
    const made = await createKey(server, key, { label: " laptop ", scope: "files_read" });
    assert.deepEqual({ label: made.label, scope: made.scope }, { label: "laptop", scope: "files_read" });
    assert.match(made.key, /^bc_[0-9A-Za-z]{8}_[\w-]{43}$/);
    await getMe(server, made.key);
    assertRefused(await postUpload(server, { bytes: "x" }, { key: made.key }), { status: 403, code: "INSUFFICIENT_SCOPE" });
    const body = await clientOf(server, { key }).call("listKeys", {});
    assert.ok(!JSON.stringify(body).includes(made.key.slice(12)));
    assert.deepEqual(body.data.map(({ prefix }) => prefix).sort(), [key.slice(0, 11), made.key.slice(0, 11)].sort());
    const row = await withDatabase(server, (db) =>
      db.selectFrom("api_keys").selectAll().where("id", "=", made.id).executeTakeFirstOrThrow(),
    );
    assert.ok(!JSON.stringify(row).includes(made.key.slice(12)));
    assert.equal((await createKey(server, key)).scope, "full");
    for (const json of [{ scope: "admin" }, { label: "x".repeat(121) }, { label: 7 }]) {
      assertRefused(await call(server, "POST", "/api/keys", { key, json }), { status: 400, code: "VALIDATION_FAILED" });
    }
  });

  test("stops working immediately when revoked", async () => {
    const { key } = await addAccount(server);
    const made = await createKey(server, key, { label: "revoked" });
    await getMe(server, made.key);
    const body = await clientOf(server, { key }).call("revokeKey", { id: made.id });
    assert.deepEqual(body, { success: true, data: { id: made.id } });
    assertRefused(await me(made.key), { status: 401, code: "UNAUTHENTICATED" });
    assert.equal((await listKeys(key)).length, 1);
    assertRefused(await call(server, "DELETE", `/api/keys/${made.id}`, { key }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, "POST", `/api/keys/${made.id}/rotate`, { key }), { status: 404, code: "NOT_FOUND" });
  });

  test("is replaced when rotated", async () => {
    const { key } = await addAccount(server);
    const made = await createKey(server, key, { label: "ci", scope: "files_write" });
    const { data: rotated } = await clientOf(server, { key }).call("rotateKey", { id: made.id });
    assert.deepEqual([rotated.id, rotated.label, rotated.scope], [made.id, "ci", "files_write"]);
    assert.notEqual(rotated.key, made.key);
    assertRefused(await me(made.key), { status: 401, code: "UNAUTHENTICATED" });
    await getMe(server, rotated.key);
  });

  test("is hidden from other accounts", async () => {
    const [ada, bob] = [await addAccount(server), await addAccount(server)];
    const [bobs] = await listKeys(bob.key);
    for (const id of [bobs?.id, crypto.randomUUID(), "nope"]) {
      assertRefused(await call(server, "DELETE", `/api/keys/${id}`, { key: ada.key }), { status: 404, code: "NOT_FOUND" });
      assertRefused(await call(server, "POST", `/api/keys/${id}/rotate`, { key: ada.key }), { status: 404, code: "NOT_FOUND" });
    }
    await getMe(server, bob.key);
  });

  test("does not work while its account is disabled", async () => {
    const { key, userId } = await addAccount(server);
    const made = await createKey(server, key);
    assert.equal((await server.run(["users", "disable", userId])).code, 0);
    for (const sent of [key, made.key]) assertRefused(await me(sent), { status: 401, code: "UNAUTHENTICATED" });
    assert.equal((await server.run(["users", "enable", userId])).code, 0);
    await getMe(server, key);
  });

  test("is not created for an account that has 100", async () => {
    const { key } = await addAccount(server);
    const responses = await Promise.all(Array.from({ length: 103 }, () => call(server, "POST", "/api/keys", { key, json: {} })));
    assert.equal(responses.filter(({ status }) => status === 200).length, 99);
    for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 409, code: "CONFLICT" });
  });
});
