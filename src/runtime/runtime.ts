import type { ReducedImages } from "../lib/formats/reduced-images.ts";

/** The differences between the runtimes. `#runtime` resolves to `bun.ts` or `deno.ts`, each of which exports `runtime`. */
export interface Runtime {
  readonly name: "bun" | "deno";

  /** Starts to listen. Resolves once connections are accepted; port 0 chooses a free one. */
  serve(options: ServeOptions): Promise<RunningServer>;

  /**
   * Returns a response that sends a file's bytes, or `range` of them, by the runtime's fastest method (sendfile), in constant memory. Sends `headers`
   * as given; a HEAD request gets them without the body. Rejects with the file system's error if the file cannot be opened.
   */
  fileResponse(path: string, options: FileResponseOptions): Promise<Response>;

  /**
   * Returns the body of the response to the request with this `signal`. Sends each chunk as the client reads it, and requests the next one only when
   * its memory may be reused. A client that disconnects ends `chunks`, even before the first one; an error of `chunks` closes the connection.
   */
  streamBody(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array>;

  /** Makes thumbnails; undefined if the runtime cannot decode images. */
  readonly thumbnails?: Thumbnails;

  /** The keyring of the operating system; undefined if the runtime cannot use it. */
  readonly keyring?: Keyring;
  /** Collects garbage now, in milliseconds. Otherwise this runtime collects only after tens of megabytes. */
  freeMemory?(): void;
}

/** Secrets of this program by name. The methods reject if the system has no keyring, and may wait for its user without a limit. */
export interface Keyring {
  find(name: string): Promise<string | undefined>;
  save(name: string, secret: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface Thumbnails {
  /**
   * Makes the thumbnail of an image, and a reduced image of a large one, as WebP without metadata, in a child process with limits. Rejects with the
   * error of `image` or the reason of `signal`. An image of more than `maxPixels` fails; default: what the memory of the server permits.
   */
  make(image: AsyncIterable<Uint8Array>, signal: AbortSignal, maxPixels?: number): Promise<ThumbnailResult>;
  /** Runs the child process: reads the image from the standard input and writes what it made to the standard output. */
  runChild(maxPixels: number): Promise<void>;
}

/** The command of the child process that makes a thumbnail. Only this program uses it, so no help shows it. */
export const THUMBNAIL_COMMAND = "__thumbnail";

/** The images, or the reason why none can be made of the image within the limits. */
export type ThumbnailResult =
  | { readonly kind: "made"; readonly images: ReducedImages }
  | { readonly kind: "failed"; readonly reason: string };

export interface FileResponseOptions {
  readonly status: number;
  readonly headers: Headers;
  readonly sizeBytes: number;
  /** The range of bytes, half-open. */
  readonly range?: { readonly start: number; readonly end: number };
}

export interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  /** Number of seconds without a byte after which a connection is closed. */
  readonly idleTimeoutSeconds: number;
  fetch(request: Request, peer: Peer): Response | Promise<Response>;
}

export interface RunningServer {
  readonly hostname: string;
  readonly port: number;
  /** Closes all idle connections and returns their number. Deno cannot close them, and returns 0. */
  closeIdleConnections(): number;
  /** Stops accepting immediately. Resolves when running requests have ended, or after `timeoutMs`, when the remaining ones are aborted. */
  stop(timeoutMs: number): Promise<void>;
}

/** The client's connection of one request. */
export interface Peer {
  /** The socket's remote address; empty if it is closed. */
  readonly address: string;

  /**
   * Resolves to true once the whole response was passed to the network, or to false if the connection closed before; also with sendfile. Must be
   * called before the response is returned.
   */
  whenSent(): Promise<boolean>;

  /** Returns whether the connection has closed. Must be called before the response is returned. */
  isGone(): boolean;

  /**
   * Closes the connection after a number of seconds without a byte, counted from now; 0: never. Applies until the next call or request. Responses by
   * sendfile use the server's timeout instead.
   */
  setIdleTimeout(seconds: number): void;
}
