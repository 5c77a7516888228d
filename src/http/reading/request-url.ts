/**
 * Returns the URL of a request, which all its handlers use; undefined if the URL or the `Host` is not valid. A request without `Host`, which HTTP/1.0
 * permits and health checks send, is for the site.
 */
export function readRequestUrl(request: Request, siteUrl: string): URL | undefined {
  const host = request.headers.get("host");
  if (host === null && isRead(request) && request.url.startsWith("/")) return URL.parse(new URL(siteUrl).origin + request.url) ?? undefined;
  // For an invalid host, the runtime's URL of the request is only the path, or contains that host.
  const url = URL.parse(request.url);
  return url !== null && (host === null || isHost(host)) ? url : undefined;
}

/** Returns whether the host is one name with or without a port. Bun joins several `Host` headers with a comma. */
const isHost = (host: string): boolean => /^[^\s,@/?#\\]+$/.test(host) && URL.canParse(`http://${host}`);

const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";
