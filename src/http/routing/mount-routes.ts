import type { Hono, Next } from "hono";
import { AppError } from "../../errors.ts";
import { countRefusal, countRequest } from "../callers/count-request.ts";
import { hasSessionCookie, identifyPerson } from "../callers/session-cookie.ts";
import { checkNoPassword } from "../reading/read-input.ts";
import { isBrowser, wantsPage } from "../reading/request-headers.ts";
import { HttpError } from "../responding/http-error.ts";
import { respondError } from "../responding/respond-error.ts";
import { redirect, respondErrorPage } from "../responding/respond-page.ts";
import type { HttpContext, HttpEnv, Route } from "./env.ts";

/** The methods that get a 405 at paths that match any name. Other methods are for an unknown URL and get a 404, as all methods at paths with `*`. */
const REFUSED_AT_CATCH_ALL_PATHS: ReadonlyMap<string, readonly string[]> = new Map([["/:name", ["POST", "PATCH", "DELETE"]]]);

/**
 * Mounts groups of routes in order, and the responses to unknown URLs and errors. Other methods of a group's paths are refused before the
 * next group, so that a fixed path never matches a parameter of a later group.
 */
export function mountRoutes(
  app: Hono<HttpEnv>,
  groups: readonly (readonly Route[])[],
  { apiPrefixes }: { readonly apiPrefixes: readonly string[] },
): void {
  for (const [index, group] of groups.entries()) {
    const laterPaths = new Set(groups.slice(index + 1).flatMap((routes) => routes.map(({ path }) => path)));
    for (const route of group) mount(app, route, laterPaths);
    refuseOtherMethods(app, group, laterPaths);
  }
  mountNotFound(app, findUncountedFolders(groups.flat()));
  const isApi = (c: HttpContext): boolean => apiPrefixes.some((prefix) => prefix !== "" && c.req.path.startsWith(`${prefix}/`));
  app.onError((thrown, c) => {
    const error = countRefusal(c, thrown);
    return isApi(c) || !wantsPage(c) ? respondError(c, error) : respondErrorPage(c, error);
  });
}

/**
 * Returns whether a request is for the page at the path of an operation, because the API may be at the root of a host (addresses, "Base addresses").
 */
const isForPage = (c: HttpContext, path: string, laterPaths: ReadonlySet<string>): boolean => laterPaths.has(path) && wantsPage(c);

/**
 * Mounts the routes of the content host. Every other path and method is unknown; for a browser, the site shows the error, because the content host
 * has no pages.
 */
export function mountContentRoutes(app: Hono<HttpEnv>, routes: readonly Route[]): void {
  for (const route of routes) mount(app, route, new Set());
  app.notFound((c) => respondError(c, countRefusal(c, new AppError("NOT_FOUND", "Nothing was found at this URL."))));
  app.onError((thrown, c) => {
    const error = countRefusal(c, thrown);
    if (c.req.method !== "GET" || !wantsPage(c)) return respondError(c, error);
    return redirect(c, 302, c.env.ctx.urls.siteUrl + c.env.url.pathname + c.env.url.search);
  });
}

function mount(app: Hono<HttpEnv>, route: Route, laterPaths: ReadonlySet<string>): void {
  app.on(route.method, route.path, async (c: HttpContext, next: Next) => {
    if (isForPage(c, route.path, laterPaths) || (route.isForBrowsers && !isBrowser(c))) return await next();
    c.env.route = route;
    if (route.rate === "request") countRequest(c);
    checkNoPassword(c.env.url);
    if (route.refusesHead && c.req.method === "HEAD") throw methodNotAllowed(["GET", "OPTIONS"]);
    if (route.rate === "request" && hasSessionCookie(c)) await identifyPerson(c);
    return await route.handle(c);
  });
}

/** Responds 405 with `Allow` to the other methods of a group's paths (addresses, "Paths"). */
function refuseOtherMethods(app: Hono<HttpEnv>, group: readonly Route[], laterPaths: ReadonlySet<string>): void {
  for (const [path, routes] of Map.groupBy(group, (route) => route.path)) {
    const [first] = routes;
    const offered = routes.filter(({ isForBrowsers }) => !isForBrowsers);
    const methods = offered.map(({ method }) => method);
    const allowsHead = offered.some(({ method, refusesHead }) => method === "GET" && !refusesHead);
    const allowed = [...methods, ...(allowsHead ? ["HEAD"] : []), "OPTIONS"];
    const refuse = async (c: HttpContext, next: Next): Promise<void> => {
      if (isForPage(c, path, laterPaths)) return await next();
      c.env.route = first;
      throw methodNotAllowed(allowed);
    };
    const refused = path.endsWith("/*") ? [] : REFUSED_AT_CATCH_ALL_PATHS.get(path);
    if (refused === undefined) app.all(path, refuse);
    else if (refused.length > 0) app.on([...refused], path, refuse);
  }
}

function mountNotFound(app: Hono<HttpEnv>, uncountedFolders: readonly string[]): void {
  app.notFound((c) => {
    c.env.route = undefined;
    const notFound = new AppError("NOT_FOUND", "Nothing was found at this URL. The API is described at /agent-openapi.json.");
    const isUncounted = uncountedFolders.some((folder) => c.req.path.startsWith(folder));
    const error = isUncounted ? notFound : countRefusal(c, notFound);
    return wantsPage(c) ? respondErrorPage(c, error) : respondError(c, error);
  });
}

/**
 * Finds the folders whose routes are all uncounted, such as `/dl/`, so that unknown URLs below them are uncounted too. Omits a folder that is itself
 * a route, such as `/health`.
 */
function findUncountedFolders(routes: readonly Route[]): readonly string[] {
  return [...Map.groupBy(routes, ({ path }) => firstSegment(path))]
    .filter(([folder, routes]) => routes.every(({ path, rate }) => rate === "uncounted" && path !== `/${folder}`))
    .map(([folder]) => `/${folder}/`);
}

/** Returns the first segment of a path that is not empty. */
export const firstSegment = (path: string): string | undefined => path.split("/").find((segment) => segment !== "");

const methodNotAllowed = (allowed: readonly string[]): HttpError =>
  new HttpError("METHOD_NOT_ALLOWED", `This URL does not accept that method. Use ${allowed.join(", ")}.`, {
    headers: { Allow: allowed.join(", ") },
  });
