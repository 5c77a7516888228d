import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";

/** What is done when the target has answered, and nothing of that has gone on yet. */
interface Held {
  readonly onAnswer?: () => Promise<unknown>;
}

/** What happens to one request on its way: it goes through, is answered so before it gets there, its answer is cut, or has other headers. */
export type Fault =
  | { readonly status: number; readonly body?: string }
  | ({ readonly cutAfterBytes: number } & Held)
  | ({ readonly answerHeaders: Readonly<Record<string, string>> } & Held)
  | undefined;

export interface FaultyProxy extends AsyncDisposable {
  readonly url: string;
  /** Asked for each request in turn; undefined lets it through. */
  decide: (request: { readonly method: string; readonly url: string; readonly headers: IncomingMessage["headers"] }) => Fault;
}

/**
 * A server between a client and `target` that loses answers, breaks them off or refuses; the name by which it was called is passed on.
 * With `tls`, it is called by HTTPS.
 */
export async function startFaultyProxy(
  target: string,
  { tls }: { tls?: { readonly key: string; readonly cert: string } } = {},
): Promise<FaultyProxy> {
  const handle: RequestListener = (incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    const fault = proxy.decide({ method, url, headers });
    if (fault && "status" in fault) {
      incoming.resume();
      outgoing.writeHead(fault.status).end(fault.body);
      return;
    }
    const forwarded = request(target + incoming.url, { method: incoming.method ?? "GET", headers: incoming.headers, agent: false });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    forwarded.on("response", async (answer: IncomingMessage) => {
      if (fault && "onAnswer" in fault) await fault.onAnswer?.();
      if (fault && "cutAfterBytes" in fault) return cut(answer, fault.cutAfterBytes);
      const { "transfer-encoding": _, connection: __, ...headers } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 500, { ...headers, ...fault?.answerHeaders });
      if (incoming.method === "HEAD") outgoing.end();
      else answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);

    function cut(answer: IncomingMessage, afterBytes: number): void {
      if (afterBytes === 0) {
        answer.resume().once("end", () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      let left = afterBytes;
      answer.on("data", (chunk: Uint8Array) => {
        if (left > 0) outgoing.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) setImmediate(() => outgoing.destroy());
      });
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
