import { isLocalAddress } from "../domain/address.ts";

/** From where a host of a URL, or an address that is listened on, can be reached, as far as its name tells. */
export function reachOf(hostname: string): "this machine" | "this network" | "everywhere" {
  const name = hostname.replace(/^\[|\]$/g, "");
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1" || name.startsWith("127.")) return "this machine";
  const isName = /[a-z]/i.test(name) && !name.includes(":");
  return isLocalAddress(name) || (isName && !name.includes(".")) ? "this network" : "everywhere";
}
