import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { findInfo } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { MB, someBytes, uploadInParts } from "../support/uploads/multipart.ts";

/** curl, "Who gets the bytes". */
describe("a program that can download over several connections", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  for (const [program, ...args] of [
    ["aria2c", "-x4", "-s4", "-k1M", "-o", "a.bin"],
    ["axel", "-q", "-n1", "-o", "a.bin"],
  ] as const)
    test(`${program} gets the whole file of a limited share, as one download`, {
      skip: spawnSync(program, ["--version"]).error && `${program} is not installed`,
    }, async () => {
      const bytes = someBytes(9 * MB);
      const { shortId } = await uploadInParts(server, bytes, { maxDownloads: 3 });
      const folder = await mkdtemp(join(tmpdir(), "filehost-parallel-"));
      try {
        const child = spawn(program, [...args, `${server.url}/d/${shortId}/download`], { cwd: folder, stdio: "ignore" });
        assert.deepEqual(await once(child, "exit"), [0, null]);
        assert.ok((await readFile(join(folder, "a.bin"))).equals(bytes));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
      assert.equal((await findInfo(server, shortId))?.download, "1");
    });
});
