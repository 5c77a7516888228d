import { type IncomingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Sent {
  readonly method?: string;
  /** The client's address, in the header of a trusted proxy. */
  readonly from: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 20_000;

/** Sends a request on a new connection. Rejects if the server does not respond in time. */
export function ask(url: string, { method = "GET", from, headers = {}, body, timeoutMs = TIMEOUT_MS }: Sent): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      agent: false,
      headers: { connection: "close", "x-forwarded-for": from, ...(body && { "content-length": String(body.length) }), ...headers },
      signal: AbortSignal.timeout(timeoutMs),
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    sent.end(body);
  });
}

/** Sends JSON and reads a JSON response. Rejects with the server's message if the status is an error. */
export async function askJson<T>(url: string, sent: Omit<Sent, "body"> & { readonly json?: unknown }): Promise<T> {
  const { json, ...rest } = sent;
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const headers = { accept: "application/json", ...(body && { "content-type": "application/json" }), ...rest.headers };
  const response = await ask(url, { ...rest, headers, body });
  if (response.status >= 300) throw new Error(`${response.status} ${response.body.toString().slice(0, 200)}`);
  return JSON.parse(response.body.toString()) as T;
}

/** A request that has not ended. */
export interface HeldRequest {
  /** Returns the status of a response that arrived before the request's end; 0: none; -1: the connection was closed without one. */
  status(): number;
  end(): void;
}

export interface HeldOptions {
  readonly method: string;
  readonly from: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The part of the body that is sent, which is shorter than `content-length`. */
  readonly body: Uint8Array;
  /** The local address, for connections from several addresses. */
  readonly localAddress?: string;
}

const CHUNK_BYTES = 1024 * 1024;

/** Sends the start of a request and then nothing. Resolves when it was sent, or when the server has responded or closed the connection. */
export async function hold(url: string, { method, from, headers, body, localAddress }: HeldOptions): Promise<HeldRequest> {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...(localAddress && { localAddress }) });
  let status = 0;
  socket.on("error", () => undefined);
  socket.on("data", (bytes) => {
    status ||= Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString("latin1"))?.[1] ?? 0);
  });
  socket.on("close", () => {
    status ||= -1;
  });
  const lines = Object.entries({ host: `${hostname}:${port}`, "x-forwarded-for": from, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`);
  for (let offset = 0; offset < body.length && status === 0; offset += CHUNK_BYTES) {
    if (!socket.write(body.subarray(offset, offset + CHUNK_BYTES))) await drained(socket);
  }
  return { status: () => status, end: () => socket.destroy() };
}

/** Resolves when the socket is writable or closed, or after a pause. The pause is needed because the tested server may stop reading. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const event of ["drain", "close", "data"]) socket.off(event, done);
      resolve();
    };
    const timer = setTimeout(done, 2_000);
    for (const event of ["drain", "close", "data"]) socket.once(event, done);
  });
}
