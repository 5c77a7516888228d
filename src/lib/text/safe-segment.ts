import { replaceUnseenSegments } from "./has-visible.ts";
import { shorten } from "./stored-name.ts";

/** Characters that Windows forbids in a name (a colon separates a drive or an alternate stream), and control characters. */
const FORBIDDEN = /[<>:"|?*\\\p{Cc}]/gu;
/** Names of Windows devices, with any extension, also after trailing spaces. */
const DEVICE = /(?<![^/])(?=(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$) *(?:[./]|$))/gi;
/** Characters that Windows removes from the end of a name; found in linear time. */
const TRAILING = /(?<![. ])[. ]+(?=\/|$)/g;
/** A segment that may have more than 255 bytes, because a character has at most four. */
export const LONG = /[^/]{64,}/g;

/**
 * Makes a name safe on every common file system: without the characters and names that Windows reserves, and of at most 255 bytes. Also accepts
 * several segments with `/` between them.
 */
export function toSafeSegment(segment: string): string {
  const allowed = replaceUnseenSegments(segment).replace(FORBIDDEN, "_").replace(DEVICE, "_");
  return replaceTrailing(allowed.replace(LONG, (long) => shorten(long)));
}

/** Replaces dots and spaces at the end, which Windows removes. */
const replaceTrailing = (segment: string): string => segment.replace(TRAILING, (trailing) => "_".repeat(trailing.length));
