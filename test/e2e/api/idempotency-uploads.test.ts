import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { type ApiResponse, assertRefused, type CallOptions, signedUrl, toForm } from "../support/api/api.ts";
import { type Data, newKey, repeatCalls, startRepeatServer } from "../support/api/idempotency.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { someBytes } from "../support/uploads/multipart.ts";

const JSON_RESPONSE = { Accept: "application/json" };

/** idempotency, "What a repeated request gets" and "Scope of a key". */
describe("the Idempotency-Key of an upload", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startRepeatServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const { send, rows } = repeatCalls(() => server);

  const uploads: Readonly<Record<string, (key: string, bytes: string, options?: CallOptions) => Promise<ApiResponse<Data>>>> = {
    "POST /files/upload": (key, bytes, options) => send("POST", "/api/files/upload", key, { ...options, body: toForm({ bytes }) }),
    "PUT /": (key, bytes, options) =>
      send("PUT", "/note.txt", key, { ...options, body: bytes, headers: { ...JSON_RESPONSE, ...options?.headers } }),
    "POST /": (key, bytes, options) =>
      send("POST", "/", key, { ...options, body: toForm({ bytes }), headers: { ...JSON_RESPONSE, ...options?.headers } }),
  };
  for (const [route, post] of Object.entries(uploads)) {
    test(`makes one file by ${route}, returns it again, and refuses other bytes with 422`, async () => {
      const key = newKey();
      const before = await countStoredState(server);
      const first = await post(key, "hello");
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.ok(!("idempotent" in first.body.data));
      const second = await post(key, "hello");
      assert.equal(second.status, 200);
      assert.deepEqual(second.body.data, { ...first.body.data, idempotent: true });
      assertRefused(await post(key, "other"), { status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
      const now = await countStoredState(server);
      assert.deepEqual(
        { files: now.files - before.files, shares: now.shares - before.shares, bytes: now.usedBytes - before.usedBytes },
        { files: 1, shares: 1, bytes: 5 },
      );
      assert.deepEqual(
        { sessions: now.sessions, reserved: now.reservedBytes },
        { sessions: before.sessions, reserved: before.reservedBytes },
      );
      await signedUrl(server, String(first.body.data.id));
    });

    test(`returns the tokens of an anonymous ${route} again, only to the same caller`, async () => {
      const key = newKey();
      const by = (address: string): CallOptions => ({ key: "", headers: { Authorization: "", ...fromAddress(address) } });
      const first = await post(key, "hello", by("203.0.113.1"));
      assert.equal(first.status, 200, JSON.stringify(first.body));
      const again = await post(key, "hello", by("203.0.113.1"));
      assert.equal(again.body.data.claimToken, first.body.data.claimToken);
      assert.equal(again.body.data.deletionToken, first.body.data.deletionToken);
      for (const response of [await post(key, "hello", by("203.0.113.2")), await post(key, "hello")]) {
        assert.equal(response.status, 200);
        assert.notEqual(response.body.data.id, first.body.data.id);
        assert.ok(!("idempotent" in response.body.data));
      }
    });

    test(`makes one file of concurrent requests by ${route}`, async () => {
      const key = newKey();
      const before = await rows("files");
      const responses = await Promise.all(Array.from({ length: 6 }, () => post(key, "hello")));
      const good = responses.filter(({ status }) => status === 200);
      assert.equal(new Set(good.map(({ body }) => body.data.id)).size, 1);
      assert.equal(good.filter(({ body }) => body.data.idempotent !== true).length, 1);
      for (const response of responses) {
        if (response.status === 200) continue;
        assertRefused(response, { status: 409, code: "IDEMPOTENCY_IN_PROGRESS" });
        assert.ok(Number(response.headers.get("retry-after")) >= 1);
      }
      assert.equal((await post(key, "hello")).body.data.id, good[0]?.body.data.id);
      assert.equal((await rows("files")) - before, 1);
    });
  }

  test("stores the response without readable secrets", async () => {
    const key = newKey();
    const { body } = (await uploads["PUT /"]?.(key, "secret", { key: "", headers: { Authorization: "" } })) ?? assert.fail();
    const stored = await withDatabase(server, (db) => db.selectFrom("idempotent_requests").select("response").execute());
    assert.ok(stored.length > 0);
    for (const { response } of stored)
      assert.ok(!response?.includes(String(body.data.claimToken)) && !response?.includes(String(body.data.id)));
  });

  test("responds 409 to a repetition during the upload, before reading its body", async () => {
    const key = newKey();
    const { hostname, port } = new URL(server.url);
    const head = (length: number) =>
      `PUT /slow.bin HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${server.owner.key}\r\nAccept: application/json\r\nIdempotency-Key: ${key}\r\nContent-Length: ${length}\r\n\r\n`;
    const slow = connect({ host: hostname, port: Number(port) });
    slow.on("error", () => undefined);
    slow.write(head(2_000_000));
    slow.write(someBytes(500_000));
    await until(
      "the upload has started",
      async () =>
        (await withDatabase(server, (db) => db.selectFrom("files").select("id").where("name", "=", "slow.bin").execute())).length === 1,
    );
    const late = connect({ host: hostname, port: Number(port) });
    const { promise, resolve } = Promise.withResolvers<string>();
    late.on("data", (data) => resolve(data.toString("latin1")));
    late.write(head(2_000_000));
    const response = await promise;
    assert.match(response, /^HTTP\/1\.1 409 /);
    assert.match(response, /IDEMPOTENCY_IN_PROGRESS/);
    late.destroy();
    slow.destroy();
    await until(
      "the upload is removed",
      async () =>
        (await withDatabase(server, (db) => db.selectFrom("files").select("id").where("name", "=", "slow.bin").execute())).length === 0,
    );
    const good = await until("the upload can be repeated", async () => {
      const response = await send("PUT", "/slow.bin", key, { body: someBytes(2_000_000), headers: JSON_RESPONSE });
      return response.status === 200 ? response : undefined;
    });
    assert.ok(!("idempotent" in good.body.data));
  });
});
