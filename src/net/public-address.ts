import ipaddr from "ipaddr.js";
import { isInNetworks, type Network } from "./networks.ts";

/** The global unicast range of IPv6 (RFC 4291, IANA): everything outside is special or unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** The network that translates to the IPv4 address in its last 32 bits (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
/** Public addresses with private use: the host agent of a large cloud responds at this one inside each machine. */
const CLOUD_HOST_AGENTS: readonly Network[] = [ipaddr.parseCIDR("168.63.129.16/32")];

/**
 * Returns whether an address, in any spelling, is public. An allow-list of unicast ranges refuses unknown ranges (imports, "Which URLs"). Checks the
 * IPv4 address inside an IPv6 one (mapped, NAT64).
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed === undefined || isInNetworks(address, CLOUD_HOST_AGENTS)) return false;
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === "unicast";
  if (parsed.match(NAT64)) return isPublicAddress(lastFourBytes(parsed));
  return parsed.range() === "unicast" && parsed.match(GLOBAL_UNICAST);
}

/** Returns whether connections to an address are permitted: it is public, or in an allowed network. */
export function isAllowedAddress(address: string, allowed: readonly Network[]): boolean {
  return isPublicAddress(address) || isInNetworks(address, allowed);
}

function lastFourBytes(address: ipaddr.IPv6): string {
  return address.toByteArray().slice(12).join(".");
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  return ipaddr.isValid(address) && !address.includes("%") ? ipaddr.process(address) : undefined;
}
