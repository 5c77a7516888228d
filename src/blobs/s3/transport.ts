import { Readable } from "node:stream";
// Imports the file, because the bare name is a stub under Bun.
import { Agent } from "undici/index.js";
import { joinHeaders } from "../../lib/http/join-headers.ts";

/** The SDK's interface of an HTTP transport. */
interface Transport {
  readonly metadata: { readonly handlerProtocol: string };
  handle(request: SdkRequest, options?: HandleOptions): Promise<{ response: SdkResponse }>;
  destroy(): void;
}

interface HandleOptions {
  readonly abortSignal?: unknown;
  readonly requestTimeout?: number;
}

interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

const CONNECT_TIMEOUT_MS = 10_000;
const CHUNK_BYTES = 256 * 1024;

/**
 * Returns the SDK's HTTP transport. Its default, `node:http`, loses `Content-Length` or backpressure of a streamed body in runtimes other than Node.
 * A streamed body may take as long as its client needs. `responseTimeoutMs` limits the time until the response starts, the time between its chunks,
 * and the time without progress on a body that is in memory. `onTime` receives the store's time of each response.
 */
export function createS3Transport(
  responseTimeoutMs: number,
  onTime: (storeMs: number) => void = () => {},
): Transport & { readonly close: () => Promise<void> } {
  const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, bodyTimeout: responseTimeoutMs, keepAliveTimeout: 4_000 });
  return {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request, { abortSignal, requestTimeout = responseTimeoutMs } = {}) {
      const { protocol, hostname, port, method } = request;
      const { host: _, ...headers } = request.headers;
      const body: unknown = request.body;
      const timeout = new AbortController();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const restartTimer = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => timeout.abort(new DOMException("The store did not respond", "TimeoutError")), requestTimeout);
      };
      if (body instanceof Readable) body.once("end", restartTimer);
      try {
        const response = await agent.request({
          origin: `${protocol}//${hostname}${port ? `:${port}` : ""}`,
          path: toPath(request),
          method: method as "GET",
          headers,
          body: toBody(body, restartTimer),
          headersTimeout: body instanceof Readable ? 0 : requestTimeout,
          signal: AbortSignal.any([timeout.signal, ...(abortSignal ? [abortSignal as AbortSignal] : [])]),
        });
        // For undici, destroying an unread body is an error; without a listener it would end the process.
        response.body.on("error", () => {});
        // The header is also in the response to a refused request, for example one that this machine's wrong clock has signed.
        const storeMs = Date.parse(String(response.headers.date));
        if (!Number.isNaN(storeMs)) onTime(storeMs);
        return { response: { statusCode: response.statusCode, headers: joinHeaders(response.headers), body: response.body } };
      } catch (error) {
        throw toSdkError(error);
      } finally {
        clearTimeout(timer);
      }
    },
    destroy: () => void agent.destroy(),
    close: () => agent.destroy(),
  };
}

/** Gives a network error a name for which the SDK retries, because the SDK knows only the codes of `node:http`. */
function toSdkError(error: unknown): unknown {
  const isNetwork =
    error instanceof Error && "code" in error && String(error.code).startsWith("UND_ERR_") && error.code !== "UND_ERR_ABORTED";
  return isNetwork ? Object.assign(new Error(error.message, { cause: error }), { name: "TimeoutError" }) : error;
}

/** Sends large bodies in chunks, which otherwise would be copied into the connection's queue. */
function toBody(body: unknown, onChunk: () => void): Readable | Uint8Array | string | null {
  if (body instanceof Uint8Array && body.length > CHUNK_BYTES) return Readable.from(chunksOf(body, onChunk), { objectMode: false });
  return body instanceof Readable || body instanceof Uint8Array || typeof body === "string" ? body : null;
}

function* chunksOf(bytes: Uint8Array, onChunk: () => void): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    onChunk();
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

/** Formats the path and query as the SDK signed them. */
function toPath({ path, query }: SdkRequest): string {
  const encode = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === null) return [encode(name)];
    return [value].flat().map((item) => `${encode(name)}=${encode(item)}`);
  });
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
}
