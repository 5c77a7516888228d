import { z } from "zod";
import { webUrl } from "../../contract/web-url.ts";
import { AppError } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { retryAfterMs } from "../../transfer/failures.ts";
import { fetchWithinLimits, type ResponseLimits } from "./fetch-within-limits.ts";

/** A filehost, with the addresses by which this machine reaches it. */
export interface RemoteServer {
  /** `{base_url}`, below the address that the user named. */
  readonly apiUrl: string;
  /** `{site}` as configured: the start of the links that the server makes. */
  readonly siteUrl: string;
  /** `{base_url}` as configured, the audience of tokens for the API. */
  readonly configuredApiUrl: string;
  /** The hosts of its addresses: the configured ones, and those that this machine reaches. */
  readonly hosts: readonly string[];
  /** Converts a signed URL of the server to one that this machine can reach. Throws UNAVAILABLE for a URL that is not HTTP or HTTPS. */
  reach(url: string): URL;
}

const capabilities = z.object({ service: z.literal("filehost"), siteUrl: webUrl, apiBaseUrl: webUrl.optional() });

const LIMITS: ResponseLimits = { headersMs: 30_000, idleMs: 30_000, bodyMs: 30_000 };
const MAX_WAIT_SECONDS = 24 * 60 * 60;

/**
 * Finds the API by the address of the site, or of the API itself (addresses, "Base addresses"). Throws UNAVAILABLE, or RATE_LIMITED with the time to
 * wait.
 */
export async function discoverServer(url: string, limits: ResponseLimits = LIMITS): Promise<RemoteServer> {
  for (const apiUrl of [`${url}/api`, url]) {
    const response = await fetchWithinLimits(new URL(`${apiUrl}/agent/capabilities`), { headers: { Accept: "application/json" } }, limits);
    const found = capabilities.safeParse(await response.json().catch(() => undefined));
    if (found.success) return toServer(apiUrl, { site: apiUrl === url ? undefined : url, ...found.data });
    if (response.status === 429) throw tooManyRequests(url, response);
    if (response.status >= 500)
      throw new AppError("UNAVAILABLE", `The server at ${url} is not available now: status ${response.status}. Try again later.`);
  }
  throw new AppError("UNAVAILABLE", `The server at ${url} is not a filehost. Check its address.`);
}

function tooManyRequests(url: string, { headers }: Response): AppError {
  const waitMs = retryAfterMs(headers.get("retry-after"));
  const seconds = waitMs === undefined ? undefined : Math.min(Math.ceil(waitMs / 1000), MAX_WAIT_SECONDS);
  const advice = seconds === undefined ? "later" : `in ${countOf(seconds, "second")}`;
  return new AppError("RATE_LIMITED", `The server at ${url} has had too many requests from this address. Try again ${advice}.`, {
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  });
}

/** Makes the server. The configured address of the site may differ from the address that the user named, which this machine reaches. */
function toServer(
  apiUrl: string,
  { site, siteUrl, apiBaseUrl = apiUrl }: { readonly site: string | undefined } & z.infer<typeof capabilities>,
): RemoteServer {
  const configured = new URL(siteUrl).origin;
  return {
    apiUrl,
    siteUrl: siteUrl.replace(/\/+$/, ""),
    configuredApiUrl: apiBaseUrl.replace(/\/+$/, ""),
    hosts: [...new Set([siteUrl, apiUrl].map((url) => new URL(url).host))],
    reach(text) {
      const url = URL.parse(text);
      if (url === null || !/^https?:$/.test(url.protocol))
        throw new AppError("UNAVAILABLE", `The server at ${apiUrl} sent a URL that is not of HTTP. Check its address.`);
      return site !== undefined && url.origin === configured ? new URL(url.pathname + url.search, site) : url;
    },
  };
}
