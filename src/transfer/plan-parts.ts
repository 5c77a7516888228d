/**
 * Plans the size of a file's parts, and the number of parts that are sent at the same time. A broken connection loses the sent bytes of unfinished
 * parts.
 */
const MB = 1024 * 1024;
const USUAL_PARTS = 64;
const MAX_PART_BYTES = 16 * MB;
const MIN_PARALLEL = 2;
const MAX_PARALLEL = 4;
const PART_SECONDS = 0.25;
/** The time for which parts are sent in advance. It exceeds a round trip, so that the connection is not idle during responses. */
const AHEAD_SECONDS = 0.5;

/**
 * Plans the part size: a 64th of the file, or the bytes of a quarter of a second if that is more; in whole MB, from 1 to 16 MB. The server makes
 * parts larger if there would be too many, or if its store requires it. `maxBytes` is the limit of a proxy in front of the server.
 */
export function planPartSize(fileBytes: number, bytesPerSecond: number, maxBytes = MAX_PART_BYTES): number {
  const bytes = Math.max(fileBytes / USUAL_PARTS, bytesPerSecond * PART_SECONDS);
  return Math.min(MAX_PART_BYTES, maxBytes, Math.max(1, Math.ceil(bytes / MB)) * MB);
}

/** Returns the number of parts of a file that are sent at the same time: those of half a second, from two to four. */
export function planParallelParts(partBytes: number, bytesPerSecond: number): number {
  return Math.min(MAX_PARALLEL, Math.max(MIN_PARALLEL, Math.ceil((bytesPerSecond * AHEAD_SECONDS) / partBytes)));
}
