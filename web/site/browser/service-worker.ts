/** The service worker: keeps files that are shared with the installed site and opens the front page. The browser handles all other requests. */
import { SHARE_TARGET } from "../installed-site.ts";
import { keepSharedFiles } from "./shared-files.ts";

interface InstallEvent {
  waitUntil(work: Promise<unknown>): void;
  /** Adds static routes. Some browsers do not support it. */
  addRoutes?(rule: object): Promise<void>;
}

interface FetchEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/** The used part of `ServiceWorkerGlobalScope`, which the types of pages lack. */
interface Scope {
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: InstallEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
}

const scope = globalThis as unknown as Scope;

scope.addEventListener("install", (event) => {
  // Requests that do not start the worker are faster.
  const others = { condition: { not: { urlPattern: { pathname: SHARE_TARGET.path } } }, source: "network" };
  event.addRoutes?.(others).catch(() => undefined);
  event.waitUntil(scope.skipWaiting());
});

scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "POST" && new URL(request.url).pathname === SHARE_TARGET.path) event.respondWith(receive(request));
});

async function receive(request: Request): Promise<Response> {
  // If the storage is full, the page finds nothing.
  await keepSharedFiles(request).catch(() => undefined);
  return Response.redirect(`/?${SHARE_TARGET.parameter}=1`, 303);
}
