import assert from "node:assert/strict";
import { once } from "node:events";
import { truncate, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { runtime } from "#runtime";
import type { Peer } from "../../src/runtime/runtime.ts";
import { makeFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

const MB = 1024 ** 2;
/** The shortest idle timeout that Bun applies exactly. */
const IDLE_SECONDS = 8;

interface Client extends AsyncDisposable {
  readonly socket: Socket;
  readonly received: number;
  readonly isClosed: boolean;
  readonly text: string;
}

function open(port: number, text: string): Client {
  const socket = connect(port, "127.0.0.1");
  const state = { received: 0, isClosed: false, text: "" };
  socket.on("data", (data) => {
    state.received += data.length;
    if (state.text.length < 4096) state.text += data.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    state.isClosed = true;
  });
  socket.write(text);
  return Object.assign(
    Object.defineProperties({} as Client, {
      received: { get: () => state.received },
      isClosed: { get: () => state.isClosed },
      text: { get: () => state.text },
    }),
    { socket, [Symbol.asyncDispose]: async () => void socket.destroy() },
  );
}

const head = (method: string, path: string, more = ""): string => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

async function serve(fetch: (request: Request, peer: Peer) => Response | Promise<Response>) {
  const server = await runtime.serve({ hostname: "127.0.0.1", port: 0, idleTimeoutSeconds: IDLE_SECONDS, fetch });
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.stop(0) });
}

async function readAll(request: Request): Promise<number> {
  let sizeBytes = 0;
  for await (const chunk of request.body ?? []) sizeBytes += chunk.byteLength;
  return sizeBytes;
}

// Deno keeps no list of its connections.
test("closing idle connections aborts no started request", { skip: runtime.name === "deno" }, async () => {
  await using folder = await makeFolder();
  const blob = join(folder.path, "blob");
  await writeFile(blob, "");
  await truncate(blob, 64 * MB);
  const release = Promise.withResolvers<void>();
  const arrived = new Set<string>();
  await using server = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    arrived.add(pathname);
    if (pathname === "/upload") return Response.json({ sizeBytes: await readAll(request) });
    if (pathname === "/wait") await release.promise;
    if (pathname === "/download") return await runtime.fileResponse(blob, { status: 200, headers: new Headers(), sizeBytes: 64 * MB });
    return new Response("done");
  });
  await using idle = open(server.port, head("GET", "/"));
  await using upload = open(server.port, `${head("PUT", "/upload", "Content-Length: 6\r\n")}abc`);
  await using waiting = open(server.port, head("GET", "/wait"));
  await using download = open(server.port, head("GET", "/download"));
  download.socket.pause();
  await until("every request has started", () => arrived.size === 4 && idle.text.endsWith("done"));

  assert.equal(server.closeIdleConnections(), 1);
  await until("the idle connection is closed", () => idle.isClosed);
  upload.socket.write("def");
  release.resolve();
  download.socket.resume();
  await until("the upload has a response", () => upload.text.endsWith('{"sizeBytes":6}'));
  await until("the waiting request has a response", () => waiting.text.endsWith("done"));
  await until("the download is whole", () => download.received > 64 * MB);
  await using later = open(server.port, head("GET", "/"));
  await until("new connections get responses", () => later.text.endsWith("done"));
});

test("a response with Connection: close closes its connection once it was sent completely", async () => {
  await using folder = await makeFolder();
  const blob = join(folder.path, "blob");
  await writeFile(blob, new Uint8Array(4 * MB));
  await using server = await serve(async (request) => {
    const headers = new Headers({ Connection: "close" });
    if (request.url.endsWith("/file")) return await runtime.fileResponse(blob, { status: 200, headers, sizeBytes: 4 * MB });
    return new Response("x".repeat(4 * MB), { headers });
  });
  for (const path of ["/file", "/memory"]) {
    await using client = open(server.port, head("GET", path));
    await once(client.socket, "close");
    assert.ok(client.received > 4 * MB, `${path}: ${client.received} bytes`);
  }
});

// Deno has no idle time-out.
test("allows a slow upload while the idle timeout is off, and applies it again afterwards", { skip: runtime.name === "deno" }, async () => {
  await using server = await serve(async (request, peer) => {
    const { pathname } = new URL(request.url);
    if (pathname !== "/limited") peer.setIdleTimeout(0);
    const sizeBytes = await readAll(request).catch(() => -1);
    if (pathname !== "/never") peer.setIdleTimeout(IDLE_SECONDS);
    return Response.json({ sizeBytes });
  });
  await using allowed = open(server.port, head("PUT", "/allowed", "Content-Length: 1000\r\n"));
  // Bun counts a client that sends less than 16 KB for each second of its time-out as silent.
  await using limited = open(server.port, head("PUT", "/limited", "Content-Length: 1000\r\n"));
  await using responded = open(server.port, head("GET", "/responded"));
  await using never = open(server.port, head("GET", "/never"));
  let sent = 0;
  const drip = setInterval(() => {
    sent += 1;
    for (const { socket } of [allowed, limited]) if (!socket.destroyed) socket.write("x");
  }, 500);
  try {
    await until("the limited upload is cut although its bytes come", () => limited.isClosed);
    await until("the connection with the restored timeout is closed", () => responded.isClosed);
    assert.equal(never.isClosed, false);
    assert.equal(allowed.isClosed, false);
  } finally {
    clearInterval(drip);
  }
  allowed.socket.write("x".repeat(1000 - sent));
  await until("the slow upload has a response", () => allowed.text.endsWith('{"sizeBytes":1000}'));
});

test("isGone is true for a closed connection and false for a waiting one", async () => {
  const asked = Promise.withResolvers<Peer>();
  await using server = await serve((_request, peer) => {
    asked.resolve(peer);
    return new Promise<Response>(() => undefined);
  });
  await using client = open(server.port, head("GET", "/"));
  const peer = await asked.promise;
  assert.equal(peer.isGone(), false);
  client.socket.destroy();
  await until("it is gone", () => peer.isGone());
  peer.setIdleTimeout(IDLE_SECONDS);
});
