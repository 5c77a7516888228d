import { Readable } from "node:stream";
// By its file: under Bun the bare name is a stub.
import { Agent } from "undici/index.js";
import { joinHeaders } from "../domain/join-headers.ts";

/** What the SDK asks of one. */
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
const PIECE_BYTES = 256 * 1024;

/**
 * How the SDK speaks HTTP: its own way, `node:http`, loses `Content-Length` or back-pressure of a streamed body in runtimes other than Node.
 * A streamed body may take as long as its sender needs; the store's answer to it may not: it comes within `answerMs`, as does each piece of it,
 * and bytes that are here already are taken in pieces as often.
 */
export function createS3Transport(answerMs: number): Transport & { readonly close: () => Promise<void> } {
  const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, bodyTimeout: answerMs, keepAliveTimeout: 4_000 });
  return {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request, { abortSignal, requestTimeout = answerMs } = {}) {
      const { protocol, hostname, port, method } = request;
      const { host: _, ...headers } = request.headers;
      const body: unknown = request.body;
      const late = new AbortController();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const wait = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => late.abort(new DOMException("The store did not answer", "TimeoutError")), requestTimeout);
      };
      if (body instanceof Readable) body.once("end", wait);
      try {
        const answer = await agent.request({
          origin: `${protocol}//${hostname}${port ? `:${port}` : ""}`,
          path: toPath(request),
          method: method as "GET",
          headers,
          body: toBody(body, wait),
          headersTimeout: body instanceof Readable ? 0 : requestTimeout,
          signal: AbortSignal.any([late.signal, ...(abortSignal ? [abortSignal as AbortSignal] : [])]),
        });
        // Destroying a body that is not read to its end is an error to undici; without a listener it would end the process.
        answer.body.on("error", () => {});
        return { response: { statusCode: answer.statusCode, headers: joinHeaders(answer.headers), body: answer.body } };
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

/** What the network did, by the name under which the SDK tries it again; it knows the codes of `node:http` alone. */
function toSdkError(error: unknown): unknown {
  const isNetwork =
    error instanceof Error && "code" in error && String(error.code).startsWith("UND_ERR_") && error.code !== "UND_ERR_ABORTED";
  return isNetwork ? Object.assign(new Error(error.message, { cause: error }), { name: "TimeoutError" }) : error;
}

/** Large bytes go in pieces: whole, they would be copied once more into what waits for the connection. */
function toBody(body: unknown, onPiece: () => void): Readable | Uint8Array | string | null {
  if (body instanceof Uint8Array && body.length > PIECE_BYTES) return Readable.from(piecesOf(body, onPiece), { objectMode: false });
  return body instanceof Readable || body instanceof Uint8Array || typeof body === "string" ? body : null;
}

function* piecesOf(bytes: Uint8Array, onPiece: () => void): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    onPiece();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

/** As the SDK signed it. */
function toPath({ path, query }: SdkRequest): string {
  const encode = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === null) return [encode(name)];
    return [value].flat().map((item) => `${encode(name)}=${encode(item)}`);
  });
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
}
