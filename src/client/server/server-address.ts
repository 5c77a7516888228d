import { trimPasted } from "../../lib/text/pasted-link.ts";

/**
 * Normalizes the address of a filehost, of its site or of its API: without a slash at the end. Undefined for text that is no such address, or that
 * has a name, a password, a query or a fragment.
 */
export function parseServerAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.host === "") return undefined;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return undefined;
  return url.href.replace(/\/+$/, "");
}

/** Whether two addresses, as `parseServerAddress` returns them, are those of the same site. The API is below the site, at `/api`. */
export const isSameServer = (one: string, other: string): boolean => toSite(one) === toSite(other);

const toSite = (address: string): string => address.replace(/\/api$/, "");

/** A link of a share, or a private link, which opens a share without its code. */
export interface ShareLink {
  /** The address of its server's site. */
  readonly server: string;
  /** The short ID of the share; for a private link its token, which is a secret. */
  readonly id: string;
  readonly kind: "share" | "private";
  /** What follows the `#`, which is never sent: of an encrypted file its key. */
  readonly fragment: string | undefined;
}

const LINK_PATH = /^(.*)\/([dhr])\/([\w-]{4,200})(?:\/[^?#]*)?$/;

/** Reads a link that names its server. Undefined for all other text, such as an ID. */
export function parseShareLink(text: string): ShareLink | undefined {
  const link = parseLink(text);
  if (link === undefined || link.kind === "r") return undefined;
  const { server, id, kind, hash } = link;
  return { server, id, kind: kind === "h" ? "private" : "share", fragment: hash === "" ? undefined : hash.slice(1) };
}

/** A link with which others send files to an account; that of a receipt also names it. */
export interface ParsedRequestLink {
  /** The address of its server's site. */
  readonly server: string;
  /** A secret. */
  readonly token: string;
}

/** Reads the link of a request. Undefined for all other text. */
export function parseRequestLink(text: string): ParsedRequestLink | undefined {
  const link = parseLink(text);
  return link?.kind === "r" ? { server: link.server, token: link.id } : undefined;
}

function parseLink(text: string) {
  const url = URL.parse(trimPasted(text));
  const [, base, kind, id] = LINK_PATH.exec(url?.pathname ?? "") ?? [];
  if (url === null || base === undefined || kind === undefined || id === undefined) return undefined;
  const server = parseServerAddress(`${url.protocol}//${url.host}${base}`);
  if (server === undefined || url.username !== "" || url.password !== "") return undefined;
  return { server, id, kind, hash: url.hash };
}

/** Whether something remembered is of a server: by the address that this device reaches, or that of its link. */
export function isAtServer({ server, url }: { readonly server: string; readonly url: string }, address: string): boolean {
  const site = parseShareLink(url)?.server;
  return isSameServer(address, server) || (site !== undefined && isSameServer(address, site));
}
