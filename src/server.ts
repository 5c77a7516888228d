import { Hono } from "hono";
import type { Ctx } from "./context.ts";
import { createOpenStreams } from "./http/callers/open-streams.ts";
import { createRequestRates } from "./http/callers/request-rates.ts";
import { createBodyMemory } from "./http/reading/body-memory.ts";
import { createBodyWatch } from "./http/reading/body-watch.ts";
import { readRequestUrl } from "./http/reading/request-url.ts";
import { createBranding } from "./http/responding/branding.ts";
import { type ConnectionWatch, UNWATCHED } from "./http/routing/connection-watch.ts";
import type { HttpEnv } from "./http/routing/env.ts";
import {
  handleRequest,
  refuseAddress,
  refuseUrl,
  respondFailure,
  respondPreflight,
  type ServerResources,
} from "./http/routing/middleware.ts";
import { mountContentRoutes, mountRoutes } from "./http/routing/mount-routes.ts";
import { createProxyWarnings } from "./http/routing/proxy-warnings.ts";
import { findContentHost } from "./net/content-host.ts";
import { apiPrefixes, listContentRoutes, listRoutes } from "./routes.ts";
import type { Peer } from "./runtime/runtime.ts";

export type HttpHandler = (request: Request, peer: Peer) => Response | Promise<Response>;

export interface HttpOptions {
  /** Aborts when the server shuts down, which closes event streams. */
  readonly stop?: AbortSignal;
  readonly connections?: ConnectionWatch;
}

/** Creates the handler of the HTTP server: the routes of `routes.ts` and of the content host, behind the middleware. */
export function createHttp(ctx: Ctx, { stop, connections = UNWATCHED }: HttpOptions = {}): HttpHandler {
  const app = new Hono<HttpEnv>();
  mountRoutes(app, listRoutes(ctx), { apiPrefixes: apiPrefixes(ctx) });
  const content = new Hono<HttpEnv>();
  mountContentRoutes(content, listContentRoutes());
  const shared: ServerResources = {
    bindings: {
      ctx,
      branding: createBranding(ctx),
      stop,
      rates: createRequestRates(ctx),
      guestRates: createRequestRates(ctx, "mcpGuests"),
      oauthRates: createRequestRates(ctx, "oauthRequests"),
      streams: createOpenStreams(ctx),
      bodyWatch: createBodyWatch(),
      bodyMemory: createBodyMemory(ctx),
    },
    connections,
    contentHost: findContentHost(ctx.urls),
    warnOfProxy: createProxyWarnings(ctx),
    fetch: (request, env) => (env.isContentHost ? content : app).fetch(request, env),
  };
  return async (request, peer) => {
    try {
      const url = readRequestUrl(request, ctx.urls.siteUrl);
      if (!url) return refuseUrl();
      if (peer.address === "") return refuseAddress();
      if (request.method === "OPTIONS") return respondPreflight(peer, connections);
      return await handleRequest(request, url, peer, shared);
    } catch (thrown) {
      return respondFailure(ctx, thrown);
    }
  };
}
