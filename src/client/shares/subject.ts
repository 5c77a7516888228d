import { readAlias } from "../../contract/alias-form.ts";
import { invalidField } from "../../errors.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { trimPasted } from "../../lib/text/pasted-link.ts";
import { addAdvice } from "../client-error.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { parseShareLink } from "../server/server-address.ts";

/** The object that an ID or a link of a command names. The form of the text distinguishes the kinds (identifiers, "Identifiers"). */
export type Subject =
  | { readonly kind: "share"; readonly shortId: string }
  | { readonly kind: "file"; readonly fileId: string }
  | { readonly kind: "folder"; readonly folderId: string }
  | { readonly kind: "private"; readonly handoffToken: string };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FILE_ID_CHARACTERS = 16;

export const isUuid = (text: string): boolean => UUID.test(text);

/** Reads a short ID, a file's ID, a folder's ID, a share link or a private link. Throws VALIDATION_FAILED for other text. */
export function parseSubject(text: string): Subject {
  const link = parseShareLink(text);
  if (link !== undefined) return link.kind === "private" ? { kind: "private", handoffToken: link.id } : { kind: "share", shortId: link.id };
  const id = trimPasted(text);
  if (isUuid(id)) return { kind: "folder", folderId: id };
  if (!/^[0-9A-Za-z]{4,64}$/.test(id))
    throw addAdvice(invalidField("", `"${toSingleLine(id).slice(0, 100)}" is neither an ID nor the link of a share.`), { kind: "findId" });
  return id.length === FILE_ID_CHARACTERS ? { kind: "file", fileId: id } : { kind: "share", shortId: id };
}

/**
 * Reads what names a share or a file, as `parseSubject` does, and also an alias. Where a path can be passed too, such as `my-photos`, only the link of
 * an alias is one: anybody could choose the name of somebody else's folder.
 */
export function parseShareSubject(text: string): Subject {
  const alias = readAlias(trimPasted(text));
  return alias === undefined ? parseSubject(text) : { kind: "share", shortId: alias };
}

/** Returns the link of a share in the form of the server, by its short ID or alias. */
export async function shareLinkOf(api: Pick<RemoteApi, "discoverServer">, name: string): Promise<string> {
  return `${(await api.discoverServer()).siteUrl}/d/${encodeURIComponent(name)}`;
}

/** Whether a link that the server made belongs to its site, or to the address that the person named. Other links may lead to foreign pages. */
export async function isLinkOf(
  { api, url }: { readonly api: Pick<RemoteApi, "discoverServer">; readonly url: string },
  link: string,
): Promise<boolean> {
  const { siteUrl } = await api.discoverServer();
  return [url, siteUrl].some((address) => new URL(address).origin === URL.parse(link)?.origin);
}
