import { redirect } from "../../src/http/responding/respond-page.ts";
import type { HttpContext, Route } from "../../src/http/routing/env.ts";
import { get } from "../../src/http/routing/route.ts";
import { trimPasted } from "../../src/lib/text/pasted-link.ts";

/** Returns the routes of the page at a link that people pass on, such as `/d/:shortId`, also with a trailing slash. */
export const linkRoutes = (path: string, show: Route["handle"]): readonly Route[] => [
  get(path, "request", show),
  get(`${path}/`, "request", show),
];

/**
 * Returns the routes of links in these folders, such as `/d`, so that each GET with the characters that surrounded a link in a text, in any part of its
 * path, redirects to the path without them (sharing, "Pasted links").
 */
export function withPastedLinks(folders: readonly string[], routes: readonly Route[]): readonly Route[] {
  const isLink = ({ method, path }: Route): boolean => method === "GET" && folders.some((folder) => path.startsWith(`${folder}/`));
  return [
    ...routes.map((route) => (isLink(route) ? { ...route, handle: fromExact(route.handle) } : route)),
    ...folders.map((folder) =>
      get(
        `${folder}/*`,
        "refusal",
        fromExact(async (c) => await c.notFound()),
      ),
    ),
  ];
}

const fromExact =
  (handle: Route["handle"]): Route["handle"] =>
  (c: HttpContext) => {
    const { pathname, search } = c.env.url;
    const exact = toExactPath(pathname);
    return exact === undefined ? handle(c) : redirect(c, 302, exact + search);
  };

/** Removes the characters that surrounded a link from the parts of its path. Undefined if there are none, or if nothing else remains. */
function toExactPath(pathname: string): string | undefined {
  const [, folder = "", ...sent] = pathname.replace(/\/+$/, "").split("/");
  const exact = sent.map(trimSegment);
  if (exact.every((segment, index) => segment === sent[index])) return undefined;
  while (exact.at(-1) === "") exact.pop();
  return exact.length === 0 || exact.includes("") ? undefined : ["", folder, ...exact].join("/");
}

function trimSegment(segment: string): string {
  try {
    const text = decodeURIComponent(segment);
    const exact = trimPasted(text);
    return exact === text ? segment : encodeURIComponent(exact);
  } catch {
    // A segment that is not encoded correctly belongs to no link.
    return segment;
  }
}
