import { redirect } from "../../src/http/responding/respond-page.ts";
import type { HttpContext, Route } from "../../src/http/routing/env.ts";
import { get } from "../../src/http/routing/route.ts";
import { trimPasted } from "../../src/lib/text/pasted-link.ts";

/**
 * Returns the routes of a link that people pass on, such as `/d/:shortId`: with a trailing slash, and with the characters that surrounded it in a
 * text, which redirect to the link (sharing, "Pasted links").
 */
export function linkRoutes(folder: string, parameter: string, show: Route["handle"]): readonly Route[] {
  const showExact = (c: HttpContext) => {
    const sent = c.req.param(parameter) ?? "";
    const exact = trimPasted(sent);
    return exact === sent || exact === "" ? show(c) : redirect(c, 302, `${folder}/${encodeURIComponent(exact)}${c.env.url.search}`);
  };
  return [get(`${folder}/:${parameter}`, "request", showExact), get(`${folder}/:${parameter}/`, "request", showExact)];
}
