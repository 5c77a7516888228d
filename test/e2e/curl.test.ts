import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import { call, getShare, toForm, type Upload } from "./support/api.ts";
import { someBytes } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain.ts";
import { sendRaw } from "./support/raw.ts";
import { traces } from "./support/state.ts";

const JSON_ANSWER = { Accept: "application/json" };

/** decisions, "Uploads". */
describe("the curl form", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const put = async (path: string, body: RequestInit["body"], headers: Record<string, string> = {}): Promise<Upload> => {
    const answer = await call<{ data: Upload }>(server, "PUT", path, { body, headers: { ...JSON_ANSWER, ...headers } });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data;
  };

  test("curl -T answers the link alone, the tokens in headers", async () => {
    const response = await fetch(`${server.url}/report.pdf`, { method: "PUT", body: "%PDF-1.7 not really" });
    const text = await response.text();
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
    assert.match(text, /^http:\/\/localhost:\d+\/d\/[1-9A-HJ-NP-Za-km-z]{8}\n$/);
    assert.match(response.headers.get("x-claim-token") ?? "", /^claim_/);
    assert.match(response.headers.get("x-deletion-token") ?? "", /^del_/);
    const { body } = await getShare(server, text.trim().split("/d/")[1] ?? "");
    assert.equal(body.name, "report.pdf");
  });

  test("curl -F answers the link alone, whatever the field is called", async () => {
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

  test("Accept: application/json gets the whole upload response, tokens too", async () => {
    for (const [method, body] of [
      ["PUT", "hello"],
      ["POST", toForm({ name: "a.txt", bytes: "hello" })],
    ] as const) {
      const answer = await call<{ success: boolean; data: Upload }>(server, method, method === "PUT" ? "/a.txt" : "/", {
        body,
        headers: JSON_ANSWER,
      });
      assert.equal(answer.status, 200);
      assert.equal(answer.body.success, true);
      const { data } = answer.body;
      assert.equal(data.name, "a.txt");
      assert.equal(data.sha256, createHash("sha256").update("hello").digest("hex"));
      assert.equal(data.claimToken, answer.headers.get("x-claim-token"));
      assert.equal(data.deletionToken, answer.headers.get("x-deletion-token"));
    }
  });

  test("a browser's form gets a page", async () => {
    const response = await fetch(`${server.url}/`, { method: "POST", body: toForm({ bytes: "x" }), headers: { Accept: "text/html,*/*" } });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(await response.text(), /\/d\/\w{8}/);
  });

  test("curl -T - sends chunks without a length", async () => {
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

  test("a file that outgrows what was set aside for an unknown size", async () => {
    const bytes = someBytes(20 * 1024 ** 2);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });
    const file = await put("/larger.bin", stream);
    assert.equal(file.size, bytes.length);
    assert.equal((await traces(server)).reservedBytes, 0);
    const form = await call<{ data: Upload }>(server, "POST", "/", { body: toForm({ name: "big", bytes }), headers: JSON_ANSWER });
    assert.equal(form.body.data.size, bytes.length);
    assert.equal((await traces(server)).reservedBytes, 0);
  });

  test("no bytes at all", async () => {
    assert.equal((await put("/empty.txt", "")).size, 0);
    const chunked = await sendRaw(server, [
      "PUT /empty.txt HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nAccept: application/json\r\n\r\n0\r\n\r\n",
    ]);
    assert.equal(chunked.status, 200);
    assert.match(chunked.text, /"size":0/);
    const form = await call<{ data: Upload }>(server, "POST", "/", {
      body: toForm({ name: "empty.txt", bytes: "" }),
      headers: JSON_ANSWER,
    });
    assert.equal(form.body.data.size, 0);
  });

  test("without a name in the address", async () => {
    const file = await put("/", "x");
    assert.ok(file.name.length > 0);
  });

  test("with a key nothing is anonymous", async () => {
    const { key } = await addAccount(server);
    const response = await fetch(`${server.url}/a.txt`, {
      method: "PUT",
      body: "x",
      headers: { Authorization: `Bearer ${key}`, ...JSON_ANSWER },
    });
    assert.equal(response.headers.get("x-claim-token"), null);
    assert.equal(response.headers.get("x-deletion-token"), null);
    const { data } = (await response.json()) as { data: Upload };
    assert.equal(data.isAnonymous, false);
  });

  test("an error is one line, or JSON where that is asked for", async () => {
    const line = await fetch(`${server.url}/a.txt?ttl=never`, { method: "PUT", body: "x" });
    assert.equal(line.status, 400);
    assert.match(line.headers.get("content-type") ?? "", /^text\/plain/);
    assert.match(await line.text(), /^[^\n]+ttl[^\n]+\n$/);
    const json = await call(server, "PUT", "/a.txt?ttl=never", { body: "x", headers: JSON_ANSWER });
    assert.equal(json.body.errorCode, "VALIDATION_FAILED");
  });

  test("a form without a file, with two, or that is none", async () => {
    const before = await traces(server);
    const without = await call(server, "POST", "/", { body: toForm({ fields: { ttl: "1h" } }), headers: JSON_ANSWER });
    assert.deepEqual([without.status, without.body.errorCode], [400, "NO_FILE"]);
    const nothingChosen =
      '--b\r\nContent-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--b--\r\n';
    const headers = { "Content-Type": "multipart/form-data; boundary=b", ...JSON_ANSWER };
    const unchosen = await call(server, "POST", "/", { body: nothingChosen, headers });
    assert.deepEqual([unchosen.status, unchosen.body.errorCode], [400, "NO_FILE"]);
    const two = toForm({ bytes: "x" });
    two.append("file", new File(["y"], "b.txt"));
    assert.equal((await call(server, "POST", "/", { body: two, headers: JSON_ANSWER })).status, 400);
    assert.equal((await call(server, "POST", "/", { body: "plain", headers: JSON_ANSWER })).status, 415);
    for (const body of ["junk", "--b\r\n\r\n", '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nnever ends']) {
      assert.equal((await call(server, "POST", "/", { body, headers })).status, 400, body);
    }
    assert.equal(
      (await call(server, "POST", "/", { body: "x", headers: { "Content-Type": "multipart/form-data", ...JSON_ANSWER } })).status,
      400,
    );
    await until("nothing is under way", async () => (await traces(server)).sessions === 0);
    assert.deepEqual(await traces(server), before);
  });

  describe("over a socket", () => {
    const leavesNothing = async (what: () => Promise<unknown>) => {
      await until("nothing is under way", async () => (await traces(server)).sessions === 0);
      const before = await traces(server);
      await what();
      await until("the upload is undone", async () => isDeepStrictEqual(await traces(server), before));
    };

    const underWay = () => until("the upload is under way", async () => (await traces(server)).sessions === 1);

    test("fewer bytes than announced", () =>
      leavesNothing(() =>
        sendRaw(server, ["PUT /short.bin HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", "x".repeat(50_000)], {
          endAfter: underWay,
          deadlineMs: 1000,
        }),
      ));

    test("a client that goes away in the middle, also of chunks or of a form", async () => {
      await leavesNothing(() =>
        sendRaw(server, ["PUT /gone.bin HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n", someBytes(1_000_000)], {
          cutAfter: underWay,
        }),
      );
      await leavesNothing(() =>
        sendRaw(server, ["PUT /gone.bin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n"], {
          cutAfter: underWay,
        }),
      );
      const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhello';
      const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n";
      await leavesNothing(() => sendRaw(server, [head, form], { cutAfter: underWay }));
    });

    test("chunks that are no chunks", () =>
      leavesNothing(() =>
        sendRaw(server, ["PUT /bad.bin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\nzz\r\nmore"], {
          deadlineMs: 1000,
        }),
      ));

    test("more bytes than announced are not the file's", async () => {
      const answer = await sendRaw(server, [
        `PUT /long.bin HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nAccept: application/json\r\nConnection: close\r\n\r\nhello, and more`,
      ]);
      assert.ok([200, 400].includes(answer.status), answer.text);
      if (answer.status === 200) assert.match(answer.text, /"size":5,/);
    });

    test("the server lives on", async () => {
      assert.equal((await fetch(`${server.url}/health/live`)).status, 200);
    });
  });
});
