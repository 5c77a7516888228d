import { withTimeout } from "../lib/concurrency/with-timeout.ts";
import type { FileResponseOptions, Peer, RunningServer, Runtime, ServeOptions } from "./runtime.ts";

const CHUNK_BYTES = 256 * 1024;

/** Response bodies whose client disconnected. */
const cancelled = new WeakSet<ReadableStream>();

/**
 * The runtime of Deno.serve: files are sent as streams, there is no idle timeout, and requests that outlive the drain timeout end with the process.
 */
export const runtime: Runtime = { name: "deno", serve, fileResponse, streamBody };

async function serve(options: ServeOptions): Promise<RunningServer> {
  const { promise: listening, resolve } = Promise.withResolvers<Deno.NetAddr>();
  const abort = new AbortController();
  const server = Deno.serve(
    { hostname: options.hostname, port: options.port, signal: abort.signal, onListen: resolve },
    async (request, info) => {
      const whenResponded = Promise.withResolvers<Response>();
      const response = await options.fetch(request, toPeer(request, info, whenResponded.promise));
      whenResponded.resolve(response);
      return response;
    },
  );
  const address = await Promise.race([listening, server.finished]);
  if (!address) throw new Error("The server ended before it listened.");
  return {
    hostname: address.hostname,
    port: address.port,
    closeIdleConnections: () => 0,
    stop: (timeoutMs) => stop(server, abort, timeoutMs),
  };
}

function toPeer(request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>, whenResponded: Promise<Response>): Peer {
  return {
    address: info.remoteAddr.hostname,
    // `completed` also resolves for a closed connection, and `signal` also aborts after complete responses; a cancelled body is reliable.
    whenSent: async () => {
      const { body } = await whenResponded;
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

async function stop(server: Deno.HttpServer<Deno.NetAddr>, abort: AbortController, timeoutMs: number): Promise<void> {
  await withTimeout(server.shutdown(), timeoutMs, () => abort.abort());
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

/** Streams the next `sizeBytes` of the file, then closes it, also when cancelled. */
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
      // Copies the bytes, because the stream retains them while it requests the next. `slice` of a Buffer copies nothing.
      if (!next.done) return controller.enqueue(new Uint8Array(next.value));
      controller.close();
    },
    async cancel() {
      cancelled.add(stream);
      await iterator.return?.();
    },
  });
  return stream;
}
