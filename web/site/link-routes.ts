import { redirect } from "../../src/http/responding/respond-page.ts";
import type { HttpContext, Route } from "../../src/http/routing/env.ts";
import { get } from "../../src/http/routing/route.ts";
import { trimPasted } from "../../src/lib/text/pasted-link.ts";

/**
 * Returns the routes of a link that people pass on, such as `/d/:shortId`: with a trailing slash, and with the characters that surrounded it in a
 * text, which redirect to the link (sharing, "Pasted links").
 */
export function linkRoutes(folder: string, parameter: string, show: Route["handle"]): readonly Route[] {
  const showExact = fromExact({ folder, parameter, below: "" }, show);
  return [get(`${folder}/:${parameter}`, "request", showExact), get(`${folder}/:${parameter}/`, "request", showExact)];
}

interface PastedPath {
  readonly folder: string;
  readonly parameter: string;
  /** The path below the link, such as `/download`. */
  readonly below: string;
}

/** Handles a path with a pasted link by a redirect to the exact one. */
export const fromExact =
  ({ folder, parameter, below }: PastedPath, handle: Route["handle"]): Route["handle"] =>
  (c: HttpContext) => {
    const sent = c.req.param(parameter) ?? "";
    const exact = trimPasted(sent);
    return exact === sent || exact === ""
      ? handle(c)
      : redirect(c, 302, `${folder}/${encodeURIComponent(exact)}${below}${c.env.url.search}`);
  };
