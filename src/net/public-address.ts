import ipaddr from "ipaddr.js";
import { isInNetworks, type Network } from "../domain/address.ts";

/** Where the internet's unicast addresses of version 6 are (RFC 4291, IANA): everything outside it is special or unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** Translates to the IPv4 address in its last 32 bits (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
/** Public by its number, private by its use: the host agent of a large cloud answers there from inside each machine. */
const INSIDE_CLOUDS: readonly Network[] = [ipaddr.parseCIDR("168.63.129.16/32")];

/**
 * Whether an address, in any spelling, belongs to the public internet: an allow-list of unicast ranges, so that what is not known is
 * refused (decisions, "Remote import"). An IPv4 address inside an IPv6 one (mapped, NAT64) counts as itself.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed === undefined || isInNetworks(address, INSIDE_CLOUDS)) return false;
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === "unicast";
  if (parsed.match(NAT64)) return isPublicAddress(lastFourBytes(parsed));
  return parsed.range() === "unicast" && parsed.match(GLOBAL_UNICAST);
}

/** Whether a connection to it may be made: it is public, or of a network that the operator allows. */
export function mayConnectTo(address: string, allowed: readonly Network[]): boolean {
  return isPublicAddress(address) || isInNetworks(address, allowed);
}

function lastFourBytes(address: ipaddr.IPv6): string {
  return address.toByteArray().slice(12).join(".");
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  return ipaddr.isValid(address) && !address.includes("%") ? ipaddr.process(address) : undefined;
}
