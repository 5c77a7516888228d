import type { Config } from "./config/load.ts";
import type { Addresses } from "./context.ts";

/** The URLs of the service: as configured, or on this machine at `port` (addresses, "Base addresses"). */
export function toAddresses(config: Config, port: number): Addresses {
  const siteUrl = config.siteUrl ?? `http://localhost:${port}`;
  return {
    siteUrl,
    baseUrl: config.baseUrl ?? `${siteUrl}/api`,
    mcpUrl: config.mcpUrl ?? siteUrl,
    contentUrl: config.contentUrl ?? siteUrl,
  };
}
