import { canonicalAddress, isInNetworks, type Network } from "./networks.ts";

export interface ClientAddress {
  readonly address: string;
  /** The hop of a trusted proxy that is no address: without it, all clients of that proxy are one. */
  readonly unreadable?: string | undefined;
}

/**
 * The client's address: the peer's, or, if the peer is a trusted proxy, the rightmost address of `X-Forwarded-For` or `Forwarded` that is not
 * one (accounts, "The client's address"). Ignores both from any other peer.
 */
export function clientAddress(peer: string, headers: Pick<Headers, "get">, trusted: readonly Network[]): ClientAddress {
  const nearest = canonicalAddress(peer) ?? peer;
  if (!isInNetworks(peer, trusted)) return { address: nearest };
  const found = [readForwardedFor(headers.get("x-forwarded-for")), readForwarded(headers.get("forwarded"))]
    .filter((hops) => hops !== undefined)
    .map((hops) => followHops(nearest, hops, trusted));
  const [first = { address: nearest }, second] = found;
  // A proxy passes on the header that it does not set, as its client wrote it: of two that differ, neither is believed.
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
/** What proxies write without the quotes that it needs, such as `[2001:db8::1]:443`. */
const VALUE = /[^\s",;=]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
const SPACE = /[ \t]*/y;

/**
 * The `for` of each element (RFC 7239), `` of one without; undefined if there is none. A value that is not of this form is one hop, which no
 * address is: its client may have begun the quotes that hide what the proxy added.
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
      // Repeated names are not allowed, and the wrong one could be the client's.
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

/** An address as proxies write it: with a port, in brackets, with a zone. Undefined for anything else, such as `unknown` or `_hidden`. */
function readHop(hop: string): string | undefined {
  const [, bracketed] = /^\[([^\]]*)\](?::\S+)?$/.exec(hop) ?? [];
  const [, withPort] = /^([^[\]]*\.\d{1,3}):[\w.-]+$/.exec(hop) ?? [];
  const text = (bracketed ?? withPort ?? hop).replace(/%.*$/, "");
  // Not the shorter forms, such as 127.1 and 9: a number alone is no address here.
  const isWhole = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) || text.includes(":");
  return isWhole ? canonicalAddress(text) : undefined;
}
