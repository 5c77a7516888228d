import { readAlias } from "../contract/alias-form.ts";
import { invalidField } from "../errors.ts";
import type { Api } from "./api.ts";

/** The share that a link names, or the token of a private link, which opens a share without its code. */
export type ShareReference = { readonly shortId: string } | { readonly handoffToken: string };

const LINK = /^https?:\/\/[^\s?#]*\/(d|h)\/([\w-]{4,200})\/?(?:[?#]\S*)?$/;
/** The URI of a share. The fragment (the part after `#`) names one of the texts of the resource. */
const URI = /^filehost:\/\/share\/([0-9A-Za-z-]{4,16})(?:#\S*)?$/;
const SHORT_ID = /^[0-9A-Za-z]{4,16}$/;

/** Reads a share link, a private link, a short ID or a resource's URI. Throws VALIDATION_FAILED, also for a link of another server. */
export async function readShareReference(api: Pick<Api, "findHosts">, text: string): Promise<ShareReference> {
  const link = text.trim();
  const [, kind, value = ""] = LINK.exec(link) ?? [];
  if (kind !== undefined) await checkHost(api, link);
  if (kind === "h") return { handoffToken: value };
  const shortId = parseShareUri(link) ?? (kind === "d" ? value : link);
  if (SHORT_ID.test(shortId) || readAlias(shortId) !== undefined) return { shortId };
  throw invalidField("link", "This is not the link of a share. Send a link with /d/ or /h/ in its path, or a short ID.");
}

/** Checks the host of a link. A private link is a secret, which no other server gets, and the ID of another server names another share here. */
async function checkHost(api: Pick<Api, "findHosts">, link: string): Promise<void> {
  const host = URL.parse(link)?.host ?? "";
  const own = await api.findHosts();
  if (!own.includes(host))
    throw invalidField("link", `This link is of ${host.slice(0, 100)}, not of this server, which is ${own[0]}. Open it in a browser.`);
}

/** Returns the URI of a share as a resource (mcp, "Resources"). */
export const toShareUri = (shortId: string): string => `filehost://share/${shortId}`;

/** Returns the short ID in a resource's URI; undefined for other text. */
export const parseShareUri = (uri: string): string | undefined => URI.exec(uri)?.[1];
