import { type ListRequest, toListQuery } from "./file-listing.ts";
import type { PreviewForm, ShareAccess, SharePageProps } from "./share-page-props.ts";

type ShareAction = "" | "/buy" | "/download" | "/archive" | "/unlock" | "/preview";

/** Returns the path of a share's page, or of one of its forms. */
export const sharePath = ({ shortId }: Pick<SharePageProps, "shortId">, action: ShareAction = ""): string =>
  `/d/${encodeURIComponent(shortId)}${action}`;

/** Returns the request for the page with the preview of a file: a URL, or a form if only a form can have the token of an unlocked share. */
export function previewForm({ shortId, access, wait }: Pick<SharePageProps, "shortId" | "access" | "wait">, fileId: string): PreviewForm {
  const ready: Readonly<Record<string, string>> = wait === undefined ? {} : { ready: wait.token };
  if (access.kind === "unlocked" && access.field === "unlockToken")
    return { method: "post", action: sharePath({ shortId }, "/preview"), fields: { fileId, [access.field]: access.token, ...ready } };
  const action = access.kind === "unlocked" ? `/h/${encodeURIComponent(access.token)}` : sharePath({ shortId });
  return { method: "get", action, fields: { file: fileId, ...ready } };
}

/** Returns the URL of a part of the list; undefined if a code unlocked the page. */
export function listUrl({ shortId, access, wait }: SharePageProps, request: ListRequest): string | undefined {
  if (!isReachableByUrl(access)) return undefined;
  const path = access.kind === "unlocked" ? `/h/${encodeURIComponent(access.token)}` : sharePath({ shortId });
  const query = [toListQuery(request), wait === undefined ? "" : `ready=${encodeURIComponent(wait.token)}`].filter((part) => part !== "");
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

/** Returns the URL that refreshes a page with a wait or another part of the list; undefined if that is its own URL, or if a code unlocked it. */
export function refreshUrl(share: SharePageProps): string | undefined {
  return share.wait === undefined && toListQuery(share.listing) === "" ? undefined : listUrl(share, share.listing);
}

/** Whether the URL alone shows the page. It does not if a code has unlocked the page. */
export const isReachableByUrl = (access: ShareAccess): boolean => access.kind !== "unlocked" || access.field === "handoffToken";

/** Returns the command that decrypts a share's files, without the key, which only the sender's link has. */
export const withKeyCommand = (shareUrl: string): string => `filehost down '${shareUrl}#key=…'`;
