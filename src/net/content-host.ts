export interface HostUrls {
  readonly siteUrl: string;
  readonly apiUrl: string;
  readonly mcpUrl: string;
  readonly contentUrl: string;
}

/**
 * Returns the host that serves only the bytes of files; undefined unless its name differs from the site's, the API's and MCP's, because browsers send
 * cookies to every port of a name (addresses, "The content host").
 */
export function findContentHost({ contentUrl, siteUrl, apiUrl, mcpUrl }: HostUrls): string | undefined {
  const { host, hostname } = new URL(contentUrl);
  return [siteUrl, apiUrl, mcpUrl].some((url) => new URL(url).hostname === hostname) ? undefined : host;
}

/** Returns whether a request's URL is on that host. */
export const isForHost = (url: URL, host: string | undefined): boolean =>
  host !== undefined && nameOf(url) === nameOf(new URL(`http://${host}`));

/** Returns the host name without the dot that may end it. Ports do not count: a proxy may omit the port, and at no port is this name the site's. */
const nameOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "");
