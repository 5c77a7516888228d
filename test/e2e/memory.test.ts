import assert from "node:assert/strict";
import { request } from "node:http";
import { describe, test } from "node:test";
import { longSkipped } from "../support/long.ts";
import { createMemoryGroup, whyNoMemoryGroup } from "../support/memory-group.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { fromAddress } from "./support/agents.ts";
import type { Upload } from "./support/api.ts";
import { MB, sha256, someBytes } from "./support/multipart.ts";
import { downloadDigest } from "./support/transfers.ts";

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
  test("says at its start what it found, and below 192 MB what to do", async () => {
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
});
