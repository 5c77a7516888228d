import { closeSync, openSync, readSync } from "node:fs";
import { stat } from "node:fs/promises";
import { withTimeout } from "../lib/concurrency/with-timeout.ts";
import { thumbnails } from "./bun-thumbnails.ts";
import type { FileResponseOptions, Keyring, Peer, RunningServer, Runtime, ServeOptions } from "./runtime.ts";

/**
 * Maximum size of files that are sent from memory. Measured with 10 KB, 16 clients and one core: 80,000 responses a second against 42,000 by
 * sendfile, which opens and closes through the event loop.
 */
const IN_MEMORY_BYTES = 64 * 1024;

/**
 * Limits of the idle timeout. Bun counts idle time in steps of 4 s up to 255 s, and with less than 8 s aborts busy transfers. A client that reads
 * less than a third of the socket's buffer within the timeout counts as idle, so timeouts are long; while a body is read, the timeout is off.
 */
const IDLE_TIMEOUT_SECONDS = { min: 8, max: 255 };

/** Interval at which `whenSent` checks responses. */
const SENT_CHECK_INTERVAL_MS = 25;

type Server = Bun.Server<undefined>;

/** Bun.serve, with sendfile. */
export const runtime: Runtime = {
  name: "bun",
  serve,
  fileResponse,
  streamBody,
  thumbnails,
  keyring: openKeyring("filehost"),
  freeMemory: () => Bun.gc(true),
};

async function serve(options: ServeOptions): Promise<RunningServer> {
  const watcher = createSentWatcher();
  const server: Server = Bun.serve({
    hostname: options.hostname,
    port: options.port,
    development: false,
    // Outside development Bun shares the port by default: a second server started by mistake would get half of the requests.
    reusePort: false,
    idleTimeout: toIdleTimeout(options.idleTimeoutSeconds),
    // Bun's default of 128 MB would refuse an upload before its route applies its own limit.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, server) => options.fetch(request, toPeer(server, request, watcher)),
  });
  return {
    hostname: server.hostname ?? options.hostname,
    port: server.port ?? options.port,
    closeIdleConnections: () => server.closeIdleConnections(),
    stop: (timeoutMs) => stop(server, timeoutMs),
  };
}

function toPeer(server: Server, request: Request, watcher: SentWatcher): Peer {
  return {
    address: server.requestIP(request)?.address ?? "",
    whenSent: () => watcher.watch(server, request),
    isGone: () => server.requestIP(request) === null,
    setIdleTimeout: (seconds) => server.timeout(request, seconds === 0 ? 0 : toIdleTimeout(seconds)),
  };
}

const toIdleTimeout = (seconds: number): number => Math.min(Math.max(seconds, IDLE_TIMEOUT_SECONDS.min), IDLE_TIMEOUT_SECONDS.max);

async function stop(server: Server, timeoutMs: number): Promise<void> {
  await withTimeout(server.stop(), timeoutMs, () => undefined);
  await server.stop(true);
}

async function fileResponse(path: string, options: FileResponseOptions): Promise<Response> {
  const { start, end } = options.range ?? { start: 0, end: options.sizeBytes };
  const init = { status: options.status, headers: options.headers };
  if (end - start <= IN_MEMORY_BYTES) return new Response(readBytes(path, start, end), init);
  // Bun opens the file only when it sends it. A missing file would then become Bun's own 500.
  await stat(path);
  // Without this header Bun would add one with the file's name on disk.
  if (!options.headers.has("content-disposition")) options.headers.set("content-disposition", "attachment");
  return new Response(Bun.file(path).slice(start, end, options.headers.get("content-type") ?? ""), init);
}

/** The memory of each file, which is reused because a response copies it immediately. New memory would be cold and wait for garbage collection. */
const readMemory = new Uint8Array(IN_MEMORY_BYTES);

function readBytes(path: string, start: number, end: number): Uint8Array<ArrayBuffer> {
  const bytes = readMemory.subarray(0, end - start);
  const fd = openSync(path, "r");
  try {
    let filled = 0;
    while (filled < bytes.byteLength) {
      const count = readSync(fd, bytes, filled, bytes.byteLength - filled, start + filled);
      if (count === 0) throw new Error(`A stored file ends at byte ${start + filled}, before byte ${end}.`);
      filled += count;
    }
  } finally {
    closeSync(fd);
  }
  return bytes;
}

interface SentWatcher {
  watch(server: Server, request: Request): Promise<boolean>;
}

/**
 * Creates a watcher of sent responses. Bun reports closed connections and forgets the peer of a completed request, but also the peer of a closed one:
 * a response is complete if no report has come by the next check.
 */
function createSentWatcher(): SentWatcher {
  const waiting = new Map<Request, { readonly server: Server; isForgotten: boolean; resolveSent(whole: boolean): void }>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const checkAll = () => {
    for (const [request, response] of waiting) {
      if (request.signal.aborted) response.resolveSent(false);
      else if (response.isForgotten) response.resolveSent(true);
      else response.isForgotten = response.server.requestIP(request) === null;
    }
  };

  const remove = (request: Request) => {
    waiting.delete(request);
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    watch: (server, request) =>
      new Promise((resolve) => {
        const resolveSent = (whole: boolean) => {
          remove(request);
          resolve(whole);
        };
        request.signal.addEventListener("abort", () => resolveSent(false), { once: true });
        waiting.set(request, { server, isForgotten: false, resolveSent });
        timer ??= setInterval(checkAll, SENT_CHECK_INTERVAL_MS);
      }),
  };
}

/** The controller of Bun's streams of type `direct`, which write to the socket. */
interface DirectController {
  /** Copies the bytes that the socket does not accept immediately. */
  write(chunk: Uint8Array): number;
  /** Flushes. With `true`, resolves when the socket accepts more or is closed. */
  flush(wait: boolean): Promise<number> | number;
  close(): void;
}

/** Streams `chunks` to the socket without a queue, which would retain sent chunks. */
export function streamBody(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let hasStarted = false;
  // Bun does not notify a direct stream of a client that disconnects before the first chunk.
  const endUnlessStarted = (): void => {
    if (!hasStarted) iterator.return?.().catch(() => undefined);
  };
  if (signal.aborted) endUnlessStarted();
  else signal.addEventListener("abort", endUnlessStarted, { once: true });
  const source = {
    type: "direct",
    async pull(controller: DirectController): Promise<void> {
      hasStarted = true;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        controller.write(next.value);
        await controller.flush(true);
        if (signal.aborted) return void (await iterator.return?.());
      }
      controller.close();
    },
  };
  return new ReadableStream(source as unknown as UnderlyingDefaultSource<Uint8Array>);
}

function openKeyring(service: string): Keyring {
  return {
    find: async (name) => (await Bun.secrets.get({ service, name })) ?? undefined,
    save: async (name, value) => await Bun.secrets.set({ service, name, value }),
    async remove(name) {
      await Bun.secrets.delete({ service, name });
    },
  };
}
