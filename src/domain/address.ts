import ipaddr from "ipaddr.js";

export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** `10.0.0.0/8`, `::1`, `192.0.2.7` → a network; undefined where it is none. */
export function parseNetwork(text: string): Network | undefined {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    return undefined;
  }
}

/** Whether an address, in any spelling, lies in one of the networks. */
export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  const ip = parse(address);
  return ip !== undefined && networks.some((network) => ip.kind() === network[0].kind() && ip.match(network as [ipaddr.IPv4, number]));
}

/**
 * The client's address: the peer's own, or, where the peer is a trusted proxy, the rightmost address of `X-Forwarded-For` that is not
 * itself one (decisions, "Accounts, keys, tiers"). A forwarded header of anyone else changes nothing.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: readonly Network[]): string {
  if (forwardedFor === null || !isInNetworks(peer, trusted)) return canonical(peer);
  const hops = forwardedFor.split(",").map((hop) => hop.trim());
  let nearest = peer;
  for (const hop of hops.reverse()) {
    if (parse(hop) === undefined) break;
    nearest = hop;
    if (!isInNetworks(hop, trusted)) break;
  }
  return canonical(nearest);
}

/** Whether an address is of this machine or of a network that is not public. */
export function isLocalAddress(address: string): boolean {
  const range = parse(address)?.range();
  return range !== undefined && LOCAL_RANGES.has(range);
}

const LOCAL_RANGES: ReadonlySet<string> = new Set(["loopback", "private", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

/** What limits and quotas count an address as: IPv4 whole, IPv6 by its /64, IPv4-mapped as IPv4. */
export function addressGroup(address: string): string {
  const ip = parse(address);
  if (ip === undefined) return address;
  if (ip.kind() === "ipv4") return ip.toString();
  const groups = (ip as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(":")}::/64`;
}

/** A /48 of IPv6 may do as much as so many of its /64 (decisions, "Accounts, keys, tiers"). */
export const WIDE_GROUP_FACTOR = 16;

/** The /48 of an IPv6 address, which limits also look at; undefined for IPv4. */
export function addressWideGroup(address: string): string | undefined {
  const ip = parse(address);
  if (ip?.kind() !== "ipv6") return undefined;
  const groups = (ip as ipaddr.IPv6).parts.slice(0, 3).map((part) => part.toString(16));
  return `${groups.join(":")}::/48`;
}

function canonical(address: string): string {
  return parse(address)?.toString() ?? address;
}

/** The same few clients ask again and again, and parsing is most of what their address costs. */
const parsed = new Map<string, ipaddr.IPv4 | ipaddr.IPv6 | undefined>();
const MAX_PARSED = 1_000;

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const known = parsed.get(address);
  if (known !== undefined) return known;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  const fresh = parseAnew(address);
  parsed.set(address, fresh);
  return fresh;
}

function parseAnew(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  try {
    return ipaddr.process(address.replace(/^\[|\]$/g, ""));
  } catch {
    return undefined;
  }
}
