import { canonicalAddress, isInNetworks, type Network } from "./networks.ts";

export interface ClientAddress {
  readonly address: string;
  /** A hop of a trusted proxy that is not an address. Without it, all clients of that proxy count as one. */
  readonly unreadable?: string | undefined;
}

/**
 * Returns the client's address: the peer's or, if the peer is a trusted proxy, the rightmost address of `X-Forwarded-For` or `Forwarded` that is not
 * a trusted proxy (accounts, "The client's address"). Ignores both headers from any other peer.
 */
export function clientAddress(peer: string, headers: Pick<Headers, "get">, trusted: readonly Network[]): ClientAddress {
  const nearest = canonicalAddress(peer) ?? peer;
  if (!isInNetworks(peer, trusted)) return { address: nearest };
  const found = [readForwardedFor(headers.get("x-forwarded-for")), readForwarded(headers.get("forwarded"))]
    .filter((hops) => hops !== undefined)
    .map((hops) => followHops(nearest, hops, trusted));
  const [first = { address: nearest }, second] = found;
  // A proxy forwards the header that it does not set, as its client wrote it, so the server trusts neither of two different ones.
  return second === undefined || second.address === first.address ? first : { address: nearest };
}

/** Follows hops, from the nearest one, through trusted proxies. */
function followHops(nearest: string, hops: readonly string[], trusted: readonly Network[]): ClientAddress {
  let address = nearest;
  for (const hop of hops.toReversed()) {
    const read = readHop(hop);
    if (read === undefined) return { address, unreadable: hop };
    address = read;
    if (!isInNetworks(read, trusted)) break;
  }
  return { address };
}

const readForwardedFor = (value: string | null): string[] | undefined =>
  value?.trim() ? value.split(",").map((hop) => hop.trim().replace(/^"(.*)"$/, "$1")) : undefined;

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
/** Values that proxies write without the required quotes, such as `[2001:db8::1]:443`. */
const VALUE = /[^\s",;=]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
const SPACE = /[ \t]*/y;

/**
 * Reads the `for` of each element (RFC 7239), with an empty text for an element without one; undefined without a header. A malformed value is one hop
 * that is not an address, because the client may have begun the quotes that hide the proxy's addition.
 */
function readForwarded(value: string | null): string[] | undefined {
  if (!value?.trim()) return undefined;
  const hops = [""];
  let position = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    const match = pattern.exec(value);
    if (match) position = pattern.lastIndex;
    return match?.[1]?.replace(/\\(.)/g, "$1") ?? match?.[0];
  };
  for (;;) {
    take(SPACE);
    const name = take(TOKEN);
    if (name !== undefined) {
      if (value[position++] !== "=") return [value];
      const text = take(QUOTED) ?? take(VALUE);
      // Repeated names are not allowed, because the wrong one could be the client's.
      if (text === undefined || (isFor(name) && hops.at(-1) !== "")) return [value];
      if (isFor(name)) hops[hops.length - 1] = text.trim();
    }
    take(SPACE);
    if (position >= value.length) break;
    const separator = value[position++];
    if (separator === ",") hops.push("");
    else if (separator !== ";") return [value];
  }
  return hops.some((hop) => hop !== "") ? hops : undefined;
}

const isFor = (name: string): boolean => name.toLowerCase() === "for";

/** Returns the address of a hop, which may have a port, brackets or a zone; undefined for anything else, such as `unknown` or `_hidden`. */
function readHop(hop: string): string | undefined {
  const [, bracketed] = /^\[([^\]]*)\](?::\S+)?$/.exec(hop) ?? [];
  const [, withPort] = /^([^[\]]*\.\d{1,3}):[\w.-]+$/.exec(hop) ?? [];
  const text = (bracketed ?? withPort ?? hop).replace(/%.*$/, "");
  // Refuses the shorter forms, such as 127.1 and 9: a number alone is not an address in these headers.
  const isWhole = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) || text.includes(":");
  return isWhole ? canonicalAddress(text) : undefined;
}
