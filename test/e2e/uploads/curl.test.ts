import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual, promisify } from "node:util";
import { makeFolder } from "../../support/folder.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { call, deleteFile, getShare, toForm, type Upload } from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState } from "../support/servers/state.ts";
import { someBytes } from "../support/uploads/multipart.ts";

const JSON_RESPONSE = { Accept: "application/json" };

/** curl, "The curl form", "Methods and paths", "Several files" and "Unknown parameters". */
describe("an upload by curl", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const put = async (path: string, body: RequestInit["body"], headers: Record<string, string> = {}): Promise<Upload> => {
    const response = await call<{ data: Upload }>(server, "PUT", path, { body, headers: { ...JSON_RESPONSE, ...headers } });
    assert.equal(response.status, 200, JSON.stringify(response.body));
    return response.body.data;
  };

  test("returns the link for curl -T, with the tokens in headers", async () => {
    const response = await fetch(`${server.url}/report.pdf`, { method: "PUT", body: "%PDF-1.7 not really" });
    const text = await response.text();
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
    assert.match(text, /^http:\/\/localhost:\d+\/d\/[1-9A-HJ-NP-Za-km-z]{8}\n$/);
    assert.match(response.headers.get("x-claim-token") ?? "", /^claim_/);
    assert.match(response.headers.get("x-deletion-token") ?? "", /^del_/);
    const share = await getShare(server, text.trim().split("/d/")[1] ?? "");
    assert.equal(share.name, "report.pdf");
  });

  test("returns the link for curl -F, under any field name", async () => {
    for (const field of ["file", "upload"]) {
      const form = new FormData();
      form.append(field, new File(["hello"], "photo.jpg"));
      const response = await fetch(`${server.url}/`, { method: "POST", body: form });
      assert.equal(response.status, 200);
      assert.match(await response.text(), /^http:\/\/localhost:\d+\/d\/\w{8}\n$/);
      assert.match(response.headers.get("x-claim-token") ?? "", /^claim_/);
      assert.match(response.headers.get("x-deletion-token") ?? "", /^del_/);
    }
  });

  test("returns the full upload response for Accept: application/json, with the tokens", async () => {
    for (const [method, body] of [
      ["PUT", "hello"],
      ["POST", toForm({ name: "a.txt", bytes: "hello" })],
    ] as const) {
      const response = await call<{ success: boolean; data: Upload }>(server, method, method === "PUT" ? "/a.txt" : "/", {
        body,
        headers: JSON_RESPONSE,
      });
      assert.equal(response.status, 200);
      assert.equal(response.body.success, true);
      const { data } = response.body;
      assert.equal(data.name, "a.txt");
      assert.equal(data.sha256, createHash("sha256").update("hello").digest("hex"));
      assert.equal(data.claimToken, response.headers.get("x-claim-token"));
      assert.equal(data.deletionToken, response.headers.get("x-deletion-token"));
    }
  });

  test("returns a page for a browser's form", async () => {
    const response = await fetch(`${server.url}/`, { method: "POST", body: toForm({ bytes: "x" }), headers: { Accept: "text/html,*/*" } });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(await response.text(), /\/d\/\w{8}/);
  });

  test("may consist of chunks without a length, as curl -T - sends them", async () => {
    const bytes = someBytes(300_000);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let offset = 0; offset < bytes.length; offset += 70_000) controller.enqueue(bytes.subarray(offset, offset + 70_000));
        controller.close();
      },
    });
    const file = await put("/piped.bin", stream);
    assert.equal(file.size, bytes.length);
    assert.equal(file.sha256, createHash("sha256").update(bytes).digest("hex"));
  });

  test("may be larger than the reservation for an unknown size", async () => {
    const bytes = someBytes(20 * 1024 ** 2);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });
    const file = await put("/larger.bin", stream);
    assert.equal(file.size, bytes.length);
    assert.equal((await countStoredState(server)).reservedBytes, 0);
    const form = await call<{ data: Upload }>(server, "POST", "/", { body: toForm({ name: "big", bytes }), headers: JSON_RESPONSE });
    assert.equal(form.body.data.size, bytes.length);
    assert.equal((await countStoredState(server)).reservedBytes, 0);
  });

  test("may be empty", async () => {
    assert.equal((await put("/empty.txt", "")).size, 0);
    const chunked = await sendRaw(server, [
      "PUT /empty.txt HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nAccept: application/json\r\n\r\n0\r\n\r\n",
    ]);
    assert.equal(chunked.status, 200);
    assert.match(chunked.text, /"size":0/);
    const form = await call<{ data: Upload }>(server, "POST", "/", {
      body: toForm({ name: "empty.txt", bytes: "" }),
      headers: JSON_RESPONSE,
    });
    assert.equal(form.body.data.size, 0);
  });

  test("gets a name if the URL has none", async () => {
    const file = await put("/", "x");
    assert.ok(file.name.length > 0);
  });

  test("belongs to the key's account and returns no tokens", async () => {
    const { key } = await addAccount(server);
    const response = await fetch(`${server.url}/a.txt`, {
      method: "PUT",
      body: "x",
      headers: { Authorization: `Bearer ${key}`, ...JSON_RESPONSE },
    });
    assert.equal(response.headers.get("x-claim-token"), null);
    assert.equal(response.headers.get("x-deletion-token"), null);
    const { data } = (await response.json()) as { data: Upload };
    assert.equal(data.isAnonymous, false);
  });

  test("returns an error as one line, or as JSON on request", async () => {
    const line = await fetch(`${server.url}/a.txt?ttl=never`, { method: "PUT", body: "x" });
    assert.equal(line.status, 400);
    assert.match(line.headers.get("content-type") ?? "", /^text\/plain/);
    assert.match(await line.text(), /^[^\n]+ttl[^\n]+\n$/);
    const json = await call(server, "PUT", "/a.txt?ttl=never", { body: "x", headers: JSON_RESPONSE });
    assert.equal(json.body.errorCode, "VALIDATION_FAILED");
  });

  test("is refused for a form without a file, with too many files, or with a malformed body", async () => {
    const before = await countStoredState(server);
    const without = await call(server, "POST", "/", { body: toForm({ fields: { ttl: "1h" } }), headers: JSON_RESPONSE });
    assert.deepEqual([without.status, without.body.errorCode], [400, "NO_FILE"]);
    const nothingChosen =
      '--b\r\nContent-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--b--\r\n';
    const headers = { "Content-Type": "multipart/form-data; boundary=b", ...JSON_RESPONSE };
    const unchosen = await call(server, "POST", "/", { body: nothingChosen, headers });
    assert.deepEqual([unchosen.status, unchosen.body.errorCode], [400, "NO_FILE"]);
    const eleven = formOf(...Array.from({ length: 11 }, (_, index) => [`${index}.txt`, "x"] as const));
    assert.equal((await call(server, "POST", "/", { body: eleven, headers: JSON_RESPONSE })).status, 400);
    const many = formOf(...Array.from({ length: 51 }, (_, index) => [`${index}.txt`, "x"] as const));
    const page = await fetch(`${server.url}/`, { method: "POST", body: many, headers: { Accept: "text/html" } });
    assert.equal(page.status, 400);
    assert.equal((await call(server, "POST", "/", { body: "plain", headers: JSON_RESPONSE })).status, 415);
    for (const body of ["junk", "--b\r\n\r\n", '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nnever ends']) {
      assert.equal((await call(server, "POST", "/", { body, headers })).status, 400, body);
    }
    assert.equal(
      (await call(server, "POST", "/", { body: "x", headers: { "Content-Type": "multipart/form-data", ...JSON_RESPONSE } })).status,
      400,
    );
    await until("no upload is open", async () => (await countStoredState(server)).sessions === 0);
    assert.deepEqual(await countStoredState(server), before);
  });

  const formOf = (...files: readonly (readonly [name: string, bytes: string])[]): FormData => {
    const form = new FormData();
    for (const [name, bytes] of files) form.append("file", new File([bytes], name));
    return form;
  };
  const shortIdsIn = (text: string): string[] => [...text.matchAll(/\/d\/(\w{8})$/gm)].map(([, shortId = ""]) => shortId);
  const nameOf = async (shortId: string): Promise<unknown> => (await getShare(server, shortId)).name;

  test("returns one link per file of a form, and the tokens in the same order", async () => {
    const form = formOf(["a.txt", "one"], ["b.txt", "two"], ["c.txt", "three"]);
    form.append("ttl", "1h");
    const response = await fetch(`${server.url}/`, { method: "POST", body: form });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.match(text, /^(http:\/\/localhost:\d+\/d\/\w{8}\n){3}$/);
    const shortIds = shortIdsIn(text);
    assert.deepEqual(await Promise.all(shortIds.map(nameOf)), ["a.txt", "b.txt", "c.txt"]);
    // A field applies to all files, also when it follows them.
    for (const shortId of shortIds) assert.ok(Date.parse(String((await getShare(server, shortId)).expires_at)) < Date.now() + 3_700_000);
    const tokens = (response.headers.get("x-deletion-token") ?? "").split(", ");
    assert.deepEqual([tokens.length, response.headers.get("x-claim-token")?.split(", ").length], [3, 3]);
    const { id } = await getShare(server, shortIds[1] ?? "");
    await deleteFile(server, { fileId: id, token: tokens[1] });
  });

  test("returns several files as JSON, and the same response for a repeated Idempotency-Key", async () => {
    const send = (third: string) =>
      call<{ data: { files: (Upload & { idempotent?: boolean })[] }; errorCode?: string }>(server, "POST", "/", {
        body: formOf(["a.txt", "one"], ["b.txt", "two"], ["c.txt", third]),
        headers: { ...JSON_RESPONSE, "Idempotency-Key": "three-files-1" },
      });
    const first = await send("three");
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.deepEqual(
      first.body.data.files.map(({ name, size }) => [name, size]),
      [
        ["a.txt", 3],
        ["b.txt", 3],
        ["c.txt", 5],
      ],
    );
    const again = await send("three");
    assert.deepEqual(
      again.body.data.files,
      first.body.data.files.map((file) => ({ ...file, idempotent: true })),
    );
    assert.equal(again.headers.get("x-claim-token"), first.body.data.files.map(({ claimToken }) => claimToken).join(", "));
    const other = await send("other");
    assert.deepEqual([other.status, other.body.errorCode], [422, "IDEMPOTENCY_KEY_REUSED"]);
  });

  test("stores all files of a form or none", async () => {
    const before = await countStoredState(server);
    const late = formOf(["a.txt", "one"], ["b.txt", "two"]);
    late.append("ttl", "never");
    assert.equal((await call(server, "POST", "/", { body: late, headers: JSON_RESPONSE })).status, 400);
    const { key } = await addAccount(server);
    const lost = formOf(["a.txt", "one"], ["b.txt", "two"]);
    lost.append("shareShortId", "aaaaaaaa");
    const headers = { ...JSON_RESPONSE, Authorization: `Bearer ${key}` };
    assert.equal((await call(server, "POST", "/", { body: lost, headers })).status, 404);
    assert.deepEqual(await countStoredState(server), before);
  });

  test("stores two files of one curl command, with -T and with -F", async () => {
    await using folder = await makeFolder();
    await Promise.all(["a.txt", "b.txt"].map((name) => writeFile(join(folder.path, name), name)));
    const commands = [
      ["-T", "{a.txt,b.txt}", `${server.url}/`],
      ["-F", "file=@a.txt", "-F", "file=@b.txt", `${server.url}/`],
    ];
    for (const command of commands) {
      const { stdout } = await promisify(execFile)("curl", ["-sS", "-f", ...command], { cwd: folder.path });
      assert.deepEqual(await Promise.all(shortIdsIn(stdout).map(nameOf)), ["a.txt", "b.txt"], stdout);
    }
  });

  test("ignores empty path segments, also before a reserved path and without a name", async () => {
    await using folder = await makeFolder();
    await writeFile(join(folder.path, "a.txt"), "a");
    // curl, because fetch removes the second slash.
    const send = (path: string) => promisify(execFile)("curl", ["-sS", "-T", "a.txt", server.url + path], { cwd: folder.path });
    const { stdout } = await send("//docs//b.txt");
    assert.deepEqual(await Promise.all(shortIdsIn(stdout).map(nameOf)), ["b.txt"], stdout);
    const { stdout: nameless } = await promisify(execFile)("curl", ["-sS", "-X", "PUT", "--data-binary", "@a.txt", `${server.url}//`], {
      cwd: folder.path,
    });
    assert.deepEqual(await Promise.all(shortIdsIn(nameless).map(nameOf)), ["file"], nameless);
    for (const own of ["//api/b.txt", "/api//b.txt"]) assert.match((await send(own)).stdout, /NOT_FOUND/, own);
  });

  test("names the file by the last path segment, and stores the path in a shipment", async () => {
    const { key } = await addAccount(server);
    const first = await put("/docs/deep/b%20c.txt?openShare=true", "x", { Authorization: `Bearer ${key}` });
    assert.equal(first.name, "b c.txt");
    await put(`/a/?shareShortId=${first.shortId}`, "y", { Authorization: `Bearer ${key}` });
    const { files } = await getShare(server, first.shortId);
    assert.deepEqual(
      files?.map(({ name, relativePath }) => [name, relativePath]),
      [
        ["b c.txt", "docs/deep/b c.txt"],
        ["a", null],
      ],
    );
    const text = await fetch(`${server.url}/a/b.txt`, { method: "PUT", body: "x" });
    assert.match(await text.text(), /^http:\/\/localhost:\d+\/d\/\w{8}\n$/);
    const refused = await fetch(`${server.url}/a/b.txt?ttl=never`, { method: "PUT", body: "x" });
    assert.deepEqual([refused.status, refused.headers.get("content-type")], [400, "text/plain; charset=utf-8"]);
  });

  test("is refused for the paths of the server's other routes", async () => {
    const before = await countStoredState(server);
    const own = ["/api/files/list", "/api/a/b.txt", "/api/x", "/up/a", "/up/a/b/c", "/de/a/b", "/de/unknown", "/d/abcdefgh", "/d/a/b/c"];
    for (const path of [...own, "/h/a/b", "/dl/a/b/c", "/ar/x", "/assets/x.js", "/delete/a/b", "/report/a/b", "/health/live"]) {
      const { status, body } = await call(server, "PUT", path, { body: "x", headers: JSON_RESPONSE });
      assert.ok([403, 404, 405].includes(status), `${path}: ${status}`);
      assert.equal(body.success, false);
    }
    assert.deepEqual(await countStoredState(server), before);
  });

  test("returns a warning about unknown query parameters, which suggests similar ones", async () => {
    const warningOf = async (query: string, init: RequestInit = { method: "PUT", body: "x" }) =>
      (await fetch(`${server.url}/${init.method === "PUT" ? "a.txt" : ""}?${query}`, init)).headers.get("x-filehost-warning");
    assert.equal(await warningOf("ttl=1h&once=0"), null);
    assert.equal(await warningOf("tll=1h"), 'Unknown parameter "tll" was ignored. Did you mean "ttl"?');
    assert.equal(
      await warningOf("maxdownload=1", { method: "POST", body: toForm({ bytes: "x" }) }),
      'Unknown parameter "maxdownload" was ignored. Did you mean "maxDownloads"?',
    );
    // The warning is also sent with a refusal.
    assert.match((await warningOf("tll=1h&ttl=never")) ?? "", /"tll"/);
    const injected = (await warningOf(`${encodeURIComponent('a\r\nX-Evil: "1"\u2028é')}=1`)) ?? "";
    assert.equal(injected, 'Unknown parameter "a??X-Evil???1???" was ignored.');
    const many =
      (await warningOf(
        Array.from({ length: 2000 }, (_, index) => `${"x".repeat(60)}${index}=1`)
          .join("&")
          .slice(0, 12_000),
      )) ?? "";
    assert.ok(many.length < 1000 && /\d+ more were ignored\.$/.test(many), many);
    const response = await fetch(`${server.url}/a.txt?tll=1h`, { method: "PUT", body: "x" });
    assert.match(response.headers.get("access-control-expose-headers") ?? "", /X-Filehost-Warning/);
  });

  describe("an upload over a raw socket", () => {
    const leavesNothing = async (what: () => Promise<unknown>) => {
      await until("no upload is open", async () => (await countStoredState(server)).sessions === 0);
      const before = await countStoredState(server);
      await what();
      await until("the upload is removed", async () => isDeepStrictEqual(await countStoredState(server), before));
    };

    const started = () => until("the upload has started", async () => (await countStoredState(server)).sessions === 1);

    test("leaves nothing of a body shorter than declared", () =>
      leavesNothing(() =>
        sendRaw(server, ["PUT /short.bin HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", "x".repeat(50_000)], {
          endAfter: started,
          deadlineMs: 1000,
        }),
      ));

    test("leaves nothing when the client disconnects, also during chunks or a form", async () => {
      await leavesNothing(() =>
        sendRaw(server, ["PUT /cut.bin HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n", someBytes(1_000_000)], {
          cutAfter: started,
        }),
      );
      await leavesNothing(() =>
        sendRaw(server, ["PUT /cut.bin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n"], {
          cutAfter: started,
        }),
      );
      const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhello';
      const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n";
      await leavesNothing(() => sendRaw(server, [head, form], { cutAfter: started }));
      const second = form + form.replace("--b", "\r\n--b").replace("hello", "more");
      const bothStarted = () => until("both uploads have started", async () => (await countStoredState(server)).sessions === 2);
      await leavesNothing(() => sendRaw(server, [head, second], { cutAfter: bothStarted }));
    });

    test("leaves nothing of malformed chunks", () =>
      leavesNothing(() =>
        sendRaw(server, ["PUT /bad.bin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\nzz\r\nmore"], {
          deadlineMs: 1000,
        }),
      ));

    test("stores no bytes beyond the declared length", async () => {
      const response = await sendRaw(server, [
        `PUT /long.bin HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nAccept: application/json\r\nConnection: close\r\n\r\nhello, and more`,
      ]);
      assert.ok([200, 400].includes(response.status), response.text);
      if (response.status === 200) assert.match(response.text, /"size":5,/);
    });

    test("does not stop the server, however malformed it is", async () => {
      assert.equal((await fetch(`${server.url}/health/live`)).status, 200);
    });
  });
});
