import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HOUR_MS } from "../../../src/lib/text/duration.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { type ApiResponse, assertRefused, type Body, type CallOptions, call, postUpload, type Upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { postInit, someBytes, uploadInParts } from "../support/uploads/multipart.ts";

type Fields = Readonly<Record<string, string>>;
type Sender = (fields: Fields, options?: CallOptions) => Promise<ApiResponse<Body & { readonly data: Upload }>>;

/** sharing, "Publish fields"; expiry, "How long a share is kept". All values are in test/service/shares/publish-settings.test.ts. */
describe("publish fields", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  /** Sends the same fields through every channel that accepts them. */
  const channels: Readonly<Record<string, Sender>> = {
    form: (fields, options) => postUpload(server, { bytes: "x", fields }, options),
    query: (fields, options) => {
      const headers = { Accept: "application/json", ...options?.headers };
      return call(server, "PUT", `/a.txt?${new URLSearchParams(fields)}`, { ...options, headers, body: "x" });
    },
    "curl -F": (fields, options) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append("file", new File(["x"], "a.txt"));
      return call(server, "POST", "/", { ...options, headers: { Accept: "application/json", ...options?.headers }, body: form });
    },
    "curl -F, fields after the file": (fields, options) => {
      const form = new FormData();
      form.append("file", new File(["x"], "a.txt"));
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      return call(server, "POST", "/", { ...options, headers: { Accept: "application/json", ...options?.headers }, body: form });
    },
    init: async (fields, options) => {
      const json = { fileName: "a.txt", fileSize: 3, ...fields };
      const response = await postInit(server, json, options);
      if (response.status !== 200) return response as unknown as ApiResponse<Body & { data: Upload }>;
      const data = await uploadInParts(server, someBytes(3), { fileName: "a.txt", ...fields }, options);
      await call(server, "POST", "/api/files/multipart/abort", { ...options, json: { uploadId: response.body.data.uploadId } });
      return { ...response, body: { ...response.body, data } };
    },
  };

  for (const [channel, send] of Object.entries(channels)) {
    describe(`sent by ${channel}`, () => {
      const assertExpiresIn = async (fields: Fields, ms: number) => {
        const { status, body } = await send(fields);
        assert.equal(status, 200, JSON.stringify(body));
        assert.ok(
          Math.abs(Date.parse(body.data.expiresAt ?? "") - Date.now() - ms) < 30_000,
          `${JSON.stringify(fields)}: ${body.data.expiresAt}`,
        );
      };

      test("ttl and expiresAt set the expiry", async () => {
        await assertExpiresIn({ ttl: "5m" }, 5 * 60_000);
        await assertExpiresIn({ expiresAt: new Date(Date.now() + 2 * HOUR_MS).toISOString() }, 2 * HOUR_MS);
      });

      test("a time that is too short, too long, in the past or invalid is refused", async () => {
        assertRefused(await send({ ttl: "4m" }), { status: 400, code: "VALIDATION_FAILED" });
        assertRefused(await send({ expiresAt: "tomorrow" }), { status: 400, code: "VALIDATION_FAILED" });
        const response = await send({ ttl: "4d" });
        assertRefused(response, { status: 400, code: "EXPIRY_TOO_LONG" });
        assert.match(response.body.error ?? "", /3 days/);
      });

      test("a refusal names the field", async () => {
        const { body } = await send({ ttl: "soon", maxDownloads: "0" });
        assert.deepEqual(body.issues?.map((issue) => issue.path).sort(), ["maxDownloads", "ttl"]);
      });

      test("wrong values are refused", async () => {
        assertRefused(await send({ once: "yes" }), { status: 400, code: "VALIDATION_FAILED" });
      });

      test("fields that need an account, a username or Pro are refused without it", async () => {
        assertRefused(await send({ visibility: "public" }), { status: 400, code: "USERNAME_REQUIRED" });
        assertRefused(await send({ retention: "forever" }), { status: 403, code: "PRO_REQUIRED" });
        assertRefused(await send({ openShare: "true" }), { status: 401, code: "UNAUTHENTICATED" });
      });

      test("runId is stored; unknown fields and false values are ignored", async () => {
        const { status, body } = await send({
          runId: "build 7",
          intent: "x",
          grace: "1",
          once: "False",
          direct: "0",
          ...(channel === "init" ? {} : { ttl: "" }),
        });
        assert.equal(status, 200, JSON.stringify(body));
        assert.equal(body.data.runId, "build 7");
      });
    });
  }

  test("Pro and a username allow what they are required for", async () => {
    const plain = await addAccount(server, { tier: "pro" });
    const named = await addAccount(server, { tier: "pro", username: "ada" });
    const free = await addAccount(server, { username: "bob" });
    const send = async (fields: Fields, key: string) => await postUpload(server, { bytes: "x", fields }, { key });
    assertRefused(await send({ retention: "forever" }, plain.key), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await send({ retention: "forever", visibility: "public" }, plain.key), { status: 400, code: "USERNAME_REQUIRED" });
    assertRefused(await send({ retention: "forever", visibility: "public" }, free.key), { status: 403, code: "PRO_REQUIRED" });
    assert.equal((await send({ retention: "forever", visibility: "public" }, named.key)).body.data.expiresAt, null);
    assert.equal((await send({ visibility: "public" }, free.key)).status, 200);
    assert.equal((await send({ ttl: "7d" }, free.key)).status, 200);
    assertRefused(await send({ ttl: "8d" }, free.key), { status: 400, code: "EXPIRY_TOO_LONG" });
    assert.equal((await send({ ttl: "90d" }, plain.key)).status, 200);
    assertRefused(await send({ ttl: "91d" }, plain.key), { status: 400, code: "EXPIRY_TOO_LONG" });
  });

  test("a number beyond the exact integers has one issue, with the field's own bound", async () => {
    const { body } = await call(server, "POST", "/api/shares", { json: { maxDownloads: 1e20 } });
    assert.deepEqual(body.issues, [{ path: "maxDownloads", message: "give at most 999999999999999" }]);
  });

  test("a folder that is unknown or of another account is not found", async () => {
    const { key } = await addAccount(server);
    assertRefused(await postUpload(server, { bytes: "x", fields: { folderId: crypto.randomUUID() } }, { key }), {
      status: 404,
      code: "NOT_FOUND",
    });
  });
});
