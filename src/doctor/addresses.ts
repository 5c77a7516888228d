import { toAddresses } from "../addresses.ts";
import { type Check, fail, ok, type Subject, warn } from "./finding.ts";
import { reachOf } from "./hosts.ts";

/** Whether the addresses that links are made of fit to how the server is reached. */
export const addresses: Check = {
  what: "addresses",
  limitMs: 5_000,
  async *look({ config }: Subject) {
    const { listen, siteUrl, trustedProxies } = config;
    const { baseUrl, mcpUrl, contentUrl } = toAddresses(config, listen.port);
    const isReachable = reachOf(listen.hostname) !== "this machine";
    if (siteUrl === undefined) {
      const found = `links are made with http://localhost:${listen.port}, which works on this machine alone`;
      const mend = "Set FILEHOST_URL to the public address of the site, such as https://files.example.org";
      yield isReachable
        ? fail("FILEHOST_URL", `is not set: ${found}, but the server listens for others`, mend)
        : warn("FILEHOST_URL", `is not set: ${found}`, mend);
      return;
    }
    const site = new URL(siteUrl);
    const reach = reachOf(site.hostname);
    if (site.protocol === "http:" && reach === "everywhere")
      yield warn(
        "FILEHOST_URL",
        `${siteUrl} is without TLS: whoever carries the traffic can read files and keys`,
        'Put a proxy with a certificate in front (README, "Behind a reverse proxy") and set FILEHOST_URL to the https address.',
      );
    else if (reach === "this machine" && isReachable)
      yield warn(
        "FILEHOST_URL",
        `${siteUrl} works on this machine alone, but the server listens on ${listen.hostname} for others`,
        "Set FILEHOST_URL to the public address of the site, or FILEHOST_LISTEN to 127.0.0.1 and the port.",
      );
    else if (site.pathname !== "/")
      yield warn(
        "FILEHOST_URL",
        `${siteUrl} has a path: the proxy must take it off before it passes requests on`,
        "Better give the site a host name of its own.",
      );
    else yield ok("FILEHOST_URL", siteUrl);

    for (const [name, url] of [
      ["FILEHOST_BASE_URL", baseUrl],
      ["FILEHOST_MCP_URL", mcpUrl],
      ["FILEHOST_CONTENT_URL", contentUrl],
    ] as const)
      if (site.protocol === "https:" && url.startsWith("http:"))
        yield warn(
          name,
          `${url} is without TLS, and browsers refuse it in pages of ${siteUrl}`,
          `Set ${name} to an https address, or leave it out.`,
        );

    if (trustedProxies.some(([, bits]) => bits === 0))
      yield warn(
        "FILEHOST_TRUSTED_PROXIES",
        "trusts every address: anybody can claim to be anybody, and limits by address hold nobody",
        "Name the proxy's own address or network alone, such as FILEHOST_TRUSTED_PROXIES=127.0.0.1",
      );
    else if (site.protocol === "https:" && trustedProxies.length === 0)
      yield warn(
        "FILEHOST_TRUSTED_PROXIES",
        "is not set, but https comes from a proxy in front: all visitors count as one address, and share its limits",
        `Set FILEHOST_TRUSTED_PROXIES to the proxy's address${isReachable ? "" : ", here 127.0.0.1"}, and let it send X-Forwarded-For.`,
      );
    else if (trustedProxies.length > 0)
      yield ok("FILEHOST_TRUSTED_PROXIES", trustedProxies.map(([address, bits]) => `${address.toString()}/${bits}`).join(", "));
  },
};
