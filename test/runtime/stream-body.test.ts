import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { runtime } from "#runtime";
import { until } from "../support/until.ts";

const CHUNK_BYTES = 256 * 1024;
const CHUNKS = 80;

/** Imitates a blob reader with two alternating buffers. Each client has a seed, and each chunk its own bytes. */
async function* chunksOf(seed: number, seen: { made: number; ended: boolean }, failAt?: number): AsyncGenerator<Uint8Array> {
  const memory = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
  try {
    for (let index = 0; index < CHUNKS; index++) {
      await setImmediate();
      if (index === failAt) throw new Error("no more");
      const bytes = memory[index % 2] ?? Buffer.alloc(0);
      bytes.fill(`${seed}:${index};`);
      seen.made++;
      yield bytes;
    }
  } finally {
    seen.ended = true;
  }
}

async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}

async function start(body: (request: Request) => ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>) {
  const server = await runtime.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutSeconds: 60,
    fetch: async (request) => new Response(await body(request)),
  });
  return { port: server.port, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(0) };
}

async function serveChunks(failAt?: number) {
  const seen = Array.from({ length: 8 }, () => ({ made: 0, ended: false }));
  const server = await start((request) => {
    const seed = Number(new URL(request.url).pathname.slice(1));
    return runtime.streamBody(chunksOf(seed, seen[seed] ?? { made: 0, ended: false }, failAt), request.signal);
  });
  return { ...server, seen };
}

describe("a streamed body", () => {
  test("sends concurrent clients of any speed their own bytes from reused memory", async () => {
    await using server = await serveChunks();
    const read = async (seed: number): Promise<string> => {
      const rate = seed % 2 === 0 ? [] : ["--limit-rate", `${6 + seed}M`];
      const curl = spawn("curl", ["--silent", "--fail", ...rate, `${server.url}/${seed}`], { stdio: ["ignore", "pipe", "inherit"] });
      return await digestOf(curl.stdout);
    };
    const digests = await Promise.all(server.seen.map((_, seed) => read(seed)));
    const expected = await Promise.all(server.seen.map((_, seed) => digestOf(chunksOf(seed, { made: 0, ended: false }))));
    assert.deepEqual(digests, expected);
  });

  test("waits for a slow client, and ends the chunks when the client disconnects", async () => {
    await using server = await serveChunks();
    const socket = connect(server.port, "127.0.0.1");
    socket.pause();
    socket.write("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const seen = server.seen[1] ?? { made: 0, ended: false };
    let before = -1;
    // The buffers of both sockets are full.
    await until("no more chunks are read", () => {
      const isStill = seen.made > 0 && seen.made === before;
      before = seen.made;
      return isStill;
    });
    assert.ok(seen.made < CHUNKS, `${seen.made} chunks for a client that reads nothing`);
    assert.equal(seen.ended, false);
    socket.destroy();
    await until("the chunks have ended", () => seen.ended);
    assert.ok(seen.made < CHUNKS);
  });

  test("leaves nothing open when clients disconnect before the first chunk", async () => {
    const chunks = { started: 0, ended: 0 };
    await using server = await start(async (request) => {
      const source = chunksOf(1, { made: 0, ended: false });
      chunks.started++;
      // A file is opened and its first bytes are read before the response, too.
      let first: IteratorResult<Uint8Array> | undefined = await source.next();
      const iterator: AsyncIterableIterator<Uint8Array> = {
        [Symbol.asyncIterator]: () => iterator,
        async next() {
          const next = first ?? (await source.next());
          first = undefined;
          return next;
        },
        async return() {
          chunks.ended++;
          return await source.return(undefined);
        },
      };
      return runtime.streamBody(iterator, request.signal);
    });
    for (let index = 0; index < 50; index++) {
      const socket = connect(server.port, "127.0.0.1");
      await new Promise<void>((resolve) => socket.write("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n", () => resolve()));
      socket.destroy();
    }
    await until("every one has ended", () => chunks.started === 50 && chunks.ended === 50);
  });

  test("closes the connection when the chunks fail, so that a part never looks complete", async () => {
    await using server = await serveChunks(20);
    const response = await fetch(`${server.url}/2`);
    await assert.rejects(response.arrayBuffer());
    assert.equal(server.seen[2]?.ended, true);
  });
});
