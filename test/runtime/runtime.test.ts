import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runtime } from "#runtime";
import type { Peer } from "../../src/runtime/runtime.ts";
import { makeFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

const KILOBYTE = 1024;

interface Setting extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  stop(graceMs: number): Promise<void>;
}

/** A server on a free port with a temporary folder, both closed at the end. */
async function start(handle: (request: Request, peer: Peer, dir: string) => Response | Promise<Response>): Promise<Setting> {
  const folder = await makeFolder();
  const dir = folder.path;
  const server = await runtime.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutSeconds: 60,
    fetch: (request, peer) => handle(request, peer as Peer, dir),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    dir,
    stop: (graceMs) => server.stop(graceMs),
    async [Symbol.asyncDispose]() {
      await server.stop(0);
      await folder[Symbol.asyncDispose]();
    },
  };
}

function pattern(sizeBytes: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: sizeBytes }, (_, index) => (index * 31 + (index >> 8)) % 256);
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

for (const sizeBytes of [0, 10 * KILOBYTE, 64 * KILOBYTE + 1, 3 * KILOBYTE * KILOBYTE]) {
  test(`sends a file of ${sizeBytes} bytes as a whole, in part, and as headers only`, async () => {
    const content = pattern(sizeBytes);
    const range = { start: Math.floor(sizeBytes / 3), end: Math.floor((2 * sizeBytes) / 3) };
    await using server = await start((request, _peer, dir) => {
      const ranged = new URL(request.url).pathname === "/range";
      const headers = new Headers({ "content-type": "image/png", "content-disposition": "attachment; filename*=UTF-8''a", etag: '"e"' });
      return runtime.fileResponse(join(dir, "blob"), { status: ranged ? 206 : 200, headers, sizeBytes, range: ranged ? range : undefined });
    });
    await writeFile(join(server.dir, "blob"), content);

    const whole = await fetch(server.url);
    assert.equal(whole.status, 200);
    assert.equal(whole.headers.get("content-length"), String(sizeBytes));
    assert.equal(whole.headers.get("content-type"), "image/png");
    assert.equal(whole.headers.get("content-disposition"), "attachment; filename*=UTF-8''a");
    assert.equal(whole.headers.get("etag"), '"e"');
    assert.deepEqual(await bytesOf(whole), content);

    const part = await fetch(`${server.url}/range`);
    assert.equal(part.status, 206);
    assert.equal(part.headers.get("content-length"), String(range.end - range.start));
    assert.deepEqual(await bytesOf(part), content.subarray(range.start, range.end));

    const head = await fetch(server.url, { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get("content-length"), String(sizeBytes));
    assert.equal((await bytesOf(head)).byteLength, 0);
  });

  test(`a missing file of ${sizeBytes} bytes is an error before the response starts`, async () => {
    const options = { status: 200, headers: new Headers(), sizeBytes };
    await assert.rejects(runtime.fileResponse(join(tmpdir(), "filehost-no-such-file"), options), { code: "ENOENT" });
  });
}

test("concurrent responses each have their own bytes", async () => {
  await using folder = await makeFolder();
  const contents = [1, 2, 3].map((seed) => new Uint8Array(10 * KILOBYTE).fill(seed));
  const paths = await Promise.all(
    contents.map(async (content, index) => {
      const path = join(folder.path, `blob-${index}`);
      await writeFile(path, content);
      return path;
    }),
  );
  const options = { status: 200, sizeBytes: 10 * KILOBYTE };
  const responses = await Promise.all(paths.map((path) => runtime.fileResponse(path, { ...options, headers: new Headers() })));
  for (const [index, response] of responses.entries()) assert.deepEqual(await bytesOf(response), contents[index]);
});

test("no header contains the name on disk", async () => {
  const sizeBytes = 200 * KILOBYTE;
  await using server = await start((_request, _peer, dir) =>
    runtime.fileResponse(join(dir, "blob-7f3a"), { status: 200, headers: new Headers({ "content-type": "text/plain" }), sizeBytes }),
  );
  await writeFile(join(server.dir, "blob-7f3a"), pattern(sizeBytes));
  const response = await fetch(server.url);
  assert.ok(!JSON.stringify([...response.headers]).includes("7f3a"));
  await response.body?.cancel();
});

test("streams an upload of more than 128 MB, with and without its length", async () => {
  await using server = await start(async (request) => {
    let sizeBytes = 0;
    for await (const chunk of request.body ?? []) sizeBytes += chunk.byteLength;
    return Response.json({ sizeBytes, length: request.headers.get("content-length") });
  });
  const sizeBytes = 130 * KILOBYTE * KILOBYTE;
  const sized = await fetch(server.url, { method: "PUT", body: new Uint8Array(sizeBytes) });
  assert.deepEqual(await sized.json(), { sizeBytes, length: String(sizeBytes) });

  const body = new Blob([new Uint8Array(KILOBYTE)]).stream().pipeThrough(new TransformStream());
  const chunked = await fetch(server.url, { method: "PUT", body, duplex: "half" } as RequestInit);
  assert.deepEqual(await chunked.json(), { sizeBytes: KILOBYTE, length: null });
});

test("an interrupted body throws in its reader", async () => {
  const outcome = Promise.withResolvers<string>();
  await using server = await start(async (request) => {
    try {
      for await (const _chunk of request.body ?? []);
      outcome.resolve("ended");
    } catch {
      outcome.resolve("threw");
    }
    return new Response();
  });
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write("PUT / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\nabc");
  socket.end();
  assert.equal(await outcome.promise, "threw");
  socket.destroy();
});

test("whenSent distinguishes a complete response from a broken one", async () => {
  const sizeBytes = 64 * KILOBYTE * KILOBYTE;
  const outcomes = new Map<string, Promise<boolean>>();
  await using server = await start((request, peer, dir) => {
    outcomes.set(new URL(request.url).pathname, peer.whenSent());
    return runtime.fileResponse(join(dir, "blob"), { status: 200, headers: new Headers(), sizeBytes });
  });
  await writeFile(join(server.dir, "blob"), new Uint8Array(sizeBytes));

  assert.equal((await bytesOf(await fetch(`${server.url}/whole`))).byteLength, sizeBytes);
  assert.equal(await outcomes.get("/whole"), true);

  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  const firstBytes = once(socket, "data");
  socket.write("GET /broken HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await firstBytes;
  // The response has begun, and the system's buffers hold only a part of the file.
  socket.destroy();
  assert.equal(await outcomes.get("/broken"), false);
});

test("whenSent never reports a response as complete whose client left before it began", async () => {
  const sizeBytes = 64 * KILOBYTE * KILOBYTE;
  const outcomes: Promise<boolean>[] = [];
  const requests = Array.from({ length: 400 }, () => ({ received: Promise.withResolvers<void>(), left: Promise.withResolvers<void>() }));
  await using server = await start(async (request, peer, dir) => {
    outcomes.push(peer.whenSent());
    const { received, left } = requests[Number(new URL(request.url).pathname.slice(1))] ?? {};
    received?.resolve();
    await left?.promise;
    return runtime.fileResponse(join(dir, "blob"), { status: 200, headers: new Headers(), sizeBytes });
  });
  await writeFile(join(server.dir, "blob"), new Uint8Array(sizeBytes));

  // Among so many connections, some end just before the server checks its responses.
  await Promise.all(
    requests.map(async ({ received, left }, index) => {
      const socket = connect(server.port, "127.0.0.1");
      await once(socket, "connect");
      socket.write(`GET /${index} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      await received.promise;
      socket.resetAndDestroy();
      left.resolve();
    }),
  );
  assert.deepEqual([...new Set(await Promise.all(outcomes))], [false]);
});

test("the peer's address is the socket's", async () => {
  await using server = await start((_request, peer) => new Response(peer.address));
  assert.equal(await (await fetch(server.url, { headers: { "x-forwarded-for": "203.0.113.9" } })).text(), "127.0.0.1");
});

test("stop finishes running responses and accepts nothing new", async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  await using server = await start(() => {
    let step = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (step++ === 0) return controller.enqueue(new TextEncoder().encode("first "));
        started.resolve();
        await finish.promise;
        controller.enqueue(new TextEncoder().encode("last"));
        controller.close();
      },
    });
    return new Response(body);
  });
  const text = fetch(server.url).then((response) => response.text());
  await started.promise;
  const stopped = server.stop(10_000);
  await until("new connections are refused", () => isRefused(server.port));
  finish.resolve();
  assert.equal(await text, "first last");
  await stopped;
});

// Deno has no way to cut a connection; there the end of the process does it.
test("stop aborts requests that have not ended within the timeout", { skip: runtime.name === "deno" }, async () => {
  const started = Promise.withResolvers<void>();
  await using server = await start(() => {
    started.resolve();
    return new Promise<Response>(() => {});
  });
  const outcome = fetch(server.url).then(
    () => "responded",
    () => "cut",
  );
  await started.promise;
  await server.stop(50);
  assert.equal(await outcome, "cut");
});

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}
