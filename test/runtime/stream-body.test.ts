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

/** What a reader of a blob does: each chunk lies where the one before the last one was. Each client has a seed, each chunk bytes of its own. */
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
  test("clients of every speed at once each get their own bytes, though memory is used again", async () => {
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

  test("a client that does not read holds its chunks back, and one that leaves ends them", async () => {
    await using server = await serveChunks();
    const socket = connect(server.port, "127.0.0.1");
    socket.pause();
    socket.write("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const seen = server.seen[1] ?? { made: 0, ended: false };
    let before = -1;
    // What both kernels' buffers take, and nothing more.
    await until("the chunks stand still", () => {
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

  test("clients that leave before the first chunk leave nothing open", async () => {
    const chunks = { begun: 0, ended: 0 };
    await using server = await start(async (request) => {
      const source = chunksOf(1, { made: 0, ended: false });
      chunks.begun++;
      // As for a file: opened, and its first bytes read, before there is an answer.
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
    await until("every one has ended", () => chunks.begun === 50 && chunks.ended === 50);
  });

  test("chunks that fail cut the connection: a part is never taken for the whole", async () => {
    await using server = await serveChunks(20);
    const response = await fetch(`${server.url}/2`);
    await assert.rejects(response.arrayBuffer());
    assert.equal(server.seen[2]?.ended, true);
  });
});
