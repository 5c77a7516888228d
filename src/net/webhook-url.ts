import { isIP } from "node:net";
import { isInNetworks, type Network } from "../domain/address.ts";
import { findAddresses, type Resolve, resolveBySystem } from "./checked-connector.ts";
import { mayConnectTo } from "./public-address.ts";
import { checkRemoteUrl, notAllowed } from "./remote-url.ts";

/** How long a name may take to resolve before its address is left to each delivery. */
const RESOLVE_MS = 2_000;

/**
 * Where webhooks may go, as far as the URL itself tells: HTTPS, without credentials, to no address that is not public. Plain HTTP is for
 * the operator's own networks. Throws URL_NOT_ALLOWED (decisions, "Webhooks").
 */
export function checkWebhookUrl(text: string, networks: readonly Network[]): URL {
  const url = checkRemoteUrl(text);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isAddress = isIP(host) !== 0;
  if (isAddress && !mayConnectTo(host, networks)) throw notPublic();
  if (url.protocol === "http:" && (networks.length === 0 || (isAddress && !isInNetworks(host, networks)))) throw notSecure();
  return url;
}

/** The same for a new URL, whose name is looked up as well: one that is not public is refused at once, not by each delivery alone. */
export async function checkNewWebhookUrl(text: string, networks: readonly Network[], resolve: Resolve = resolveBySystem): Promise<void> {
  const url = checkWebhookUrl(text, networks);
  const host = url.hostname.replace(/\.$/, "");
  if (isIP(host.replace(/^\[|\]$/g, "")) !== 0) return;
  const addresses = await lookUp(host, resolve);
  if (addresses.length > 0 && !addresses.some((address) => mayConnectTo(address, networks))) throw notPublic();
  if (url.protocol === "http:" && !addresses.some((address) => isInNetworks(address, networks))) throw notSecure();
}

/** Only the operator's own networks: plain HTTP goes nowhere else, whatever a name says today. */
export const resolveWithin =
  (networks: readonly Network[], resolve: Resolve = resolveBySystem): Resolve =>
  async (hostname) =>
    (await resolve(hostname)).filter((address) => isInNetworks(address, networks));

/** Empty where nobody knows now: a name may be taken before it resolves. */
async function lookUp(host: string, resolve: Resolve): Promise<readonly string[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly string[]>((done) => {
    timer = setTimeout(() => done([]), RESOLVE_MS);
  });
  try {
    return await Promise.race([findAddresses(host, resolve), late]);
  } catch (error) {
    if (isRefusal(error)) throw error;
    return [];
  } finally {
    clearTimeout(timer);
  }
}

const isRefusal = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "URL_NOT_ALLOWED";

const notPublic = () => notAllowed("This URL leads to an address that is not on the public internet. Webhooks go to public ones.");

const notSecure = () => notAllowed("Webhooks go to HTTPS addresses. Send one that begins with https://.");
