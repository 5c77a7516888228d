import type { Config } from "./config/load.ts";
import type { PublicUrls } from "./context.ts";

/** Returns the URLs of the service: as configured, or on this machine at `port` (addresses, "Base addresses"). */
export function toPublicUrls(config: Config, port: number): PublicUrls {
  const siteUrl = config.siteUrl ?? `http://localhost:${port}`;
  return {
    siteUrl,
    apiUrl: config.baseUrl ?? `${siteUrl}/api`,
    mcpUrl: config.mcpUrl ?? siteUrl,
    contentUrl: config.contentUrl ?? siteUrl,
  };
}
