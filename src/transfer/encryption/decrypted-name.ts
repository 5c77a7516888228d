/**
 * The names of decrypted files, on the page and for the client (encryption, "Names of decrypted files"). Senders choose them, and no server checks
 * them.
 */
import { hasVisible } from "../../lib/text/has-visible.ts";
import { toSafeSegment } from "../../lib/text/safe-segment.ts";

/** Characters that nobody sees, and with which a name could change how the surrounding text reads. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** The name of a file whose own one has nothing but dots, spaces and underscores. Browsers choose other names for those. */
const FALLBACK = "file";

const withoutUnseen = (path: string): string => path.replace(UNSEEN, "");

/** Returns the path of a decrypted file for a text of a page. */
export const toShownName = (path: string): string => (hasVisible(path) ? withoutUnseen(path) : FALLBACK);

/**
 * Returns the path under which a decrypted file is saved, which is safe on every common file system. Every segment has at most 255 bytes; the first one
 * begins with no dot.
 */
export function toDecryptedPath(path: string): string {
  const segments = withoutUnseen(path.toWellFormed()).split("/");
  const named = segments.map((segment) => segment.trim()).filter(hasVisible);
  return toSafeSegment(named.join("/"))
    .replace(/^\.+/, "_")
    .replace(/(^|\/)_*$/, `$1${FALLBACK}`);
}

/** Returns the name of a decrypted file that is saved without the folders of its path. */
export const toDecryptedName = (path: string): string => toDecryptedPath(path.replace(/\/+$/, "").replace(/^.*\//s, ""));
