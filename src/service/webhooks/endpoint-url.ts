import { isIP } from "node:net";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import { isInNetworks, type Network } from "../../net/networks.ts";
import { isAllowedAddress } from "../../net/public-address.ts";
import { bareName, findAddresses, type Resolve, resolveBySystem } from "../../net/resolve-host.ts";
import { checkSourceUrl, notAllowed } from "../../net/source-url.ts";

/** Maximum time for the resolution of a name. After that, only the deliveries check its addresses. */
const RESOLVE_TIMEOUT_MS = 2_000;

/**
 * Checks the text of an endpoint's URL: HTTPS, no credentials, no IP address that is not public. Plain HTTP is permitted in the administrator's
 * networks. Throws URL_NOT_ALLOWED (webhooks, "Endpoints").
 */
export function checkWebhookUrl(text: string, networks: readonly Network[]): URL {
  const url = checkSourceUrl(text);
  const host = bareName(url.hostname);
  const isAddress = isIP(host) !== 0;
  if (isAddress && !isAllowedAddress(host, networks)) throw notPublic();
  if (url.protocol === "http:" && (networks.length === 0 || (isAddress && !isInNetworks(host, networks)))) throw notSecure();
  return url;
}

/** Checks a new URL and the addresses of its name, so that the owner sees the error immediately and not in the deliveries. */
export async function checkNewWebhookUrl(text: string, networks: readonly Network[], resolve: Resolve = resolveBySystem): Promise<void> {
  const url = checkWebhookUrl(text, networks);
  if (isIP(bareName(url.hostname)) !== 0) return;
  // The list is empty if the name does not resolve now: an endpoint may be created before its name.
  const addresses = (await withTimeout(findAddresses(url.hostname, resolve), RESOLVE_TIMEOUT_MS, () => undefined)) ?? [];
  if (addresses.length > 0 && !addresses.some((address) => isAllowedAddress(address, networks))) throw notPublic();
  if (url.protocol === "http:" && !addresses.some((address) => isInNetworks(address, networks))) throw notSecure();
}

/** Returns a resolver for plain HTTP that returns only addresses in the administrator's networks. */
export const resolveWithin =
  (networks: readonly Network[], resolve: Resolve = resolveBySystem): Resolve =>
  async (hostname) =>
    (await resolve(hostname)).filter((address) => isInNetworks(address, networks));

const notPublic = () => notAllowed("This URL is not on the public internet. Send a public URL.");

const notSecure = () => notAllowed("Webhooks require HTTPS. Send a URL that begins with https://.");
