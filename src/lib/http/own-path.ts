/** Returns a path of this site, with its query; undefined for anything else, so that a form or a link leads to no other site. */
export function toOwnPath(path: string | null | undefined): string | undefined {
  const url = path?.startsWith("/") ? URL.parse(path, "http://own") : null;
  // `/.//name` becomes `//name`, which browsers read as a host.
  return url?.host === "own" && !url.pathname.startsWith("//") ? url.pathname + url.search : undefined;
}
