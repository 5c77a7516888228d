import { readAlias } from "../../contract/alias-form.ts";
import { AppError } from "../../errors.ts";
import { parseShareLink } from "../server/server-address.ts";

/** The link, URL or ID that a download command names. */
export type DownloadTarget =
  | { readonly kind: "share"; readonly shortId: string }
  | { readonly kind: "file"; readonly fileId: string }
  | { readonly kind: "private"; readonly handoffToken: string }
  /** A signed URL, which can be downloaded without another request. */
  | { readonly kind: "signed"; readonly url: URL };

export interface NamedTarget {
  readonly target: DownloadTarget;
  /** The fragment of a link (the text after `#`), which is never sent. */
  readonly fragment: string | undefined;
}

const FILE_ID = /^[0-9A-Za-z]{16}$/;
const SHORT_ID = /^[0-9A-Za-z]{4,16}$/;
const SIGNED_PATH = /\/(?:dl\/[\w-]{4,64}\/[^/]+|ar\/[\w-]{4,64}\.zip)$/;

/** Reads a share link, a private link, a signed URL, a short ID or a file ID. Throws VALIDATION_FAILED. */
export function parseDownloadTarget(text: string): NamedTarget {
  const word = text.trim();
  const link = parseShareLink(word);
  if (link) {
    const { id, kind, fragment } = link;
    return { target: kind === "share" ? { kind, shortId: id } : { kind, handoffToken: id }, fragment };
  }
  if (FILE_ID.test(word)) return { target: { kind: "file", fileId: word }, fragment: undefined };
  if (SHORT_ID.test(word) || readAlias(word) !== undefined) return { target: { kind: "share", shortId: word }, fragment: undefined };
  const url = /^https?:\/\//i.test(word) ? URL.parse(word) : null;
  if (url === null || !SIGNED_PATH.test(url.pathname) || !url.searchParams.has("s") || url.username !== "" || url.password !== "")
    throw notALink(word);
  const fragment = url.hash.slice(1) || undefined;
  url.hash = "";
  return { target: { kind: "signed", url }, fragment };
}

const notALink = (word: string): AppError =>
  new AppError(
    "VALIDATION_FAILED",
    `"${word.slice(0, 100)}" is not a link or an ID. Use a share link (/d/…), a private link (/h/…), a download URL, a short ID or a file ID.`,
  );
