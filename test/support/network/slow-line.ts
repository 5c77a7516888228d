import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** A connection to a server, with a speed that a test chooses. */
export interface SlowLine extends AsyncDisposable {
  readonly url: string;
  /** The speed of each connection towards the client; Infinity for a fast connection. */
  bytesPerSecond: number;
  /** Stops all connections together after this number of bytes towards the client, until they are released. */
  holdAfter(bytes: number): void;
  letGo(): void;
}

const PIECE_BYTES = 16 * 1024;
const HELD_MS = 10;

/** Starts a proxy to the server at `target`. A connection ends with the server's connection. */
export async function startSlowLine(target: string): Promise<SlowLine> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let sentBytes = 0;
  let maxBytes = Number.POSITIVE_INFINITY;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream
      .pipe(
        new Transform({
          highWaterMark: PIECE_BYTES,
          async transform(chunk: Buffer, _, done) {
            for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
              const piece = chunk.subarray(from, from + PIECE_BYTES);
              while (sentBytes >= maxBytes && !client.destroyed) await sleep(HELD_MS);
              this.push(piece);
              sentBytes += piece.length;
              if (line.bytesPerSecond !== Number.POSITIVE_INFINITY) await sleep((piece.length / line.bytesPerSecond) * 1000);
            }
            done();
          },
        }),
      )
      .pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const line: SlowLine = {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    bytesPerSecond: Number.POSITIVE_INFINITY,
    holdAfter(bytes) {
      maxBytes = sentBytes + bytes;
    },
    letGo() {
      maxBytes = Number.POSITIVE_INFINITY;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return line;
}
