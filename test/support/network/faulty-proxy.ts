import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";

/** A hook that runs when the target has responded, and the client has received nothing. */
interface ResponseHook {
  readonly onResponse?: () => Promise<unknown>;
}

/**
 * The fault of a request: the proxy responds in place of the target or never, cuts the connection in the request's body or in the target's response,
 * changes its headers, or (undefined) forwards both.
 */
export type Fault =
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly cutBodyAfterBytes: number }
  | { readonly neverResponds: true }
  | ({ readonly cutAfterBytes: number } & ResponseHook)
  | ({ readonly responseHeaders: Readonly<Record<string, string>> } & ResponseHook)
  | undefined;

export interface FaultyProxy extends AsyncDisposable {
  readonly url: string;
  /** Chooses the fault of each request. */
  decide: (request: { readonly method: string; readonly url: string; readonly headers: IncomingMessage["headers"] }) => Fault;
}

/**
 * Starts a proxy in front of `target` that loses responses, cuts them off or refuses requests. It forwards the `Host` header. With `tls` it serves
 * HTTPS.
 */
export async function startFaultyProxy(
  target: string,
  { tls }: { tls?: { readonly key: string; readonly cert: string } } = {},
): Promise<FaultyProxy> {
  const handle: RequestListener = (incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    const fault = proxy.decide({ method, url, headers });
    if (fault && "neverResponds" in fault) return void incoming.resume();
    if (fault && "status" in fault) {
      incoming.resume();
      outgoing.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    const forwarded = request(target + incoming.url, { method: incoming.method ?? "GET", headers: incoming.headers, agent: false });
    // The connection is destroyed, because destroying only an unsent response sends an empty one.
    forwarded.on("error", () => incoming.socket.destroy());
    outgoing.on("close", () => forwarded.destroy());
    forwarded.on("response", async (response: IncomingMessage) => {
      if (fault && "onResponse" in fault) await fault.onResponse?.();
      if (fault && "cutAfterBytes" in fault) return await cut(response, fault.cutAfterBytes).catch(() => outgoing.destroy());
      const { "transfer-encoding": _, connection: __, ...headers } = response.headers;
      outgoing.writeHead(response.statusCode ?? 500, { ...headers, ...(fault && "responseHeaders" in fault && fault.responseHeaders) });
      if (incoming.method === "HEAD") outgoing.end();
      else response.pipe(outgoing);
    });
    if (fault && "cutBodyAfterBytes" in fault) {
      let left = fault.cutBodyAfterBytes;
      incoming.on("data", (chunk: Uint8Array) => {
        forwarded.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) incoming.socket.destroy();
      });
      incoming.on("end", () => incoming.socket.destroy());
    } else incoming.pipe(forwarded);

    /** Forwards the first bytes at the pace of the client, because bytes in this process are lost with the connection. */
    async function cut(response: IncomingMessage, afterBytes: number): Promise<void> {
      if (afterBytes === 0) {
        response.resume().once("end", () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      const closed = new AbortController();
      outgoing.once("close", () => closed.abort());
      let left = afterBytes;
      for await (const chunk of response as AsyncIterable<Uint8Array>) {
        if (!outgoing.write(chunk.subarray(0, left))) await once(outgoing, "drain", { signal: closed.signal });
        left -= chunk.length;
        if (left <= 0) break;
      }
      setImmediate(() => outgoing.destroy());
    }
  };
  const server: Server = tls ? createTlsServer(tls, handle) : createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const proxy: FaultyProxy = {
    url: `${tls ? "https" : "http"}://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    decide: () => undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}
