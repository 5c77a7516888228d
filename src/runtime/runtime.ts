import type { Peer } from "./peer.ts";

/** What differs between the runtimes; `#runtime` resolves to `bun.ts` or `deno.ts`, each exporting these members. */
export interface Runtime {
  readonly name: "bun" | "deno";

  /** Starts listening; resolves once connections are accepted. `port` 0 picks a free one. */
  serve(options: ServeOptions): Promise<RunningServer>;

  /**
   * A response that sends a file's bytes, or `range` of them, by the fastest way the runtime has (sendfile), in constant memory.
   * `headers` name everything but nothing is added to them; a HEAD request gets the headers without the body.
   * Rejects with the file system's error where the file cannot be opened.
   */
  fileResponse(path: string, options: FileResponseOptions): Promise<Response>;

  /**
   * The body of the response to a request, whose `signal` it takes: hands on each chunk as the client takes it, and asks for the next only
   * when that memory may be used again. A client that goes away ends `chunks`, before the first too; an error of theirs cuts the connection.
   */
  streamBody(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array>;
}

export interface FileResponseOptions {
  readonly status: number;
  readonly headers: Headers;
  readonly sizeBytes: number;
  /** Half-open. */
  readonly range?: { readonly start: number; readonly end: number };
}

export interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  /** Seconds without a byte after which a connection is closed. */
  readonly idleTimeoutSeconds: number;
  fetch(request: Request, peer: Peer): Response | Promise<Response>;
}

export interface RunningServer {
  readonly hostname: string;
  readonly port: number;
  /** Closes every connection that waits for its next request, and no other; says how many. Deno knows none of them: 0. */
  closeIdleConnections(): number;
  /** Stops accepting at once; resolves when what runs has ended, or when `graceMs` are over and the rest has been cut. */
  stop(graceMs: number): Promise<void>;
}
