import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type FaultyProxy, startFaultyProxy } from "../../support/faulty-proxy.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api.ts";
import { type ClientDevice, makeDevice, shortIdIn } from "../support/client-device.ts";
import { startPlainServer } from "../support/plain-server.ts";

const MAX_FILES = 10_000;

/** client up, "What becomes of the arguments". */
describe("filehost up of too many files", () => {
  let server: TestServer;
  let proxy: FaultyProxy;
  let device: ClientDevice;
  let changes: string[];
  before(async () => {
    server = await startPlainServer();
    proxy = await startFaultyProxy(server.url);
    changes = [];
    proxy.decide = ({ method, url }) => {
      if (method !== "GET") changes.push(`${method} ${url}`);
      return undefined;
    };
    device = await makeDevice({ FILEHOST_SERVER: proxy.url });
  });
  after(async () => {
    await device?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  async function makeFiles(folder: string, count: number): Promise<void> {
    await mkdir(join(device.path, folder), { recursive: true });
    for (let start = 0; start < count; start += 100)
      await Promise.all(
        Array.from({ length: Math.min(100, count - start) }, (_, index) => writeFile(join(device.path, folder, `${start + index}`), "")),
      );
  }

  /** Makes folders, each with several links to the next one. */
  async function makeChain(name: string, levels: number, links: number): Promise<void> {
    for (let level = 0; level <= levels; level += 1) {
      const folder = join(device.path, name, `${level}`);
      await mkdir(folder, { recursive: true });
      if (level === levels) await writeFile(join(folder, "file"), name);
      else for (let link = 0; link < links; link += 1) await symlink(`../${level + 1}`, join(folder, `link ${link}`));
    }
  }

  test("refuses them before it sends anything", async () => {
    await makeFiles("many", MAX_FILES + 1);
    const { code, stdout, stderr } = await device.run(["up", "many"]);
    assert.deepEqual([code, stdout], [5, ""], stderr);
    assert.match(stderr, /A shipment has at most 10000 files, and these are more\. Send them as one: tar c/);
    assert.deepEqual(changes, []);
  });

  test("refuses them for a shipment that already has files", async () => {
    await makeFiles("first", 1);
    await makeFiles("rest", MAX_FILES);
    const opened = await device.run(["up", "first"]);
    changes = [];
    const { code, stdout, stderr } = await device.run(["up", "rest", "--into", shortIdIn(opened.stdout)]);
    assert.deepEqual([code, stdout, changes], [5, "", []], stderr);
    assert.equal((await getShare(server, shortIdIn(opened.stdout))).files?.length, 1);
  });

  test("continues a folder of the largest number of files, some of which were stored without a response", async () => {
    await makeFiles("full", MAX_FILES);
    const decide = proxy.decide;
    let batches = 0;
    const isBatch = (url: string): boolean => url.endsWith("/files/batch");
    /** Sends the folder until the server has received files of it. */
    async function sendSome(): Promise<{ readonly stdout: string; readonly stderr: string }> {
      batches = 0;
      const child = device.start(["up", "full"]);
      const closed = once(child, "close");
      const output = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const)
        child[name]?.on("data", (chunk) => {
          output[name] += chunk;
        });
      await until("files are sent, or the client has ended", () => batches > 0 || child.exitCode !== null, { deadlineMs: 120_000 });
      child.kill("SIGKILL");
      await closed;
      return output;
    }
    const count = async (): Promise<void> => {
      batches += 1;
    };
    proxy.decide = ({ url }) => (isBatch(url) ? { cutAfterBytes: 0, onResponse: count } : undefined);
    const { stdout } = await sendSome();
    assert.ok(((await getShare(server, shortIdIn(stdout))).files?.length ?? 0) > 0);
    proxy.decide = ({ url }) => {
      if (!isBatch(url)) return undefined;
      batches += 1;
      return { neverResponds: true };
    };
    const again = await sendSome();
    proxy.decide = decide;
    assert.ok(batches > 0, again.stderr);
    assert.equal(again.stdout, stdout);
  });

  test("follows links to the same folders, and refuses endless ones", async () => {
    await makeChain("twice", 3, 2);
    const { code, stdout, stderr } = await device.run(["up", join("twice", "0"), "--follow-links"]);
    assert.equal(code, 0, stderr);
    const { files } = await getShare(server, shortIdIn(stdout));
    assert.equal(files?.length, 8);
    assert.ok(files?.some(({ relativePath }) => relativePath === "0/link 0/link 1/link 0/file"));
    changes = [];
    // More paths than could be visited.
    await makeChain("endless", 38, 3);
    const endless = await device.run(["up", join("endless", "0"), "--follow-links"]);
    assert.deepEqual([endless.code, endless.stdout, changes], [2, "", []]);
    assert.match(endless.stderr, /Symbolic links lead to the same folders more than 10000 times\./);
  });
});
