import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, type Body, call, getShare, postUpload, type Upload, upload } from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState } from "../support/servers/state.ts";
import { someBytes } from "../support/uploads/multipart.ts";

const PNG = Uint8Array.from(
  Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
);

/** uploads, "One request" and "Name and type"; model, "The upload response" and "Share metadata". */
describe("POST /api/files/upload", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("returns every documented field of an anonymous upload", async () => {
    const sentAt = Date.now();
    const { status, headers, body } = await postUpload(server, { name: "hello.txt", bytes: "hello" });
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "application/json");
    assert.equal(body.success, true);
    const file = body.data;
    assert.match(file.id, /^[0-9A-Za-z]{16}$/);
    assert.match(file.shortId, /^[1-9A-HJ-NP-Za-km-z]{8}$/);
    assert.equal(file.shortCode, file.shortId);
    assert.equal(file.sharePath, `/d/${file.shortId}`);
    const site = `http://localhost:${new URL(server.url).port}`;
    assert.equal(file.shareUrl, `${site}/d/${file.shortId}`);
    assert.ok(file.url.startsWith(`${site}/`));
    assert.equal(file.name, "hello.txt");
    assert.equal(file.size, 5);
    assert.equal(file.mimeType, "text/plain");
    assert.equal(file.sha256, createHash("sha256").update("hello").digest("hex"));
    assert.match(file.createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.ok(Math.abs(Date.parse(file.createdAt) - sentAt) < 60_000);
    assert.ok(Math.abs(Date.parse(file.expiresAt ?? "") - sentAt - 3 * DAY_MS) < 60_000);
    assert.equal(file.isAnonymous, true);
    assert.equal(file.runId, null);
    assert.equal(file.scanStatus, "clean");
    assert.match(file.claimToken ?? "", /^claim_[\w-]{43}$/);
    assert.match(file.deletionToken ?? "", /^del_[\w-]{43}$/);
    assert.ok(!("unlockCode" in file) && !("handoffUrl" in file));
    assert.equal(await (await fetch(file.url)).text(), "hello");
  });

  test("returns tokens that share metadata never contains", async () => {
    const file = await upload(server, { bytes: "x" });
    const share = await getShare(server, file.shortId);
    assert.ok(!JSON.stringify(share).includes("oken"));
  });

  test("makes a file that share metadata describes", async () => {
    const file = await upload(server, { name: "a.txt", bytes: "abc" });
    const { success, data, ...metadata } = await getShare(server, file.shortId);
    assert.equal(success, true);
    for (const where of [metadata, data]) {
      assert.deepEqual(where, {
        id: file.id,
        short_id: file.shortId,
        kind: "file",
        name: "a.txt",
        size_bytes: 3,
        content_type: "text/plain",
        sha256: file.sha256,
        expires_at: file.expiresAt,
        scanStatus: "clean",
        failureReason: null,
        modifiedAt: null,
        executable: false,
        encrypted: false,
        scanned: false,
        scanCoverage: "none",
        uploading: false,
        receivedBytes: null,
        title: null,
        message: null,
        unlockRequired: false,
        unlockKind: null,
        downloadsLimited: false,
        directEffective: false,
        sponsoredDelivery: false,
        paymentRequired: false,
        priceCents: null,
      });
    }
  });

  test("derives the media type from the content before the declared type", async () => {
    const typeOf = async (form: Parameters<typeof upload>[1]) => (await upload(server, form)).mimeType;
    assert.equal(await typeOf({ name: "a.txt", type: "text/plain", bytes: PNG }), "image/png");
    assert.equal(await typeOf({ name: "a.csv", type: "text/csv", bytes: "a,b" }), "text/csv");
    assert.equal(await typeOf({ name: "a.css", type: "application/octet-stream", bytes: "a{}" }), "text/css");
    assert.equal(await typeOf({ name: "a", type: "not a type\u0001", bytes: "abc" }), "text/plain");
  });

  test("derives the media type of a part without one, or with text/plain, from the file name or the content", async () => {
    const typeOf = async (path: string, part: string, bytes = "a,b"): Promise<unknown> => {
      const body = `--b\r\nContent-Disposition: form-data; name="runId"\r\nContent-Type: text/html\r\n\r\nx\r\n--b\r\n${part}\r\n\r\n${bytes}\r\n--b--\r\n`;
      const headers = { "Content-Type": "multipart/form-data; boundary=b", Accept: "application/json" };
      return (await call<{ data: Upload }>(server, "POST", path, { body, headers })).body.data.mimeType;
    };
    for (const path of ["/api/files/upload", "/"]) {
      const disposition = 'Content-Disposition: form-data; name="file"; filename=';
      assert.equal(await typeOf(path, `${disposition}"a.csv"`), "text/csv");
      assert.equal(await typeOf(path, `${disposition}"a.bin"`), "application/octet-stream");
      assert.equal(await typeOf(path, `${disposition}"a.csv"\r\nContent-Type: text/plain`), "text/csv");
      assert.equal(await typeOf(path, `${disposition}"a.csv"\r\nContent-Type: text/tab-separated-values`), "text/tab-separated-values");
      for (const type of ["", "\r\nContent-Type: text/plain"]) {
        assert.equal(await typeOf(path, `${disposition}"LICENSE"${type}`), "text/plain");
        assert.equal(await typeOf(path, `${disposition}"LICENSE"${type}`, "a\0b"), "application/octet-stream");
      }
      assert.equal(await typeOf(path, `${disposition}"LICENSE"\r\nContent-Type: application/octet-stream`), "text/plain");
    }
  });

  test("accepts an empty file", async () => {
    const file = await upload(server, { name: "empty", bytes: "" });
    assert.equal(file.size, 0);
    assert.equal(file.sha256, createHash("sha256").digest("hex"));
    const response = await fetch(file.url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-length"), "0");
  });

  test("accepts 4 MB, and refuses one byte more with a hint at multipart uploads", async () => {
    const most = someBytes(4 * 1024 ** 2);
    const file = await upload(server, { name: "most.bin", bytes: most });
    assert.equal(file.size, most.length);
    const before = await countStoredState(server);
    const response = await postUpload(server, { bytes: someBytes(most.length + 1) });
    assertRefused(response, { status: 413, code: "FILE_TOO_LARGE_FOR_DIRECT" });
    assert.match(response.body.error ?? "", /multipart/);
    assert.deepEqual(await countStoredState(server), before);
  });

  test("refuses a body by its Content-Length before it is sent", async () => {
    const head =
      "POST /api/files/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000000\r\n\r\n";
    const response = await sendRaw(server, [head, "--b\r\n"]);
    assert.equal(response.status, 413);
    assert.match(response.text, /FILE_TOO_LARGE_FOR_DIRECT/);
  });

  test("refuses a form without a file, and a body that is not a form", async () => {
    const nothing = await postUpload(server, { fields: { ttl: "1h" } });
    assert.equal(nothing.status, 400);
    assert.equal(nothing.body.success, false);
    assertRefused(await call(server, "POST", "/api/files/upload"), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await call(server, "POST", "/api/files/upload", { json: { file: "x" } }), {
      status: 415,
      code: "UNSUPPORTED_MEDIA_TYPE",
    });
    const form = "multipart/form-data; boundary=b";
    assertRefused(await call(server, "POST", "/api/files/upload", { headers: { "Content-Type": form }, body: "junk" }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
    const withoutBoundary = await call(server, "POST", "/api/files/upload", {
      headers: { "Content-Type": "multipart/form-data" },
      body: "x",
    });
    assert.equal(withoutBoundary.status, 400);
  });

  test("refuses a form with too many fields instead of ignoring some", async () => {
    const others = Array.from({ length: 49 }, (_, n) => [`x${n}`, "x"] as const);
    const filled = (fields: readonly (readonly [string, string])[]) => {
      const form = new FormData();
      form.append("file", new File(["hello"], "note.txt"));
      for (const [name, value] of [...fields, ["protect", "true"] as const]) form.append(name, value);
      return form;
    };
    for (const path of ["/api/files/upload", "/"]) {
      const headers = { Accept: "application/json" };
      const send = (body: FormData) => call<Body & { data: Upload }>(server, "POST", path, { body, headers });
      const taken = await send(filled(others));
      assert.equal(taken.status, 200, JSON.stringify(taken.body));
      assert.equal((await getShare(server, taken.body.data.shortId)).unlockRequired, true);
      const refused = await send(filled([...others, ["more", "x"]]));
      assertRefused(refused, { status: 400, code: "VALIDATION_FAILED" });
      assert.match(refused.body.error ?? "", /50 fields/);
    }
  });

  test("leaves nothing when the client disconnects", async () => {
    const before = await countStoredState(server);
    const form = "--b\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\n";
    const head =
      "POST /api/files/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n";
    await sendRaw(server, [head, form, "x".repeat(10_000)], { cutAfter: () => askShare(server, "abcdefgh") });
    await upload(server, { bytes: "after" });
    const after = await countStoredState(server);
    assert.deepEqual(
      { ...after, stored: after.stored.length },
      { ...before, files: before.files + 1, shares: before.shares + 1, usedBytes: before.usedBytes + 5, stored: before.stored.length + 1 },
    );
  });

  describe("a request with a key", () => {
    test("is accepted in any of the documented headers", async () => {
      const { key } = await addAccount(server);
      const spellings: readonly Record<string, string>[] = [
        { Authorization: `Bearer ${key}` },
        { Authorization: `bearer ${key}` },
        { Authorization: key },
        { "x-service-api-key": key },
      ];
      for (const headers of spellings) {
        const file = await upload(server, { bytes: "mine" }, { headers });
        assert.equal(file.isAnonymous, false, JSON.stringify(headers));
        assert.equal(file.claimToken, undefined);
        assert.equal(file.deletionToken, undefined);
        assert.ok(Math.abs(Date.parse(file.expiresAt ?? "") - Date.now() - 7 * DAY_MS) < 60_000);
      }
    });

    test("makes a Pro account's file without expiry", async () => {
      const { key } = await addAccount(server, { tier: "pro" });
      assert.equal((await upload(server, { bytes: "mine" }, { key })).expiresAt, null);
    });

    test("is refused for an invalid key, even where none is required", async () => {
      const { key } = await addAccount(server);
      const altered = key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");
      for (const wrong of ["bc_nothing", altered, "Bearer", `bc_${"A".repeat(8)}_${"A".repeat(43)}`]) {
        assertRefused(await postUpload(server, { bytes: "x" }, { key: wrong }), { status: 401, code: "UNAUTHENTICATED" });
        assertRefused(await call(server, "GET", "/api/files/share/abcdefgh", { key: wrong }), { status: 401, code: "UNAUTHENTICATED" });
        const put = await fetch(`${server.url}/a.txt`, { method: "PUT", body: "x", headers: { Authorization: `Bearer ${wrong}` } });
        assert.equal(put.status, 401);
      }
    });

    test("is refused for a read-only key", async () => {
      const { key } = await addAccount(server, { scope: "files_read" });
      assertRefused(await postUpload(server, { bytes: "x" }, { key }), { status: 403, code: "INSUFFICIENT_SCOPE" });
    });
  });

  test("accepts many concurrent requests", async () => {
    const files = await Promise.all(
      Array.from({ length: 40 }, (_, index) => upload(server, { name: `${index}.txt`, bytes: `content ${index}` })),
    );
    assert.equal(new Set(files.flatMap((file: Upload) => [file.id, file.shortId])).size, 80);
    const texts = await Promise.all(files.map(async (file) => (await fetch(file.url)).text()));
    assert.deepEqual(
      texts,
      files.map((_, index) => `content ${index}`),
    );
  });
});
