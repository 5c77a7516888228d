import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { AppError } from "../errors.ts";
import type { Network } from "./networks.ts";
import { isAllowedAddress } from "./public-address.ts";
import { notAllowed } from "./source-url.ts";

/** Resolves a host name to its addresses; rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The hosts to which connections are permitted. */
export interface HostRules {
  /** Non-public networks to which connections are permitted. */
  readonly allowedNetworks: readonly Network[];
  /** The resolver; default: the system's. */
  readonly resolve?: Resolve;
}

/** Throws URL_NOT_ALLOWED if a host has addresses and none is allowed. Ignores unknown hosts. */
export async function checkHost(hostname: string, { allowedNetworks, resolve = resolveBySystem }: HostRules): Promise<void> {
  const addresses = await findAddresses(hostname, resolve);
  if (addresses && !addresses.some((address) => isAllowedAddress(address, allowedNetworks))) throw notPublic();
}

/** Finds the addresses of a URL's host; undefined if it is unknown. Throws URL_NOT_ALLOWED as `resolveHost` does. */
export async function findAddresses(hostname: string, resolve: Resolve): Promise<readonly string[] | undefined> {
  try {
    return await resolveHost(bareName(hostname), resolve);
  } catch (error) {
    if (error instanceof AppError) throw error;
    return undefined;
  }
}

/** Strips the brackets of an IPv6 address and a trailing dot. */
export const bareName = (hostname: string): string => hostname.replace(/^\[|\]$|\.$/g, "");

export const notPublic = () => notAllowed("This URL is not on the public internet. Send one that anyone can open.");

/** Names that no public server has (RFC 6761, 6762, 8375, 9476), and names without a dot. */
const PRIVATE_NAMES = /(^|\.)(internal|local|localdomain|lan|home\.arpa|localhost)$|^[^.]*$/i;

/** Resolves a name to its addresses, public or not. Rejects if it has none, with URL_NOT_ALLOWED if no public server can have the name. */
export async function resolveHost(name: string, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(name) !== 0) return [name];
  if (/(^|\.)localhost$/i.test(name)) return ["127.0.0.1", "::1"];
  try {
    return await resolve(name);
  } catch (error) {
    throw PRIVATE_NAMES.test(name) ? notPublic() : error;
  }
}

/** Resolves a name to all addresses by the system's resolver. */
export async function resolveBySystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}
