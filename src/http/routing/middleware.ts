import type { Logger } from "pino";
import { ASSETS_PATH } from "../../../web/site/assets.ts";
import type { Ctx } from "../../context.ts";
import { toAppError } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { clientAddress } from "../../net/client-address.ts";
import { isForHost } from "../../net/content-host.ts";
import type { Peer } from "../../runtime/runtime.ts";
import { rateHeaders } from "../callers/request-rates.ts";
import { HttpError, toErrorResponse } from "../responding/http-error.ts";
import { type ConnectionWatch, KEEP_ALIVE_SECONDS } from "./connection-watch.ts";
import type { HttpEnv } from "./env.ts";
import type { ProxyWarnings } from "./proxy-warnings.ts";
import { COMMON_HEADERS, CORS_HEADERS, PREFLIGHT_HEADERS } from "./response-headers.ts";

/** The resources that all requests of a server share. */
export interface ServerResources {
  readonly bindings: Pick<
    HttpEnv["Bindings"],
    "ctx" | "rates" | "guestRates" | "oauthRates" | "streams" | "bodyWatch" | "bodyMemory" | "stop" | "branding"
  >;
  readonly connections: ConnectionWatch;
  readonly contentHost: string | undefined;
  readonly warnOfProxy: ProxyWarnings;
  fetch(request: Request, env: HttpEnv["Bindings"]): Response | Promise<Response>;
}

/** Responds 400 to a request whose URL or `Host` is not valid. */
export const refuseUrl = (): Response =>
  refuse("The URL or the Host header of this request is not valid. Send one Host header with one name.");

/** Responds 400 to a client of unknown address: rate limits and quotas count by address. */
export const refuseAddress = (): Response => refuse("The client's address is unknown; connect again.");

function refuse(message: string): Response {
  const fields = { issues: [{ path: "", message }] };
  const response = toErrorResponse(new HttpError("VALIDATION_FAILED", message, { fields, headers: { Connection: "close" } }));
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.headers.set(name, value);
  return response;
}

/** Responds to a CORS preflight, which is the same for every URL. */
export function respondPreflight(peer: Peer, connections: ConnectionWatch): Response {
  peer.setIdleTimeout(KEEP_ALIVE_SECONDS);
  const closing = connections.isScarce && { Connection: "close" };
  return new Response(null, { status: 204, headers: { ...CORS_HEADERS, ...PREFLIGHT_HEADERS, ...closing } });
}

/** Handles one request: creates its environment, routes it, sets the common headers and logs a line without secrets. */
export async function handleRequest(
  request: Request,
  url: URL,
  peer: Peer,
  { bindings, connections, contentHost, warnOfProxy, fetch }: ServerResources,
): Promise<Response> {
  const startedAt = performance.now();
  const env = createEnv(request, url, peer, { bindings, contentHost, warnOfProxy });
  let response: Response;
  try {
    response = connections.isExhausted && !isHealthCheck(request) ? tooManyConnections() : await fetch(withUrl(request, url), env);
  } finally {
    env.bufferedBody?.[Symbol.dispose]();
  }
  peer.setIdleTimeout(env.responseIdleSeconds ?? KEEP_ALIVE_SECONDS);
  setCommonHeaders(response, env);
  if (connections.isScarce) response.headers.set("Connection", "close");
  logRequest(request, response, { env, startedAt });
  return response;
}

/** Returns the request with an absolute URL, which routing requires. */
const withUrl = (request: Request, url: URL): Request => (request.url.startsWith("/") ? new Request(url, request) : request);

/** Responds 500 when the handlers of errors have failed too. The runtime would respond without headers and log nothing. */
export function respondFailure({ log, now, random }: Pick<Ctx, "log" | "now" | "random">, thrown: unknown): Response {
  const requestId = newUuid(random, now());
  log.error({ requestId, err: thrown }, "responding to a request failed");
  const response = toErrorResponse(toAppError(new Error("Responding failed.", { cause: thrown })), { requestId });
  for (const [name, value] of COMMON) response.headers.set(name, value);
  response.headers.set("X-Request-Id", requestId);
  return response;
}

function createEnv(
  request: Request,
  url: URL,
  peer: Peer,
  { bindings, contentHost, warnOfProxy }: Pick<ServerResources, "bindings" | "contentHost" | "warnOfProxy">,
): HttpEnv["Bindings"] {
  const { ctx } = bindings;
  const { site, pageCache } = bindings.branding();
  const requestId = newUuid(ctx.random, ctx.now());
  const client = clientAddress(peer.address, request.headers, ctx.config.trustedProxies);
  warnOfProxy(peer.address, request.headers, client);
  let log: Logger | undefined;
  return {
    ...bindings,
    site,
    pageCache,
    peer,
    requestId,
    url,
    isContentHost: isForHost(url, contentHost),
    address: client.address,
    get log() {
      log ??= ctx.log.child({ requestId });
      return log;
    },
  };
}

/**
 * Returns whether a request gets a response in spite of too many connections, because a failing health check may restart the server. Called before
 * routing.
 */
const isHealthCheck = ({ method, url }: Request): boolean =>
  (method === "GET" || method === "HEAD") && /^[^?]*\/health(?:\/live)?$/.test(url);

/** Refuses a request without reading its body, and closes its connection. */
const tooManyConnections = (): Response =>
  toErrorResponse(
    new HttpError("UNAVAILABLE", "The server has too many connections. Try again in a few seconds.", {
      retryAfterSeconds: 5,
      headers: { Connection: "close" },
    }),
  );

const COMMON = Object.entries({ ...COMMON_HEADERS, ...CORS_HEADERS });
/** The common headers of assets. They omit what nobody reads for assets, because many scripts are shorter than these headers. */
const ASSET_HEADERS = COMMON.filter(([name]) => name !== "Access-Control-Expose-Headers");

function setCommonHeaders({ headers, ok }: Response, { ctx, requestId, rate, route }: HttpEnv["Bindings"]): void {
  const isAsset = ok && route?.path.startsWith(ASSETS_PATH);
  for (const [name, value] of isAsset ? ASSET_HEADERS : COMMON) headers.set(name, value);
  if (!isAsset) headers.set("X-Request-Id", requestId);
  if (rate) for (const [name, value] of rateHeaders(rate, ctx.now())) headers.set(name, value);
}

const NO_ROUTE = "(none)";

/** Logs the route's pattern (`/:name`), never the URL, which may contain secrets. */
function logRequest(
  { method }: Request,
  { status }: Response,
  { env: { ctx, requestId, route }, startedAt }: { env: HttpEnv["Bindings"]; startedAt: number },
): void {
  if (!ctx.log.isLevelEnabled("info")) return;
  const ms = Math.round(performance.now() - startedAt);
  ctx.log.info({ requestId, method, route: route?.path ?? NO_ROUTE, status, ms }, "request");
}
