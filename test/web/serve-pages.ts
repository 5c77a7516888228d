import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { assetPath, assets } from "../../web/site/assets.ts";
import { SERVICE_WORKER_PATH } from "../../web/site/installed-site.ts";
import { renderMessagePage } from "../../web/site/message-page.tsx";
import { ENGLISH } from "./pages.ts";

const POLICY =
  "default-src 'none'; style-src 'self'; script-src *:*/assets/; worker-src *:*/assets/ *:*/service-worker.js; manifest-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none', default-src 'self'; connect-src 'self'; img-src 'self' data:";

export interface Site extends AsyncDisposable {
  readonly url: string;
  /** Path → page; may be changed while it is served. */
  readonly pages: Map<string, string>;
  /** Bodies of the POSTs so far. */
  readonly posts: string[];
  /** The `Origin` headers of the POSTs so far. */
  readonly origins: (string | undefined)[];
  /** The response to a POST. */
  postResponse: { status: number; html: string };
}

/** Serves pages with the policy of the server. */
export async function servePages(pages: Iterable<readonly [path: string, html: string]>): Promise<Site> {
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const site: Site = {
    url: `http://127.0.0.1:${address.port}/`,
    pages: new Map(pages),
    posts: [],
    origins: [],
    postResponse: { status: 200, html: "" },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const asset = assets.get(path === SERVICE_WORKER_PATH ? assetPath("serviceWorker") : path);
    if (asset !== undefined)
      return send(response, 200, asset.type, Buffer.from(await asset.plain()).toString(), { "cache-control": "max-age=3600" });
    if (request.method === "POST") {
      site.origins.push(request.headers.origin);
      site.posts.push(await text(request));
      return send(response, site.postResponse.status, "text/html; charset=utf-8", site.postResponse.html);
    }
    const page = site.pages.get(path.slice(1));
    send(response, page === undefined ? 404 : 200, "text/html; charset=utf-8", page ?? renderMessagePage(ENGLISH, { kind: "missing" }));
  }

  return site;
}

function send(response: ServerResponse, status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { "content-type": type, "content-security-policy": POLICY, ...headers });
  response.end(body);
}
