import { trimPasted } from "../../lib/text/pasted-link.ts";

/**
 * Normalizes the address of a filehost's site or API, without a trailing slash. Undefined for other text, and for an address with a user name, a
 * password, a query or a fragment.
 */
export function parseServerAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.host === "") return undefined;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return undefined;
  return url.href.replace(/\/+$/, "");
}

/** Whether two addresses, as `parseServerAddress` returns them, belong to the same site. The API is below the site, at `/api`. */
export const isSameServer = (one: string, other: string): boolean => toSite(one) === toSite(other);

const toSite = (address: string): string => address.replace(/\/api$/, "");

/** A link of a share, or a private link, which opens a share without its code. */
export interface ShareLink {
  /** The address of its server's site. */
  readonly server: string;
  /** The short ID of the share; for a private link its token, which is a secret. */
  readonly id: string;
  readonly kind: "share" | "private";
  /** The fragment (the text after `#`), which is never sent. In the link of an encrypted file, it is the key. */
  readonly fragment: string | undefined;
}

const LINK_PATH = /^(.*)\/([dhr])\/([\w-]{4,200})(?:\/[^?#]*)?$/;

/** Reads a link that names its server. Undefined for other text, such as an ID. */
export function parseShareLink(text: string): ShareLink | undefined {
  const link = parseLink(text);
  if (link === undefined || link.kind === "r") return undefined;
  const { server, id, kind, hash } = link;
  return { server, id, kind: kind === "h" ? "private" : "share", fragment: hash === "" ? undefined : hash.slice(1) };
}

/** A link of a request, with which others send files to an account. The link of a receipt also names the receipt. */
export interface ParsedRequestLink {
  /** The address of its server's site. */
  readonly server: string;
  /** The token of the request, a secret. */
  readonly token: string;
  /** The text after `#`, which is never sent. It names the key of an encrypted request. */
  readonly fragment: string;
}

/** Reads the link of a request. Undefined for other text. */
export function parseRequestLink(text: string): ParsedRequestLink | undefined {
  const link = parseLink(text);
  return link?.kind === "r" ? { server: link.server, token: link.id, fragment: link.hash.slice(1) } : undefined;
}

function parseLink(text: string) {
  // The page of a link with `%5C` or `%20` behind it, as some programs copy it, is the page of the link.
  const url = URL.parse(trimPasted(text).replace(/(?:%(?:20|5C|E2%80%8B|EF%BB%BF))+$/i, ""));
  const [, base, kind, id] = LINK_PATH.exec(url?.pathname ?? "") ?? [];
  if (url === null || base === undefined || kind === undefined || id === undefined) return undefined;
  const server = parseServerAddress(`${url.protocol}//${url.host}${base}`);
  if (server === undefined || url.username !== "" || url.password !== "") return undefined;
  return { server, id, kind, hash: url.hash };
}

/** Whether a remembered share belongs to a server, by the address that this device reaches or the address in its link. */
export function isAtServer({ server, url }: { readonly server: string; readonly url: string }, address: string): boolean {
  const site = parseShareLink(url)?.server;
  return isSameServer(address, server) || (site !== undefined && isSameServer(address, site));
}
