/** How a file is split into parts, and how many of them are sent at the same time. A break loses what was sent of unfinished parts. */
const MB = 1024 * 1024;
const USUAL_PARTS = 64;
const MAX_PART_BYTES = 16 * MB;
const MIN_PARALLEL = 2;
const MAX_PARALLEL = 4;
const PART_SECONDS = 0.25;
/** Longer than a round trip: the line is busy while responses are waited for. */
const AHEAD_SECONDS = 0.5;

/**
 * A 64th of the file, or what the line sends in a quarter of a second if that is more; in whole MB, from 1 to 16 MB. The server makes parts larger
 * if there would be too many, or if its store needs that. `maxBytes`: what a proxy in front of the server lets pass.
 */
export function planPartSize(fileBytes: number, bytesPerSecond: number, maxBytes = MAX_PART_BYTES): number {
  const bytes = Math.max(fileBytes / USUAL_PARTS, bytesPerSecond * PART_SECONDS);
  return Math.min(MAX_PART_BYTES, maxBytes, Math.max(1, Math.ceil(bytes / MB)) * MB);
}

/** How many parts of a file are sent at the same time: those that the line sends in half a second, from two to four. */
export function planParallelParts(partBytes: number, bytesPerSecond: number): number {
  return Math.min(MAX_PARALLEL, Math.max(MIN_PARALLEL, Math.ceil((bytesPerSecond * AHEAD_SECONDS) / partBytes)));
}
