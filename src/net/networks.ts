import ipaddr from "ipaddr.js";
import { createLru } from "../lib/concurrency/lru.ts";

export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses `10.0.0.0/8`, `::1`, `192.0.2.7`; undefined for anything else. */
export function parseNetwork(text: string): Network | undefined {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    return undefined;
  }
}

/** Returns whether an address, in any spelling, is in one of the networks. */
export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  const ip = parse(address);
  return ip !== undefined && networks.some((network) => ip.kind() === network[0].kind() && ip.match(network as [ipaddr.IPv4, number]));
}

/** Returns whether an address belongs to this machine or a private network. */
export function isLocalAddress(address: string): boolean {
  const range = parse(address)?.range();
  return range !== undefined && LOCAL_RANGES.has(range);
}

const LOCAL_RANGES: ReadonlySet<string> = new Set(["loopback", "private", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

/** Returns the unit that limits and quotas count: the IPv4 address, or the /64 of an IPv6 address. IPv4-mapped addresses count as IPv4. */
export function addressSubnet(address: string): string {
  const ip = parse(address);
  if (ip === undefined) return address;
  if (ip.kind() === "ipv4") return ip.toString();
  const groups = (ip as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(":")}::/64`;
}

/** Returns the /48 of an IPv6 address, which limits count too; undefined for IPv4. */
export function subnet48(address: string): string | undefined {
  const ip = parse(address);
  if (ip?.kind() !== "ipv6") return undefined;
  const groups = (ip as ipaddr.IPv6).parts.slice(0, 3).map((part) => part.toString(16));
  return `${groups.join(":")}::/48`;
}

/** Returns the canonical spelling of an address, without its zone; undefined for other text. */
export function canonicalAddress(address: string): string | undefined {
  return parse(address)?.toString();
}

/** A cache of parsed addresses, because the same clients return and parsing is most of the cost. */
const parsed = createLru<string, ipaddr.IPv4 | ipaddr.IPv6>(1_000);

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const known = parsed.get(address);
  if (known) return known;
  const parsedAddress = parseUncached(address);
  if (parsedAddress) parsed.set(address, parsedAddress);
  return parsedAddress;
}

function parseUncached(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  try {
    return ipaddr.process(address.replace(/^\[|\]$|%.*$/g, ""));
  } catch {
    return undefined;
  }
}
