import { replaceUnseenSegments } from "./has-visible.ts";
import { LONG, toSafeSegment } from "./safe-segment.ts";
import { shorten } from "./stored-name.ts";

const CONTROL = /\p{Cc}/gu;
/** Segments that name other folders. */
const DOTS = /(?<![^/])\.{1,2}(?![^/])/g;

/**
 * Makes a name safe on this system only: as `toSafeSegment` on Windows; elsewhere without control characters, `.` and `..`. Also accepts several
 * segments with `/` between them.
 */
export function toLocalSegment(segment: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return toSafeSegment(segment);
  const allowed = replaceUnseenSegments(segment)
    .replace(CONTROL, "_")
    .replace(DOTS, (dots) => "_".repeat(dots.length));
  return allowed.replace(LONG, (long) => shorten(long));
}
