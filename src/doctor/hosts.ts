import { isLocalAddress } from "../domain/address.ts";

/** From where a host of a URL, or an address that is listened on, can be reached, as far as its name tells. */
export function reachOf(hostname: string): "this machine" | "this network" | "everywhere" {
  const name = hostname.replace(/^\[|\]$/g, "");
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1" || name.startsWith("127.")) return "this machine";
  const isName = /[a-z]/i.test(name) && !name.includes(":");
  return isLocalAddress(name) || (isName && !name.includes(".")) ? "this network" : "everywhere";
}

/** What a URL names to call, from this machine, a server that listens on `hostname`, which may be all of its addresses. */
export function toCallable(hostname: string): string {
  if (hostname === "0.0.0.0" || hostname === "*") return "127.0.0.1";
  if (hostname === "::") return "[::1]";
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
