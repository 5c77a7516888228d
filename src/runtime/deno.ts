import type { Peer } from "./peer.ts";
import type { FileResponseOptions, RunningServer, Runtime, ServeOptions } from "./runtime.ts";

const CHUNK_BYTES = 256 * 1024;

/** Bodies of files whose reader went away. */
const cancelled = new WeakSet<ReadableStream>();

/** Deno.serve: files go out as streams, there is no idle time-out, and what outlives the grace time ends with the process. */
export const runtime: Runtime = { name: "deno", serve, fileResponse, streamBody };

async function serve(options: ServeOptions): Promise<RunningServer> {
  const { promise: listening, resolve } = Promise.withResolvers<Deno.NetAddr>();
  const cut = new AbortController();
  const server = Deno.serve(
    { hostname: options.hostname, port: options.port, signal: cut.signal, onListen: resolve },
    async (request, info) => {
      const answer = Promise.withResolvers<Response>();
      const response = await options.fetch(request, toPeer(request, info, answer.promise));
      answer.resolve(response);
      return response;
    },
  );
  const address = await Promise.race([listening, server.finished]);
  if (!address) throw new Error("The server ended before it listened.");
  return {
    hostname: address.hostname,
    port: address.port,
    closeIdleConnections: () => 0,
    stop: (graceMs) => stop(server, cut, graceMs),
  };
}

function toPeer(request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>, answer: Promise<Response>): Peer {
  return {
    address: info.remoteAddr.hostname,
    // `completed` fulfils for a connection that was cut, too, and `signal` aborts after whole answers; a cancelled body does tell.
    sent: async () => {
      const { body } = await answer;
      const completed = await info.completed.then(
        () => true,
        () => false,
      );
      return completed && !(body && cancelled.has(body));
    },
    isGone: () => request.signal.aborted,
    setIdleTimeout: () => {},
  };
}

async function stop(server: Deno.HttpServer<Deno.NetAddr>, cut: AbortController, graceMs: number): Promise<void> {
  const { promise: graceOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    cut.abort();
    resolve();
  }, graceMs);
  await Promise.race([server.shutdown(), graceOver]);
  clearTimeout(timer);
}

async function fileResponse(path: string, options: FileResponseOptions): Promise<Response> {
  const { start, end } = options.range ?? { start: 0, end: options.sizeBytes };
  const file = await Deno.open(path);
  const headers = new Headers(options.headers);
  headers.set("content-length", String(end - start));
  try {
    await file.seek(start, Deno.SeekMode.Start);
  } catch (error) {
    file.close();
    throw error;
  }
  return new Response(toStream(file, end - start), { status: options.status, headers });
}

/** The next `sizeBytes` of the file, which is closed after them, or when nobody wants them any more. */
function toStream(file: Deno.FsFile, sizeBytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = sizeBytes;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, left));
      try {
        const count = left === 0 ? 0 : await file.read(chunk);
        if (count) {
          left -= count;
          controller.enqueue(chunk.subarray(0, count));
          return;
        }
      } catch (error) {
        file.close();
        throw error;
      }
      file.close();
      if (left > 0) throw new Error(`A stored file ends ${left} bytes too early.`);
      controller.close();
    },
    cancel() {
      file.close();
      cancelled.add(stream);
    },
  });
  return stream;
}

function streamBody(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next();
      // Copied, since the stream keeps it while it asks for the next.
      if (!next.done) return controller.enqueue(next.value.slice());
      controller.close();
    },
    async cancel() {
      cancelled.add(stream);
      await iterator.return?.();
    },
  });
  return stream;
}
