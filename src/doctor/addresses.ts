import { toAddresses } from "../addresses.ts";
import type { Network } from "../domain/address.ts";
import { type Check, type Finding, fail, ok, type Subject, warn } from "./finding.ts";
import { reachOf } from "./hosts.ts";

/** Whether the addresses that links are made of fit to how the server is reached. */
export const addresses: Check = {
  what: "addresses",
  limitMs: 5_000,
  async *look({ config }: Subject) {
    const { listen, siteUrl, trustedProxies } = config;
    const isReachable = reachOf(listen.hostname) !== "this machine";
    yield* checkConnectionCaps({ isReachable: isReachable || (siteUrl !== undefined && isPublic(siteUrl)), trustedProxies });
    if (siteUrl === undefined) {
      yield withoutSite(listen.port, isReachable);
      return;
    }
    const site = new URL(siteUrl);
    yield lookAtSite(site, siteUrl, { hostname: listen.hostname, isReachable });
    if (site.protocol === "https:") yield* lookForPlain(toAddresses(config, listen.port), siteUrl);
    yield* lookAtProxies(trustedProxies, { isBehindTls: site.protocol === "https:", isReachable });
  },
};

const isPublic = (siteUrl: string): boolean => reachOf(new URL(siteUrl).hostname) === "everywhere";

/** A server in JavaScript meets a connection with its first request: how many one address opens is for the proxy to limit. */
function* checkConnectionCaps({
  isReachable,
  trustedProxies,
}: {
  isReachable: boolean;
  trustedProxies: readonly Network[];
}): Generator<Finding> {
  if (!isReachable || trustedProxies.length > 0) return;
  yield warn(
    "connections",
    "no proxy is in front, as far as the settings say: nothing limits how many connections one address opens",
    'Put a proxy in front that limits them with limit_conn (docs/deploy.md, "Reverse proxy"), and name it in FILEHOST_TRUSTED_PROXIES.',
  );
}

function withoutSite(port: number, isReachable: boolean): Finding {
  const found = `links are made with http://localhost:${port}, which works on this machine alone`;
  const mend = "Set FILEHOST_URL to the public address of the site, such as https://files.example.org";
  return isReachable
    ? fail("FILEHOST_URL", `is not set: ${found}, but the server listens for others`, mend)
    : warn("FILEHOST_URL", `is not set: ${found}`, mend);
}

function lookAtSite(site: URL, siteUrl: string, { hostname, isReachable }: { hostname: string; isReachable: boolean }): Finding {
  const reach = reachOf(site.hostname);
  if (site.protocol === "http:" && reach === "everywhere")
    return warn(
      "FILEHOST_URL",
      `${siteUrl} is without TLS: whoever carries the traffic can read files and keys`,
      'Put a proxy with a certificate in front (docs/deploy.md, "Reverse proxy") and set FILEHOST_URL to the https address.',
    );
  if (reach === "this machine" && isReachable)
    return warn(
      "FILEHOST_URL",
      `${siteUrl} works on this machine alone, but the server listens on ${hostname} for others`,
      "Set FILEHOST_URL to the public address of the site, or FILEHOST_LISTEN to 127.0.0.1 and the port.",
    );
  if (site.pathname !== "/")
    return warn(
      "FILEHOST_URL",
      `${siteUrl} has a path: the proxy must take it off before it passes requests on`,
      "Better give the site a host name of its own.",
    );
  return ok("FILEHOST_URL", siteUrl);
}

/** Of a site with TLS, addresses without. */
function* lookForPlain({ baseUrl, mcpUrl, contentUrl }: ReturnType<typeof toAddresses>, siteUrl: string): Generator<Finding> {
  const others = { FILEHOST_BASE_URL: baseUrl, FILEHOST_MCP_URL: mcpUrl, FILEHOST_CONTENT_URL: contentUrl };
  for (const [name, url] of Object.entries(others))
    if (url.startsWith("http:"))
      yield warn(
        name,
        `${url} is without TLS, and browsers refuse it in pages of ${siteUrl}`,
        `Set ${name} to an https address, or leave it out.`,
      );
}

function* lookAtProxies(
  trusted: readonly Network[],
  { isBehindTls, isReachable }: { isBehindTls: boolean; isReachable: boolean },
): Generator<Finding> {
  const what = "FILEHOST_TRUSTED_PROXIES";
  if (trusted.some(([, bits]) => bits === 0))
    yield warn(
      what,
      "trusts every address: anybody can claim to be anybody, and limits by address hold nobody",
      "Name the proxy's own address or network alone, such as FILEHOST_TRUSTED_PROXIES=127.0.0.1",
    );
  else if (isBehindTls && trusted.length === 0)
    yield warn(
      what,
      "is not set, but https comes from a proxy in front: all visitors count as one address, and share its limits",
      `Set FILEHOST_TRUSTED_PROXIES to the proxy's address${isReachable ? "" : ", here 127.0.0.1"}, and let it send X-Forwarded-For.`,
    );
  else if (trusted.length > 0) yield ok(what, trusted.map(([address, bits]) => `${address.toString()}/${bits}`).join(", "));
}
