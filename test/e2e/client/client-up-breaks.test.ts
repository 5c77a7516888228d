import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startTerminal } from "../../support/machine/terminal.ts";
import type { FaultyProxy } from "../../support/network/faulty-proxy.ts";
import { toCommand } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import {
  type ClientDevice,
  makeDevice,
  type ServerBehindProxy,
  type ServerWithDevice,
  shortIdIn,
  startFaultyLine,
} from "../support/client/client-device.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

/** Parts of a file that are sent at the same time. */
const LINES = 3;

/** client up, "Continuing". */
describe("an interrupted filehost up", () => {
  let server: ServerWithDevice<ServerBehindProxy>;
  let proxy: FaultyProxy;
  let device: ClientDevice;
  before(async () => {
    server = await startFaultyLine();
    ({ proxy, device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const isPart = ({ method }: { readonly method: string }): boolean => method === "PUT";

  /** Holds all parts after the first ones. */
  function partsAfter(count: number): (request: { method: string }) => boolean {
    let puts = 0;
    return (request) => {
      if (isPart(request)) puts += 1;
      return isPart(request) && puts > count;
    };
  }

  /** Lets all requests through, and counts the parts. */
  function countParts(onPart: (count: number) => void = () => undefined): () => number {
    let puts = 0;
    proxy.decide = (request) => {
      if (!isPart(request)) return undefined;
      puts += 1;
      onPart(puts);
      return undefined;
    };
    return () => puts;
  }

  /** Starts the client, and resolves when it has printed its link and the proxy holds `count` requests. */
  async function startHeld(
    args: readonly string[],
    holds: (request: { method: string; url: string }) => boolean,
    count = 1,
  ): Promise<Held> {
    let held = 0;
    proxy.decide = (request) => {
      if (!holds(request)) return undefined;
      held += 1;
      return { neverResponds: true };
    };
    const child = device.start(["up", ...args]);
    const output = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk) => {
      output.stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      output.stderr += chunk;
    });
    await until("a request is held, and the link is printed", () => held >= count && output.stdout !== "");
    return { child, output };
  }

  async function kill({ child }: Held): Promise<void> {
    child.kill("SIGKILL");
    await once(child, "close");
  }

  test("continues a large file after kill -9 with the same link, and sends only missing bytes", async () => {
    const bytes = someBytes(12 * MB, 11);
    await device.makeFile("large.bin", bytes);
    const broken = await startHeld(["large.bin", "--title", "Once"], partsAfter(5), LINES);
    await kill(broken);
    const puts = countParts();
    const { code, stdout, stderr } = await device.run(["up", "large.bin", "--title", "Once"]);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, broken.output.stdout);
    assert.equal(puts(), 7);
    const share = await getShare(server, shortIdIn(stdout));
    assert.deepEqual([share.title, await downloadDigest(server, share.id)], ["Once", sha256(bytes)]);
    assert.ok((await device.shares.find(shortIdIn(stdout)))?.deletionToken, "it is remembered with its tokens");
  });

  test("continues a large file after kill -9 of the server", async () => {
    const bytes = someBytes(8 * MB, 12);
    await device.makeFile("restart.bin", bytes);
    const held = await startHeld(["restart.bin"], partsAfter(3), LINES);
    await kill(held);
    const { port } = new URL(server.url);
    await server.restart({ signal: "SIGKILL", env: { FILEHOST_LISTEN: `127.0.0.1:${port}` } });
    const puts = countParts();
    const { code, stdout, stderr } = await device.run(["up", "restart.bin"]);
    assert.equal(code, 0, stderr);
    assert.deepEqual([stdout, puts()], [held.output.stdout, 5]);
    assert.equal(await downloadDigest(server, (await getShare(server, shortIdIn(stdout))).id), sha256(bytes));
  });

  test("continues after a server that was killed during an upload starts again", async () => {
    const bytes = someBytes(24 * MB, 13);
    await device.makeFile("alive.bin", bytes);
    const { promise, resolve } = Promise.withResolvers<void>();
    countParts((count) => count === 5 && resolve());
    const running = device.run(["up", "alive.bin"]);
    await promise;
    await server.restart({ signal: "SIGKILL", env: { FILEHOST_LISTEN: `127.0.0.1:${new URL(server.url).port}` } });
    const { code, stdout, stderr } = await running;
    assert.equal(code, 0, stderr);
    assert.equal(await downloadDigest(server, (await getShare(server, shortIdIn(stdout))).id), sha256(bytes));
  });

  for (const [stage, holds] of Object.entries({
    "while its batches are sent": ({ url }: { url: string }) => url.endsWith("/files/batch"),
    "while its large file is sent": ({ method }: { method: string }) => method === "PUT",
    "while its large file is completed": ({ url }: { url: string }) => url.endsWith("/complete"),
  }))
    test(`continues a folder after kill -9 ${stage}`, async () => {
      const folder = `folder ${stage}`;
      const large = someBytes(6 * MB, 14);
      await device.makeFile(`${folder}/large.bin`, large);
      for (let index = 0; index < 40; index += 1) await device.makeFile(`${folder}/small/${index}`, `${stage} ${index}`);
      const broken = await startHeld([folder], holds);
      await kill(broken);
      proxy.decide = () => undefined;
      const { code, stdout, stderr } = await device.run(["up", folder]);
      assert.equal(code, 0, stderr);
      assert.equal(stdout, broken.output.stdout);
      const { files = [] } = await getShare(server, shortIdIn(stdout));
      assert.equal(files?.length, 41);
      const found = files?.find(({ relativePath }) => relativePath === `${folder}/large.bin`);
      assert.equal(await downloadDigest(server, found?.id ?? ""), sha256(large));
      assert.deepEqual(
        (await readdir(join(device.path, "state/filehost/shipments"))).filter((name) => name.endsWith(".json")),
        [],
      );
      assert.notEqual(shortIdIn((await device.run(["up", folder])).stdout), shortIdIn(stdout), "a later command is another upload");
    });

  test("shows the link on a separate line, above the bar", async () => {
    await using other = await makeDevice({ FILEHOST_SERVER: proxy.url });
    await device.makeFile("shown.bin", someBytes(12 * MB, 21));
    proxy.decide = (request) => (isPart(request) ? { neverResponds: true } : undefined);
    await using terminal = startTerminal(["up", "shown.bin"], { cwd: device.path, env: other.env });
    await terminal.waitFor(/\/d\/\w+/);
    const lines = (): readonly string[] => terminal.screen().split("\n");
    await until("the bar is below the link", () => /^shown\.bin .*%/.test(lines().at(-1) ?? ""));
    assert.match(lines()[0] ?? "", /^http:\/\/\S+\/d\/\w{8}$/);
    assert.equal(lines().length, 2, terminal.screen());
    terminal.press("ctrl-c");
    assert.equal(await terminal.ended(), 130);
  });

  for (const options of [[], ["--json"]])
    test(`ends quietly when nobody reads its output any more ${options.join(" ")}`, async () => {
      await using other = await makeDevice({ FILEHOST_SERVER: proxy.url });
      await device.makeFile("unread.bin", someBytes(6 * MB, 22));
      await device.makeFile("unread folder/small.txt", "small");
      await device.makeFile("unread folder/large.bin", someBytes(6 * MB, 23));
      proxy.decide = () => undefined;
      for (const name of ["unread.bin", "unread folder", "unread folder/small.txt"]) {
        const child = other.start(["up", join(device.path, name), ...options]);
        child.stdout?.destroy();
        let stderr = "";
        child.stderr?.on("data", (chunk) => {
          stderr += chunk;
        });
        const [code] = await once(child, "close");
        assert.deepEqual([code, stderr], [141, ""], name);
      }
    });

  test("ends on Ctrl-C in a terminal without waiting for a response, and continues with the same command", async () => {
    const bytes = someBytes(12 * MB, 15);
    await device.makeFile("terminal.bin", bytes);
    proxy.decide = (request) => (isPart(request) ? { neverResponds: true } : undefined);
    await using terminal = startTerminal(["up", "terminal.bin"], { cwd: device.path, env: device.env });
    const [, shortId = ""] = await terminal.waitFor(/\/d\/(\w+)/);
    await terminal.waitFor("terminal.bin");
    terminal.press("ctrl-c");
    assert.equal(await terminal.ended(), 130);
    assert.match(terminal.screen(), /Stopped\. The same command continues it\./);
    proxy.decide = () => undefined;
    const { code, stdout } = await device.run(["up", "terminal.bin"]);
    assert.deepEqual([code, shortIdIn(stdout)], [0, shortId]);
    assert.equal(await downloadDigest(server, (await getShare(server, shortId)).id), sha256(bytes));
  });

  test("sends the same file from two processes at the same time, and both succeed", async () => {
    const bytes = someBytes(10 * MB, 16);
    await device.makeFile("twice.bin", bytes);
    await device.makeFile("both/large.bin", bytes);
    for (let index = 0; index < 30; index += 1) await device.makeFile(`both/${index}.txt`, `both ${index}`);
    proxy.decide = () => undefined;
    for (const name of ["twice.bin", "both"]) {
      const ends = await Promise.all([device.run(["up", name]), device.run(["up", name])]);
      for (const { code, stdout, stderr } of ends) {
        assert.equal(code, 0, stderr);
        const share = await getShare(server, shortIdIn(stdout));
        assert.equal(share.uploading, false);
        if (name === "both") assert.equal(share.files?.length, 31);
        else assert.equal(await downloadDigest(server, share.id), sha256(bytes));
      }
    }
  });

  test("sends a part again whose transfer another process replaced", async () => {
    const bytes = someBytes(10 * MB, 24);
    await device.makeFile("replaced.bin", bytes);
    let replaced = 0;
    proxy.decide = (request) => {
      if (!isPart(request) || replaced === 2) return undefined;
      replaced += 1;
      return {
        status: 409,
        body: JSON.stringify({ success: false, error: "Another transfer replaced this part.", errorCode: "CONFLICT" }),
      };
    };
    const { code, stdout, stderr } = await device.run(["up", "replaced.bin"]);
    assert.deepEqual([code, replaced], [0, 2], stderr);
    assert.equal(await downloadDigest(server, (await getShare(server, shortIdIn(stdout))).id), sha256(bytes));
  });

  test("sends over a network that breaks, refuses and loses responses", async () => {
    const bytes = someBytes(9 * MB, 17);
    await device.makeFile("flapping/large.bin", bytes);
    for (let index = 0; index < 60; index += 1) await device.makeFile(`flapping/${index}.txt`, `flapping ${index}`.repeat(500));
    let requests = 0;
    proxy.decide = ({ url }) => {
      requests += 1;
      if (url.endsWith("/capabilities")) return undefined;
      if (requests % 6 === 0) return { cutBodyAfterBytes: 40_000 };
      if (requests % 7 === 0) return { cutAfterBytes: 0 };
      return requests % 8 === 0 ? { status: 503, body: '{"success":false,"error":"Busy.","errorCode":"UNAVAILABLE"}' } : undefined;
    };
    const { code, stdout, stderr } = await device.run(["up", "flapping"]);
    assert.equal(code, 0, stderr);
    const { files = [] } = await getShare(server, shortIdIn(stdout));
    assert.equal(files?.length, 61);
    assert.match(stderr, /Trying again/);
  });

  test("sends a small file of a folder once although its response is lost and two more requests break", async () => {
    await device.makeFile("thrice/a.bin", someBytes(30_000, 3));
    let batches = 0;
    proxy.decide = ({ url }) => {
      if (!url.endsWith("/files/batch")) return undefined;
      batches += 1;
      return batches === 1 ? { cutAfterBytes: 0 } : batches <= 3 ? { cutBodyAfterBytes: 100 } : undefined;
    };
    const { code, stdout, stderr } = await device.run(["up", "thrice"]);
    assert.equal(code, 0, stderr);
    assert.ok(batches > 3);
    assert.equal((await getShare(server, shortIdIn(stdout))).files?.length, 1);
  });

  test("waits while the server refuses requests by its rate", async () => {
    await device.makeFile("rate.txt", "rate");
    let refusals = 0;
    proxy.decide = ({ url }) => {
      if (!url.endsWith("/files/upload") || refusals === 2) return undefined;
      refusals += 1;
      return { status: 429, headers: { "Retry-After": "1" }, body: '{"success":false,"error":"Too many.","errorCode":"RATE_LIMITED"}' };
    };
    const { code, stderr } = await device.run(["up", "rate.txt"]);
    assert.deepEqual([code, refusals], [0, 2], stderr);
  });

  test("ends an upload of standard input whose connection breaks with advice, and repeats it with --spool", async () => {
    const text = "x".repeat(3 * MB);
    let cuts = 0;
    proxy.decide = ({ method, url }) => {
      if (method !== "POST" || (url !== "/" && !url.endsWith("/upload"))) return undefined;
      cuts += 1;
      return cuts === 1 ? { cutBodyAfterBytes: 100_000 } : undefined;
    };
    const broken = await device.run(["up", "-"], { input: text });
    assert.deepEqual([broken.code, broken.stdout], [8, ""]);
    assert.match(broken.stderr, /standard input cannot be read again.*--spool/);
    cuts = 0;
    const { code, stdout, stderr } = await device.run(["up", "-", "--spool"], { input: text });
    assert.equal(code, 0, stderr);
    assert.equal(await downloadDigest(server, (await getShare(server, shortIdIn(stdout))).id), sha256(text));
  });

  test("sends a folder that tar packs through a pipe", async () => {
    await device.makeFile("packed/a.txt", "in the archive");
    proxy.decide = () => undefined;
    const [program = ""] = toCommand("binary");
    const shell = spawn("sh", ["-c", `tar c packed | "${program}" up - --name packed.tar`], { cwd: device.path, env: device.env });
    const chunks: Buffer[] = [];
    shell.stdout.on("data", (chunk) => chunks.push(chunk));
    assert.deepEqual(await once(shell, "close"), [0, null]);
    const share = await getShare(server, shortIdIn(Buffer.concat(chunks).toString()));
    assert.deepEqual([share.name, share.content_type], ["packed.tar", "application/x-tar"]);
  });

  test("hides its memory from other users", async () => {
    await device.makeFile("private.bin", someBytes(6 * MB, 18));
    const held = await startHeld(["private.bin"], isPart);
    const folder = join(device.path, "state/filehost/uploads");
    // A killed process may leave what it was writing, which is removed after days.
    const [name = "", ...others] = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    assert.deepEqual(others, [], "uploads that have ended are forgotten");
    assert.match(await readFile(join(folder, name), "utf8"), /uploadId/);
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
    held.child.kill("SIGINT");
    assert.deepEqual(await once(held.child, "close"), [130, null]);
    assert.match(held.output.stderr, /The same command continues it/);
  });
});

interface Held {
  readonly child: ChildProcess;
  readonly output: { readonly stdout: string; readonly stderr: string };
}
