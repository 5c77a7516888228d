import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call } from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState } from "../support/servers/state.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const JSON_ROUTES = ["init", "batch-urls", "complete", "abort"].map((name) => `/api/files/multipart/${name}`);

/** envelopes and errors, "Requests" and "Errors"; request limits, "Size of a body". */
describe("input validation", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const INVALID = { status: 400, code: "VALIDATION_FAILED" };

  test("accepts a missing body when all its fields are optional, with and without a content type", async () => {
    const { key } = await addAccount(server);
    for (const options of [{ key }, { key, headers: JSON_TYPE }, { key, headers: JSON_TYPE, body: "" }]) {
      const { status, body } = await call(server, "POST", "/api/keys", options);
      assert.equal(status, 200, JSON.stringify(body));
    }
  });

  for (const route of JSON_ROUTES) {
    describe(route, () => {
      test("rejects a body that is not a JSON object", async () => {
        for (const body of [
          "",
          "{",
          "null",
          "[]",
          "[1]",
          '"text"',
          "1",
          "true",
          "{'a':1}",
          '{"a":1}}',
          "\u0000",
          "NaN",
          // The body of abort may be small alone, since it has few fields.
          "[".repeat(route.endsWith("/abort") ? 10_000 : 100_000),
        ]) {
          assertRefused(await call(server, "POST", route, { body, headers: JSON_TYPE }), INVALID);
        }
        assertRefused(await call(server, "POST", route, { body: Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), headers: JSON_TYPE }), INVALID);
      });

      test("rejects a missing body by the fields that it lacks", async () => {
        const response = await call(server, "POST", route);
        assertRefused(response, INVALID);
        assert.ok(
          response.body.issues?.some(({ path }) => path !== ""),
          JSON.stringify(response.body),
        );
      });

      test("rejects another content type and a missing one", async () => {
        const types: readonly Record<string, string>[] = [
          { "Content-Type": "text/plain" },
          { "Content-Type": "application/x-www-form-urlencoded" },
          { "Content-Type": "multipart/form-data; boundary=b" },
        ];
        for (const headers of types) {
          assertRefused(await call(server, "POST", route, { body: "{}", headers }), { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
        }
        const without = await sendRaw(server, [`POST ${route} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`]);
        assert.equal(without.status, 415);
      });

      test("accepts a content type with parameters", async () => {
        assertRefused(
          await call(server, "POST", route, { body: "{}", headers: { "Content-Type": "Application/JSON; charset=utf-8" } }),
          INVALID,
        );
      });

      test("rejects 10 MB of JSON before parsing, with and without a declared length", async () => {
        const padding = `{"x":"${"x".repeat(10 * 1024 ** 2)}"}`;
        assertRefused(await call(server, "POST", route, { body: padding, headers: JSON_TYPE }), { status: 413, code: "BODY_TOO_LARGE" });
        const stream = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let i = 0; i < 10; i += 1) controller.enqueue(new Uint8Array(1024 ** 2).fill(120));
            controller.close();
          },
        });
        const chunked = await call(server, "POST", route, { body: stream, headers: JSON_TYPE });
        assertRefused(chunked, { status: 413, code: "BODY_TOO_LARGE" });
        const declared = await sendRaw(server, [
          `POST ${route} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\n\r\n{`,
        ]);
        assert.equal(declared.status, 413);
      });
    });
  }

  test("names every field of a wrong type", async () => {
    const wrong: Readonly<Record<string, unknown>> = {
      fileName: 1,
      fileSize: "many",
      fileType: 5,
      partSize: "big",
      sha256: "abc",
      visibility: "nobody",
      direct: "maybe",
      retention: 1,
      expiresAt: 5,
      ttl: [],
      once: {},
      maxDownloads: true,
      protect: "yes",
      handoffMessage: ["x"],
      runId: {},
      openShare: 7,
      shareShortId: 123,
      folderId: "x",
      relativePath: 5,
    };
    const all = await call(server, "POST", "/api/files/multipart/init", { json: wrong });
    assertRefused(all, INVALID);
    assert.deepEqual(all.body.issues?.map((issue) => issue.path).sort(), Object.keys(wrong).sort());
    for (const [name, value] of Object.entries(wrong)) {
      const response = await call(server, "POST", "/api/files/multipart/init", {
        json: { fileName: "a", fileSize: 1, [name]: value } as object,
      });
      assertRefused(response, INVALID);
      assert.deepEqual(
        response.body.issues?.map((issue) => issue.path),
        [name],
      );
      assert.ok(response.body.error?.includes(name), name);
    }
    assert.equal((await countStoredState(server)).sessions, 0);
  });

  test("ignores unknown fields, `__proto__` among them", async () => {
    const body =
      '{"fileName":"a","fileSize":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"step":1,"intent":"x","consumer":{},"clientEncryption":null,"grace":[]}';
    const { status, body: response } = await call<{ data: { uploadId: string } }>(server, "POST", "/api/files/multipart/init", {
      body,
      headers: JSON_TYPE,
    });
    assert.equal(status, 200);
    await call(server, "POST", "/api/files/multipart/abort", { json: { uploadId: response.data.uploadId, unknown: true } });
    assert.equal((await countStoredState(server)).sessions, 0);
  });

  test("treats null as an absent field", async () => {
    const json = {
      fileName: "a",
      fileSize: 1,
      ttl: null,
      expiresAt: null,
      once: null,
      maxDownloads: null,
      folderId: null,
      runId: null,
      partSize: null,
      sha256: null,
    };
    const { status, body } = await call<{ data: { uploadId: string } }>(server, "POST", "/api/files/multipart/init", { json });
    assert.equal(status, 200);
    await call(server, "POST", "/api/files/multipart/abort", { json: { uploadId: body.data.uploadId } });
  });

  test("rejects malformed HTTP and leaves nothing behind", async () => {
    const long = "x".repeat(70_000);
    const requests = [
      "GET\r\n\r\n",
      "\u0000\u0001\u0002\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`,
      "GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      "GET //etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      "GET http://elsewhere/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      "GET /d/%00 HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n",
      "POST /api/files/multipart/init HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: -5\r\n\r\n{}",
      "POST /api/files/multipart/init HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
      "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ];
    await Promise.all(
      requests.map(async (request) => {
        const { status, text } = await sendRaw(server, [request], { deadlineMs: 1500, endAfter: () => Promise.resolve() });
        assert.ok(status < 500 || status === 505, `${JSON.stringify(request.slice(0, 60))}: ${text.slice(0, 200)}`);
      }),
    );
    const left = await countStoredState(server);
    assert.equal(left.reservedBytes, 0);
    assert.equal((await fetch(`${server.url}/health/live`)).status, 200);
  });

  test("returns errors without internal details", async () => {
    const responses = await Promise.all([
      call(server, "GET", "/api/files/share/%27%22%3B"),
      call(server, "POST", "/api/files/multipart/complete", { json: { uploadId: "x", parts: [{ partNumber: 1, etag: 5 }] } }),
      call(server, "DELETE", "/api/files/delete?fileId=%00"),
    ]);
    for (const { body } of responses) assert.doesNotMatch(JSON.stringify(body), /sqlite|libsql|\/src\/|\.ts|at \w+ \(|node_modules|\/tmp/i);
  });

  test("keeps secrets out of the log", async () => {
    const before = server.logs().length;
    const form = new FormData();
    form.append("file", new File(["x"], "a.txt"));
    const { body } = await call<{ data: { id: string; url: string; deletionToken: string; claimToken: string } }>(
      server,
      "POST",
      "/api/files/upload",
      { body: form },
    );
    const { data } = body;
    await fetch(data.url);
    await call(server, "DELETE", `/api/files/delete?fileId=${data.id}&token=${data.deletionToken}`);
    const { body: session } = await call<{ data: { uploadId: string } }>(server, "POST", "/api/files/multipart/init", {
      json: { fileName: "a", fileSize: 1 },
    });
    await call(server, "GET", `/api/files/multipart/${session.data.uploadId}`);
    await call(server, "GET", "/api/files/share/abcdefgh", { key: "bc_notakey1_secret" });
    const lines = JSON.stringify(server.logs().slice(before));
    assert.match(lines, /\/api\/files\/delete/);
    const signature = new URL(data.url).searchParams.get("s") ?? "";
    for (const secret of [data.deletionToken, data.claimToken, signature, session.data.uploadId, "bc_notakey1"])
      assert.ok(!lines.includes(secret), secret);
  });
});
