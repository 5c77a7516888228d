import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Origin extends AsyncDisposable {
  /** The URL without a trailing slash. */
  readonly url: string;
  /** Every request so far. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
}

/** Starts a server on loopback from which tests import; paths without a route return 404. */
export async function startOrigin(routes: Readonly<Record<string, Handler>>): Promise<Origin> {
  const requests: { path: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://origin").pathname;
    requests.push({ path, headers: request.headers });
    const route = routes[path];
    if (route) route(request, response);
    else response.writeHead(404).end("not found");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface OriginFile {
  readonly bytes: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns, for each response, the number of bytes after which it stalls; undefined for never. */
  readonly stallAfter?: () => number | undefined;
  /** Returns, for each response, the number of bytes after which the connection is cut; undefined for never. */
  readonly cutAfter?: () => number | undefined;
}

/** Sends a file, or a range of it if `If-Range` matches its ETag. */
export function sendFile({ bytes, headers = {}, stallAfter, cutAfter }: OriginFile): Handler {
  return (request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const isSame = request.headers["if-range"] === undefined || request.headers["if-range"] === headers.etag;
    const offset = isSame ? from : 0;
    const rest = bytes.subarray(offset);
    const range = offset > 0 ? { "content-range": `bytes ${offset}-${bytes.length - 1}/${bytes.length}` } : {};
    response.writeHead(offset > 0 ? 206 : 200, { "content-length": String(rest.length), ...headers, ...range });
    const stall = stallAfter?.();
    const cut = cutAfter?.();
    if (stall !== undefined) response.write(rest.subarray(0, stall));
    else if (cut !== undefined) response.write(rest.subarray(0, cut), () => response.destroy());
    else response.end(rest);
  };
}

export const redirectTo =
  (location: string, status = 302): Handler =>
  (_request, response) =>
    void response.writeHead(status, { location }).end();
