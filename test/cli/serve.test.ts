import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { reservePort } from "../support/free-ports.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { execute, makeDataFolder, run, start } from "./support.ts";

/** More than a store keeps in memory before it writes. */
const LARGE_BYTES = 24 * 1024 * 1024;

/** command line, "Commands". */
describe("serve and health", () => {
  it("health reports whether the server on this machine responds", async () => {
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
    const listen = new URL(server.url).host;
    const alive = await run(["health"], { FILEHOST_LISTEN: listen });
    assert.deepEqual([alive.code, alive.stdout], [0, `The server at http://${listen} is running.\n`]);
    const everywhere = listen.replace("127.0.0.1", "0.0.0.0");
    assert.equal(
      (await run(["health", "--listen", everywhere, "--json"])).stdout,
      `${JSON.stringify({ status: "ok", url: `http://${listen}` }, null, 2)}\n`,
    );
    await server.stop();
    const dead = await run(["health", "--listen", listen]);
    assert.deepEqual([dead.code, dead.stdout], [8, ""]);
    assert.match(dead.stderr, /No server responds at/);
  });

  it("runs from source in another working directory, with its pages", async () => {
    await using server = await startServer({ runtime: "bun", env: { FILEHOST_SCANNER: "off" } });
    const page = await fetch(`${server.url}/`, { headers: { Accept: "text/html" } });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<form/);
  });

  it("health fails for another program on the port", async () => {
    const other = createServer((_request, response) => void response.writeHead(404).end()).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const outcome = await run(["health", "--listen", `127.0.0.1:${port}`]);
    other.close();
    assert.equal(outcome.code, 8);
    assert.match(outcome.stderr, /responded with status 404/);
  });

  it("health requires a port", async () => {
    const outcome = await run(["health", "--listen", "127.0.0.1:0"]);
    assert.equal(outcome.code, 2);
    assert.match(outcome.stderr, /Port 0/);
  });

  it("serve accepts settings as flags, and explains that its port is in use", async () => {
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
    await using folder = await makeDataFolder();
    const taken = await execute(["serve", "--listen", new URL(server.url).host, "--scanner=off"], { cwd: folder.path });
    assert.equal(taken.code, 8);
    assert.match(taken.stderr, /^Cannot listen on 127\.0\.0\.1:\d+: another program already listens there\./m);
    assert.doesNotMatch(taken.stderr, /\n\s+at /);
  });

  it("serve prints the port that the system chose at every log level", async () => {
    for (const [flags, read] of [
      [[], (text: string) => text.trim()],
      [["--json"], (text: string) => (JSON.parse(text) as { url: string }).url],
    ] as const) {
      await using folder = await makeDataFolder();
      const child = start(["serve", "--listen", "127.0.0.1:0", "--log", "silent", ...flags], { cwd: folder.path, env: folder.env });
      const ended = once(child, "close");
      const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
      assert.match(read(line), /^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
      assert.equal((await fetch(`${read(line)}/health/live`)).status, 200);
      child.kill();
      assert.deepEqual(await ended, [0, null]);
    }
  });

  it("serve accepts requests that arrive during the start", async () => {
    await using folder = await makeDataFolder();
    const port = await reservePort();
    const child = start(["serve", "--listen", `127.0.0.1:${port}`, "--scanner=off"], { cwd: folder.path, env: folder.env });
    child.stderr.resume();
    const ended = once(child, "close");
    const first = await until("the port is open", () => fetch(`http://127.0.0.1:${port}/api/agent/capabilities`), { everyMs: 1 });
    await first.arrayBuffer();
    child.kill();
    await ended;
    assert.equal(first.status, 200);
  });

  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const) {
    it(`serve drains on the first ${signal}, and exits immediately on the second`, async () => {
      await using folder = await makeDataFolder();
      const child = start(["serve", "--listen", "127.0.0.1:0", "--log", "info:json", "--min-free", "1MB"], {
        cwd: folder.path,
        env: folder.env,
      });
      const ended = once(child, "close");
      const lines: { msg: string; url?: string }[] = [];
      createInterface({ input: child.stderr }).on("line", (line) => lines.push(JSON.parse(line)));
      const { url } = await until("it listens", () => lines.find(({ msg }) => msg === "listening"));
      // An upload whose body does not end: there is something to wait for.
      const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(LARGE_BYTES)) });
      const upload = fetch(`${url}/endless.bin`, { method: "PUT", body, duplex: "half" } as RequestInit).catch(() => undefined);
      await until("the upload is under way", async () => (await readdir(join(folder.path, "data", "staging"))).length > 0);
      child.kill(signal);
      await until("it finishes what runs", () => lines.find(({ msg }) => msg.startsWith("shutting down")));
      assert.equal(child.exitCode, null);
      child.kill(signal);
      assert.deepEqual(await ended, [code, null]);
      await upload;
    });
  }
});
