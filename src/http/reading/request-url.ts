/**
 * The URL of a request, which all that handles it uses. Undefined if the URL or the `Host` is not valid. A request without `Host`, which only
 * HTTP/1.0 permits, is for the site; health checks send it.
 */
export function readRequestUrl(request: Request, siteUrl: string): URL | undefined {
  const host = request.headers.get("host");
  if (host === null && isRead(request) && request.url.startsWith("/")) return URL.parse(new URL(siteUrl).origin + request.url) ?? undefined;
  // The runtime's URL of a request with an invalid host is the path alone, or has that host.
  const url = URL.parse(request.url);
  return url !== null && (host === null || isHost(host)) ? url : undefined;
}

/** Whether the host is one name with or without a port. Bun joins several `Host` headers with a comma. */
const isHost = (host: string): boolean => /^[^\s,@/?#\\]+$/.test(host) && URL.canParse(`http://${host}`);

const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";
