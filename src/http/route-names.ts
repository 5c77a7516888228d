import type { Hono } from "hono";
import type { HttpEnv } from "./env.ts";

/** Names the route of a request for the log, as it was mounted (`/:name`): nothing of what a client put in its address. */
export type RouteNames = (request: Request) => string;

const NO_ROUTE = "(none)";

export function createRouteNames(app: Hono<HttpEnv>): RouteNames {
  return (request) => {
    const [matched] = app.router.match(request.method === "HEAD" ? "GET" : request.method, app.getPath(request));
    return matched[0]?.[0][1].path ?? NO_ROUTE;
  };
}
