import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../support/server.ts";
import { addAccount } from "./support/accounts.ts";
import { type Answer, assertRefused, type Body, type CallOptions, call, postUpload, type Upload } from "./support/api.ts";
import { postInit, someBytes, uploadInParts } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Fields = Readonly<Record<string, string>>;
type Sender = (fields: Fields, options?: CallOptions) => Promise<Answer<Body & { readonly data: Upload }>>;

/** interface, "Publish fields" and "Limits"; decisions, "Expiry and removal". */
describe("publish fields", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  /** The same fields by every road that takes them. */
  const roads: Readonly<Record<string, Sender>> = {
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
      const answer = await postInit(server, json, options);
      if (answer.status !== 200) return answer as unknown as Answer<Body & { data: Upload }>;
      const data = await uploadInParts(server, someBytes(3), { fileName: "a.txt", ...fields }, options);
      await call(server, "POST", "/api/files/multipart/abort", { ...options, json: { uploadId: answer.body.data.uploadId } });
      return { ...answer, body: { ...answer.body, data } };
    },
  };

  for (const [road, send] of Object.entries(roads)) {
    describe(`by ${road}`, () => {
      const isKeptFor = async (fields: Fields, ms: number) => {
        const { status, body } = await send(fields);
        assert.equal(status, 200, JSON.stringify(body));
        assert.ok(
          Math.abs(Date.parse(body.data.expiresAt ?? "") - Date.now() - ms) < 30_000,
          `${JSON.stringify(fields)}: ${body.data.expiresAt}`,
        );
      };

      test("ttl and expiresAt", async () => {
        await isKeptFor({ ttl: "5m" }, 5 * 60_000);
        await isKeptFor({ ttl: "24h" }, DAY_MS);
        await isKeptFor({ ttl: "3d" }, 3 * DAY_MS);
        await isKeptFor({ expiresAt: new Date(Date.now() + 2 * HOUR_MS).toISOString() }, 2 * HOUR_MS);
        await isKeptFor(
          { expiresAt: new Date(Date.now() + 2 * HOUR_MS).toISOString().replace("Z", "+00:00"), retention: "ttl" },
          2 * HOUR_MS,
        );
        await isKeptFor({ expiresAt: new Date(Date.now() + 2 * HOUR_MS).toISOString().replace("Z", "") }, 2 * HOUR_MS);
        const toTheMinuteMs = Math.ceil((Date.now() + 2 * HOUR_MS) / 60_000) * 60_000;
        await isKeptFor({ expiresAt: new Date(toTheMinuteMs).toISOString().slice(0, 16) }, toTheMinuteMs - Date.now());
      });

      test("a time that is too short, too long, past, or no time", async () => {
        for (const ttl of ["4m", "0m", "00h", "1y", "7", "d", "-1d", "1.5h", "12345m", "1d1h", "1 d", "forever"]) {
          assertRefused(await send({ ttl }), { status: 400, code: "VALIDATION_FAILED" });
        }
        for (const ttl of ["4d", "73h", "1w", "9999w"]) {
          const answer = await send({ ttl });
          assertRefused(answer, { status: 400, code: "EXPIRY_TOO_LONG" });
          assert.match(answer.body.error ?? "", /3 days/);
        }
        for (const expiresAt of [
          "2001-01-01T00:00:00Z",
          new Date(Date.now() + 60_000).toISOString(),
          "tomorrow",
          "2030-13-01T00:00:00Z",
          "2030-01-01",
        ]) {
          assertRefused(await send({ expiresAt }), { status: 400, code: "VALIDATION_FAILED" });
        }
        assertRefused(await send({ expiresAt: new Date(Date.now() + 3 * DAY_MS + HOUR_MS).toISOString() }), {
          status: 400,
          code: "EXPIRY_TOO_LONG",
        });
      });

      test("a refusal names the field", async () => {
        const { body } = await send({ ttl: "soon", maxDownloads: "0" });
        assert.deepEqual(body.issues?.map((issue) => issue.path).sort(), ["maxDownloads", "ttl"]);
      });

      test("wrong values", async () => {
        const wrong: readonly Fields[] = [
          { maxDownloads: "0" },
          { maxDownloads: "-1" },
          { maxDownloads: "1.5" },
          { maxDownloads: "many" },
          { once: "yes" },
          { visibility: "secret" },
          { retention: "always" },
          { handoffMessage: "x".repeat(481) },
          { runId: "x".repeat(121) },
          { shareShortId: "abc" },
          { folderId: "not-a-uuid" },
        ];
        for (const fields of wrong) assertRefused(await send(fields), { status: 400, code: "VALIDATION_FAILED" });
      });

      test("what needs an account, a username or Pro", async () => {
        assertRefused(await send({ visibility: "public" }), { status: 400, code: "USERNAME_REQUIRED" });
        assertRefused(await send({ retention: "forever" }), { status: 403, code: "PRO_REQUIRED" });
        assertRefused(await send({ direct: "true" }), { status: 403, code: "PRO_REQUIRED" });
        assertRefused(await send({ openShare: "true" }), { status: 401, code: "UNAUTHENTICATED" });
        assertRefused(await send({ shareShortId: "abcdefgh" }), { status: 401, code: "UNAUTHENTICATED" });
        assertRefused(await send({ folderId: crypto.randomUUID() }), { status: 401, code: "UNAUTHENTICATED" });
      });

      test("runId, what is unknown, and what says nothing", async () => {
        const { status, body } = await send({
          runId: "build 7",
          intent: "x",
          grace: "1",
          once: "False",
          direct: "0",
          ...(road === "init" ? {} : { ttl: "" }),
        });
        assert.equal(status, 200, JSON.stringify(body));
        assert.equal(body.data.runId, "build 7");
      });
    });
  }

  test("Pro and a username lift what they lift", async () => {
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

  test("a folder that is unknown, or someone else's", async () => {
    const { key } = await addAccount(server);
    assertRefused(await postUpload(server, { bytes: "x", fields: { folderId: crypto.randomUUID() } }, { key }), {
      status: 404,
      code: "NOT_FOUND",
    });
  });
});
