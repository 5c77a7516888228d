import type { LoadedConfig } from "../config/load.ts";
import { isLocalAddress, type Network } from "../net/networks.ts";
import { toPublicUrls } from "../public-urls.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check-result.ts";

/** Checks that the configured URLs, listen address and trusted proxies fit together. */
export const addresses: Check = {
  what: "addresses",
  timeoutMs: 5_000,
  async *run({ config }: LoadedConfig) {
    const { listen, siteUrl, trustedProxies } = config;
    const isReachable = reachOf(listen.hostname) !== "this machine";
    yield* checkConnectionCaps({ isReachable: isReachable || (siteUrl !== undefined && isPublic(siteUrl)), trustedProxies });
    if (siteUrl === undefined) {
      yield describeMissingSite(listen.port, isReachable);
      return;
    }
    const site = new URL(siteUrl);
    yield checkSite(site, siteUrl, { hostname: listen.hostname, isReachable });
    if (site.protocol === "https:") yield* checkTls(toPublicUrls(config, listen.port), siteUrl);
    yield* checkProxies(trustedProxies, { isBehindTls: site.protocol === "https:", isReachable });
  },
};

const isPublic = (siteUrl: string): boolean => reachOf(new URL(siteUrl).hostname) === "everywhere";

/**
 * Checks the connection caps. The runtime reports a connection only with its first request, so only a proxy can limit the connections of one address.
 */
function* checkConnectionCaps({
  isReachable,
  trustedProxies,
}: {
  isReachable: boolean;
  trustedProxies: readonly Network[];
}): Generator<CheckResult> {
  if (!isReachable || trustedProxies.length > 0) return;
  yield warn(
    "connections",
    "connections",
    "no reverse proxy is configured: one address can open any number of connections",
    'Put a reverse proxy in front that limits connections (docs/deploy.md, "Reverse proxy"), and set FILEHOST_TRUSTED_PROXIES to it.',
  );
}

function describeMissingSite(port: number, isReachable: boolean): CheckResult {
  const found = `links use http://localhost:${port}, which works only on this machine`;
  const fix = "Set FILEHOST_URL to the public URL of the site, such as https://files.example.org";
  return isReachable
    ? fail("FILEHOST_URL", "addressLocal", `is not set: ${found}, but the server listens for other machines`, fix)
    : warn("FILEHOST_URL", "addressLocal", `is not set: ${found}`, fix);
}

function checkSite(site: URL, siteUrl: string, { hostname, isReachable }: { hostname: string; isReachable: boolean }): CheckResult {
  const reach = reachOf(site.hostname);
  if (site.protocol === "http:" && reach === "everywhere")
    return warn(
      "FILEHOST_URL",
      "address",
      `${siteUrl} has no TLS: files and keys can be read in transit`,
      'Put a reverse proxy with a certificate in front (docs/deploy.md, "Reverse proxy"), and set FILEHOST_URL to the https URL.',
    );
  if (reach === "this machine" && isReachable)
    return warn(
      "FILEHOST_URL",
      "addressLocal",
      `${siteUrl} works only on this machine, but the server listens on ${hostname} for other machines`,
      "Set FILEHOST_URL to the public URL of the site, or FILEHOST_LISTEN to 127.0.0.1 and the port.",
    );
  return ok("FILEHOST_URL", siteUrl);
}

/** Warns of URLs without TLS if the site has TLS. */
function* checkTls({ apiUrl, mcpUrl, contentUrl }: ReturnType<typeof toPublicUrls>, siteUrl: string): Generator<CheckResult> {
  const others = { FILEHOST_BASE_URL: apiUrl, FILEHOST_MCP_URL: mcpUrl, FILEHOST_CONTENT_URL: contentUrl };
  for (const name of ["FILEHOST_BASE_URL", "FILEHOST_MCP_URL", "FILEHOST_CONTENT_URL"] as const)
    if (others[name].startsWith("http:"))
      yield warn(
        name,
        "otherAddresses",
        `${others[name]} has no TLS, so browsers block it in pages of ${siteUrl}`,
        `Set ${name} to an https URL, or remove it.`,
      );
}

function* checkProxies(
  trusted: readonly Network[],
  { isBehindTls, isReachable }: { isBehindTls: boolean; isReachable: boolean },
): Generator<CheckResult> {
  const what = "FILEHOST_TRUSTED_PROXIES";
  if (trusted.some(([, bits]) => bits === 0))
    yield warn(
      what,
      "proxyAll",
      "trusts every address: clients can fake their address and avoid the limits by address",
      "Set it to the proxy's address or network only, such as FILEHOST_TRUSTED_PROXIES=127.0.0.1",
    );
  else if (isBehindTls && trusted.length === 0)
    yield warn(
      what,
      "proxy",
      "is not set, but the https URL implies a proxy: all clients share the limits of one address",
      `Set FILEHOST_TRUSTED_PROXIES to the proxy's address${isReachable ? "" : ", here 127.0.0.1"}, and configure the proxy to send X-Forwarded-For.`,
    );
  else if (trusted.length > 0) yield ok(what, trusted.map(([address, bits]) => `${address.toString()}/${bits}`).join(", "));
}

/** Returns from where a host can be reached, according to its name or address, without a look-up. */
export function reachOf(hostname: string): "this machine" | "this network" | "everywhere" {
  const name = hostname.replace(/^\[|\]$/g, "");
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1" || name.startsWith("127.")) return "this machine";
  const isName = /[a-z]/i.test(name) && !name.includes(":");
  return isLocalAddress(name) || (isName && !name.includes(".")) ? "this network" : "everywhere";
}

/** Returns the host for a URL of a server on this machine that listens on `hostname`, which may be a wildcard address. */
export function toCallable(hostname: string): string {
  if (hostname === "0.0.0.0" || hostname === "*") return "127.0.0.1";
  if (hostname === "::") return "[::1]";
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
