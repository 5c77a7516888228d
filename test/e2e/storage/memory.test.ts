import assert from "node:assert/strict";
import { request } from "node:http";
import { describe, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { createMemoryGroup, whyNoMemoryGroup } from "../../support/machine/memory-group.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { type CallOptions, clientOf, type Upload } from "../support/api/api.ts";
import { createImport, waitForEnd } from "../support/shares/imports.ts";
import { postBatch } from "../support/uploads/batches.ts";
import { MB, sha256, someBytes, uploadInParts } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const noGroup = await whyNoMemoryGroup();
const skipped = noGroup ?? longSkipped;
const ENV = { FILEHOST_SCANNER: "off", FILEHOST_TRUSTED_PROXIES: "127.0.0.1" } as const;

/** Uploads `bytes` from an address of its own and resolves to the file's ID. Of a broken connection, rejects. */
function put({ url }: TestServer, bytes: Uint8Array, index: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Accept: "application/json", "Content-Length": bytes.length, ...fromAddress(`203.0.113.${index}`) };
    const sending = request(`${url}/large.bin`, { method: "PUT", agent: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode !== 200) return reject(new Error(`${response.statusCode}: ${text}`));
        resolve((JSON.parse(text) as { data: Upload }).data.id);
      });
    });
    sending.on("error", reject);
    let sent = 0;
    const send = (): void => {
      while (sent < bytes.length) {
        const chunk = bytes.subarray(sent, sent + MB);
        sent += chunk.length;
        if (!sending.write(chunk)) return void sending.once("drain", send);
      }
      sending.end();
    };
    send();
  });
}

/** request limits, "Memory of the server". */
describe("a server with little memory", { skip: noGroup }, () => {
  test("logs the memory at its start, and a next step below 192 MB", async () => {
    for (const [megabytes, level] of [
      [256, "info"],
      [160, "warn"],
    ] as const) {
      await using group = await createMemoryGroup(megabytes * MB);
      {
        await using server = await startServer({ wrapper: group.wrapper, env: ENV });
        const line = server.logs().find(({ msg }) => msg?.startsWith(`memory: ${megabytes} MB of this control group`));
        assert.ok(line, JSON.stringify(server.logs()));
        assert.equal(line.level, level);
        assert.equal(/at least 192 MB/.test(line.msg ?? ""), level === "warn");
      }
    }
  });

  for (const [megabytes, uploads] of [
    [256, 50],
    [192, 25],
  ] as const)
    test(`of ${megabytes} MB receives ${uploads} uploads of 100 MB at the same time, three times, and loses none`, {
      skip: skipped,
      timeout: 30 * 60_000,
    }, async () => {
      await using group = await createMemoryGroup(megabytes * MB);
      await using server = await startServer({ wrapper: group.wrapper, env: { ...ENV, FILEHOST_MIN_FREE: "1MB" } });
      const bytes = someBytes(100 * MB);
      const digest = sha256(bytes);
      for (let round = 0; round < 3; round++) {
        const ids = await Promise.all(Array.from({ length: uploads }, (_, index) => put(server, bytes, index + 1)));
        assert.equal(await group.countKills(), 0);
        for (const id of ids) assert.equal(await downloadDigest(server, id), digest);
      }
    });

  test("of 192 MB receives parts, batches and imports and sends archives at the same time, and loses none", {
    skip: skipped,
    timeout: 30 * 60_000,
  }, async () => {
    await using group = await createMemoryGroup(192 * MB);
    const bytes = someBytes(64 * MB);
    const digest = sha256(bytes);
    await using origin = await startOrigin({ "/a": sendFile({ bytes }) });
    const env = { ...ENV, FILEHOST_MIN_FREE: "1MB", FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" };
    await using server = await startServer({ wrapper: group.wrapper, env });
    const fromEach = <Result>(count: number, work: (options: CallOptions) => Promise<Result>): Promise<Result[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => work({ headers: fromAddress(`203.0.113.${index + 1}`) })));
    const inParts = fromEach(10, (options) => uploadInParts(server, bytes, { fileName: "parts.bin" }, options));
    const imported = fromEach(
      5,
      async () => await waitForEnd(server, await createImport(server, { url: `${origin.url}/a` }), { deadlineMs: 120_000 }),
    );
    const archives = fromEach(5, async (options) => {
      const { data } = await clientOf(server, options).call("createShare", {});
      const { shortId, shareToken = "" } = data;
      const files = Array.from({ length: 20 }, (_, index) => ({ relativePath: `${index}.bin`, bytes: someBytes(MB, index) }));
      const { status } = await postBatch(server, { shareShortId: shortId, shareToken }, files, options);
      assert.equal(status, 200);
      for (let round = 0; round < 5; round += 1) {
        const { url } = await clientOf(server, options).call("authorizeArchive", { shortId });
        assert.ok((await (await fetch(url)).bytes()).length > 20 * MB);
      }
    });
    const uploaded = await inParts;
    for (const { status, error } of await imported) assert.equal(status, "completed", error ?? "");
    await archives;
    assert.equal(await group.countKills(), 0);
    for (const { id } of uploaded) assert.equal(await downloadDigest(server, id), digest);
  });
});
