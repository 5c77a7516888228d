/**
 * The service worker: keeps files that are shared with the installed site and opens the front page, and gives streams of pages to the browser as
 * downloads. The browser handles all other requests.
 */
import { DECRYPTED_PATH, SHARE_TARGET } from "../installed-site.ts";
import { findStream, keepStream } from "./saved-streams.ts";
import { keepSharedFiles } from "./shared-files.ts";

interface InstallEvent {
  waitUntil(work: Promise<unknown>): void;
  /** Adds static routes. Some browsers do not support it. */
  addRoutes?(rule: object): Promise<void>;
}

interface FetchEvent {
  readonly request: Request;
  respondWith(response: Promise<Response> | Response): void;
}

/** The used part of `ServiceWorkerGlobalScope`, which the types of pages lack. */
interface Scope {
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: InstallEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}

const scope = globalThis as unknown as Scope;

scope.addEventListener("install", (event) => {
  // Requests that do not start the worker are faster.
  const own = [SHARE_TARGET.path, `${DECRYPTED_PATH}*`].map((pathname) => ({ urlPattern: { pathname } }));
  const others = { condition: { not: { or: own } }, source: "network" };
  event.addRoutes?.(others).catch(() => undefined);
  event.waitUntil(scope.skipWaiting());
});

scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "POST" && new URL(request.url).pathname === SHARE_TARGET.path) return event.respondWith(receive(request));
  const download = request.method === "GET" ? findStream(request.url) : undefined;
  if (download) event.respondWith(download);
});

scope.addEventListener("message", keepStream);

async function receive(request: Request): Promise<Response> {
  // If the storage is full, the page finds nothing.
  await keepSharedFiles(request).catch(() => undefined);
  return Response.redirect(`/?${SHARE_TARGET.parameter}=1`, 303);
}
