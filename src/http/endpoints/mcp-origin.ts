import { AppError } from "../../errors.ts";
import type { HttpContext } from "../routing/env.ts";

/**
 * Refuses pages of other sites, both by their own origin and by a host name that resolves to this machine (mcp, "Pages of other sites"). Throws
 * CROSS_SITE_REQUEST.
 */
export function checkMcpOrigin(c: HttpContext): void {
  const { urls, config } = c.env.ctx;
  const own = [urls.mcpUrl, urls.siteUrl, urls.apiUrl].map((url) => new URL(url));
  const origin = c.req.header("origin");
  const isAllowed = (origin: string): boolean =>
    own.some((url) => url.origin === origin) || config.allowedOrigins.includes(origin) || isLoopback(URL.parse(origin)?.hostname ?? "");
  if (origin !== undefined && !isAllowed(origin))
    throw crossSite("Pages of other sites cannot use this endpoint. Ask the administrator to allow the site's origin.");
  const { hostname } = c.env.url;
  if (!own.some((url) => url.hostname === hostname) && !isLocalOrNumeric(hostname))
    throw crossSite(
      `This endpoint is at ${urls.mcpUrl}/mcp, but the request names the host ${JSON.stringify(hostname)}. A proxy must pass the header Host on.`,
    );
}

/** Returns whether a host is the client's own machine, on which programs such as an inspector run. No other site can have such an origin. */
const isLoopback = (hostname: string): boolean => hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);

/** Returns whether a host cannot be redirected by DNS: `localhost` or an IP address. */
const isLocalOrNumeric = (hostname: string): boolean =>
  hostname === "localhost" || hostname.startsWith("[") || /^\d+(?:\.\d+){3}$/.test(hostname);

const crossSite = (message: string): AppError => new AppError("CROSS_SITE_REQUEST", message);
