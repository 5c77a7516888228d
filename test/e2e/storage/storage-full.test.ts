import assert from "node:assert/strict";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { type ApiResponse, assertRefused, call, getShare, postUpload, toForm, upload } from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState } from "../support/servers/state.ts";
import { complete, init, MB, partUrl, postInit, putPart, someBytes } from "../support/uploads/multipart.ts";

const ACCEPT_JSON = { Accept: "application/json" };

/** disk space, "What is reserved". */
describe("a full disk", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("uploads through every channel return 507 and leave nothing, and the server keeps running", async () => {
    const file = await upload(server, { bytes: "uploaded before" });
    const bytes = someBytes(1000);
    const session = await init(server, { fileSize: bytes.length });
    await server.restart({ env: { FILEHOST_MIN_FREE: await sizeAboveFreeSpace() } });
    const before = await countStoredState(server);
    const responses: Readonly<Record<string, ApiResponse>> = {
      form: await postUpload(server, { bytes }),
      "curl -T": await call(server, "PUT", "/a.bin", { body: bytes, headers: ACCEPT_JSON }),
      "curl -F": await call(server, "POST", "/", { body: toForm({ bytes }), headers: ACCEPT_JSON }),
      init: await postInit(server, { fileName: "a", fileSize: 10 * MB }),
    };
    for (const [channel, response] of Object.entries(responses)) {
      assert.equal(response.status, 507, channel);
      assertRefused(response, { status: 507, code: "STORAGE_FULL" });
    }
    assert.deepEqual(await countStoredState(server), before);

    await getShare(server, file.shortId);
    const health = await call(server, "GET", "/health");
    assert.equal(health.status, 503);
    assert.equal(health.body.status, "degraded");
    assert.doesNotMatch(JSON.stringify(health.body), /\/tmp|filehost-server/);
    assert.equal((await fetch(`${server.url}/health/live`)).status, 200);

    await server.restart({ env: { FILEHOST_MIN_FREE: "0" } });
    const url = new URL(await partUrl(server, session, 1, bytes));
    assert.equal((await putPart(`${server.url}${url.pathname}${url.search}`, bytes)).status, 200);
    await complete(server, session);
    await upload(server, { bytes });
  });

  test("an upload is refused before its bytes are sent", async () => {
    await server.restart({ env: { FILEHOST_MIN_FREE: await sizeAboveFreeSpace() } });
    const put = await sendRaw(server, [`PUT /big HTTP/1.1\r\nHost: x\r\nContent-Length: ${10 * MB}\r\n\r\n`]);
    assert.equal(put.status, 507);
    const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx';
    const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n";
    assert.equal((await sendRaw(server, [head, form])).status, 507);
    const piped = await sendRaw(server, ["PUT /piped HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"]);
    assert.equal(piped.status, 507);
  });
});

async function sizeAboveFreeSpace(): Promise<string> {
  const { bavail, bsize } = await statfs(tmpdir());
  return `${bavail * bsize + 100 * 1024 ** 3}B`;
}
