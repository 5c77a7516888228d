import { closeSync, openSync, readSync } from "node:fs";
import { stat } from "node:fs/promises";
import { streamBody } from "./bun-stream.ts";
import type { Peer } from "./peer.ts";
import type { FileResponseOptions, RunningServer, Runtime, ServeOptions } from "./runtime.ts";

/**
 * Up to here a file is read at once and answered from memory. Measured with 10 KB, 16 clients and one core: 80,000 answers
 * a second against 42,000 by sendfile, whose opening and closing goes through the event loop.
 */
const IN_MEMORY_BYTES = 64 * 1024;

/**
 * Bun counts idle time in steps of 4 s, takes no more than 255, and cuts whoever has a time-out below 8 s in the middle of a
 * busy transfer. A reader slower than a third of the socket's buffer in that time looks idle too: hence rather more than less. Of a
 * request's body it wants 16 KB for each of these seconds, or the client looks idle too: hence none while a body is read.
 */
const IDLE_TIMEOUT_SECONDS = { min: 8, max: 255 };

/** How often the answers that someone waits for are looked at. */
const SENT_POLL_MS = 25;

type Server = Bun.Server<undefined>;

/** Bun.serve, with sendfile. */
export const runtime: Runtime = { name: "bun", serve, fileResponse, streamBody };

async function serve(options: ServeOptions): Promise<RunningServer> {
  const watcher = createSentWatcher();
  const server: Server = Bun.serve({
    hostname: options.hostname,
    port: options.port,
    development: false,
    // Outside development Bun shares the port by default, and a second server by mistake would take half of the requests.
    reusePort: false,
    idleTimeout: toIdleTimeout(options.idleTimeoutSeconds),
    // Bun's own cap of 128 MB would refuse an upload before a route, which has its own, sees it.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, server) => options.fetch(request, toPeer(server, request, watcher)),
  });
  return {
    hostname: server.hostname ?? options.hostname,
    port: server.port ?? options.port,
    closeIdleConnections: () => server.closeIdleConnections(),
    stop: (graceMs) => stop(server, graceMs),
  };
}

function toPeer(server: Server, request: Request, watcher: SentWatcher): Peer {
  return {
    address: server.requestIP(request)?.address ?? "",
    sent: () => watcher.watch(server, request),
    isGone: () => server.requestIP(request) === null,
    setIdleTimeout: (seconds) => server.timeout(request, seconds === 0 ? 0 : toIdleTimeout(seconds)),
  };
}

const toIdleTimeout = (seconds: number): number => Math.min(Math.max(seconds, IDLE_TIMEOUT_SECONDS.min), IDLE_TIMEOUT_SECONDS.max);

async function stop(server: Server, graceMs: number): Promise<void> {
  const { promise: graceOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, graceMs);
  await Promise.race([server.stop(), graceOver]);
  clearTimeout(timer);
  await server.stop(true);
}

async function fileResponse(path: string, options: FileResponseOptions): Promise<Response> {
  const { start, end } = options.range ?? { start: 0, end: options.sizeBytes };
  const init = { status: options.status, headers: options.headers };
  if (end - start <= IN_MEMORY_BYTES) return new Response(readBytes(path, start, end), init);
  // Bun opens the file when it sends it, and a missing one would only then be a 500 of its own.
  await stat(path);
  // Without this header Bun would add it, with the name that the file has on disk.
  if (!options.headers.has("content-disposition")) options.headers.set("content-disposition", "attachment");
  return new Response(Bun.file(path).slice(start, end, options.headers.get("content-type") ?? ""), init);
}

/** For one file after the other: a response takes a copy at once. Fresh memory for each would be cold memory, and wait for the collector. */
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

/** Bun tells of a cut connection but never of an answer that is through; it does forget the peer of a request that is over. */
function createSentWatcher(): SentWatcher {
  const waiting = new Map<Request, { readonly server: Server; settle(whole: boolean): void }>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const look = () => {
    for (const [request, { server, settle }] of waiting) {
      if (request.signal.aborted) settle(false);
      else if (server.requestIP(request) === null) settle(true);
    }
  };

  const settled = (request: Request) => {
    waiting.delete(request);
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    watch: (server, request) =>
      new Promise((resolve) => {
        const settle = (whole: boolean) => {
          settled(request);
          resolve(whole);
        };
        request.signal.addEventListener("abort", () => settle(false), { once: true });
        waiting.set(request, { server, settle });
        timer ??= setInterval(look, SENT_POLL_MS);
      }),
  };
}
