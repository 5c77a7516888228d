import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import { type BackpressureStream, createBackpressureStream } from "../../../src/blobs/s3/backpressure-stream.ts";
import { createS3Transport } from "../../../src/blobs/s3/transport.ts";
import { until } from "../../support/until.ts";

const KB = 1024;
const MB = 1024 * KB;
const PIECE_BYTES = 256 * KB;
const RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

interface SlowStore extends AsyncDisposable {
  readonly port: number;
  /** The SHA-256 of the complete body. */
  readonly body: Promise<string>;
  /** The bytes received so far. */
  readonly receivedBytes: number;
  /** Starts reading the body. */
  resume(): void;
}

/** Accepts one request whose body has that size, and reads it in small pieces. */
async function startSlowStore(bodyBytes: number): Promise<SlowStore> {
  const hash = createHash("sha256");
  const whole = Promise.withResolvers<string>();
  const open = Promise.withResolvers<void>();
  let receivedBytes = -1;
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, async (socket) => {
    sockets.add(socket);
    await open.promise;
    socket.on("data", (chunk: Buffer) => {
      socket.pause();
      setImmediate(() => socket.resume());
      const start = receivedBytes < 0 ? chunk.indexOf("\r\n\r\n") + 4 : 0;
      const bytes = chunk.subarray(start);
      receivedBytes = Math.max(receivedBytes, 0) + bytes.length;
      hash.update(bytes);
      if (receivedBytes < bodyBytes) return;
      whole.resolve(hash.digest("hex"));
      socket.end(RESPONSE);
    });
    socket.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    body: whole.promise,
    get receivedBytes() {
      return Math.max(receivedBytes, 0);
    },
    resume: open.resolve,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe("a backpressure stream", () => {
  for (const [name, chunkBytes, idleFlushMs] of [
    ["large chunks", 900_001, 60_000],
    ["chunks of a quarter of a piece", 64 * KB, 60_000],
    ["small chunks to a reader without patience", 10_001, 0],
  ] as const) {
    test(`${name}: sends the pushed bytes unchanged to a slow store, and holds back the sender`, async () => {
      const sizeBytes = 24 * MB + 5;
      await using store = await startSlowStore(sizeBytes);
      await using transport = withClose(createS3Transport(60_000));
      let status: Promise<number> | undefined;
      const stream: BackpressureStream = createBackpressureStream({
        stallTimeoutMs: 60_000,
        idleFlushMs,
        onStart: () => {
          status = send(transport, { port: store.port, stream, sizeBytes });
        },
      });
      const hash = createHash("sha256");
      let pushedBytes = 0;
      const pushing = (async () => {
        const chunk = randomBytes(chunkBytes);
        while (pushedBytes < sizeBytes) {
          const bytes = chunk.subarray(0, Math.min(chunkBytes, sizeBytes - pushedBytes));
          bytes.writeUInt8(pushedBytes % 251);
          hash.update(bytes);
          assert.ok(await stream.push(bytes));
          pushedBytes += bytes.length;
          // The sender may reuse the chunk.
          bytes.fill(pushedBytes % 256);
        }
      })();
      let before = -1;
      await until("the sender waits", () => {
        const isSame = pushedBytes === before;
        before = pushedBytes;
        return isSame && pushedBytes >= PIECE_BYTES;
      });
      assert.ok(pushedBytes < sizeBytes);
      store.resume();
      await pushing;
      assert.ok(store.receivedBytes < sizeBytes);
      assert.ok(await stream.end());
      assert.equal(await status, 200);
      assert.equal(await store.body, hash.digest("hex"));
      stream.free();
    });
  }

  test("sends a partial buffer, without the last chunk, to a reader that has waited long, and otherwise a full one", async () => {
    for (const idleFlushMs of [0, 60_000]) {
      let receivedBytes = 0;
      const small: Uint8Array[] = [];
      const take = (chunk: Uint8Array): void => {
        receivedBytes += chunk.length;
        if (chunk.length < PIECE_BYTES) small.push(chunk);
      };
      const stream: BackpressureStream = createBackpressureStream({
        stallTimeoutMs: 60_000,
        idleFlushMs,
        onStart: () => void stream.readable.on("data", take),
      });
      await stream.push(new Uint8Array(PIECE_BYTES));
      assert.equal(receivedBytes, 0);
      let pushedBytes = PIECE_BYTES;
      const pushMore = async () => {
        await stream.push(Uint8Array.of(pushedBytes % 251));
        pushedBytes += 1;
        assert.ok(receivedBytes < pushedBytes);
        return idleFlushMs === 0 ? small.length > 2 : pushedBytes > PIECE_BYTES + 10;
      };
      await until("small chunks have been pushed", pushMore);
      assert.equal(receivedBytes > PIECE_BYTES, idleFlushMs === 0);
      await stream.end();
      await until("the reader has all bytes", () => receivedBytes === pushedBytes);
      // A socket may still have several of them waiting.
      const expected = Array.from({ length: pushedBytes - PIECE_BYTES }, (_, index) => (PIECE_BYTES + index) % 251);
      assert.deepEqual([...Buffer.concat(small)], expected);
    }
  });

  test("reports that the reader has disconnected", async () => {
    const stream: BackpressureStream = createBackpressureStream({ stallTimeoutMs: 60_000, onStart: () => stream.readable.destroy() });
    assert.equal(await stream.push(new Uint8Array(PIECE_BYTES + 1)), false);
    assert.equal(await stream.end(), false);
  });
});

type Transport = ReturnType<typeof createS3Transport>;

const withClose = (transport: Transport): Transport & AsyncDisposable => ({ ...transport, [Symbol.asyncDispose]: transport.close });

async function send(
  transport: Transport,
  { port, stream, sizeBytes }: { port: number; stream: BackpressureStream; sizeBytes: number },
): Promise<number> {
  const { response } = await transport.handle({
    protocol: "http:",
    hostname: "127.0.0.1",
    port,
    method: "PUT",
    path: "/part",
    query: {},
    headers: { "content-length": String(sizeBytes) },
    body: stream.readable,
  });
  response.body.resume();
  return response.statusCode;
}
