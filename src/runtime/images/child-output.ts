import type { ReducedImages } from "../../lib/formats/reduced-images.ts";
import { isWebp } from "../../lib/formats/webp.ts";

/** Size of the five numbers before the parts: width, height, and the sizes of the placeholder, the thumbnail and the reduced image. */
const HEADER_BYTES = 5 * 4;
const MAX_THUMBNAIL_BYTES = 512 * 1024;
const MAX_SIDE = 100_000_000;
/** A PNG in a `data:` URL, of at most four kilobytes. */
const PLACEHOLDER = /^data:image\/png;base64,[A-Za-z0-9+/]{1,4096}={0,2}$/;

/** Writes what the child process made: a header of numbers, then the parts. */
export function writeOutput({ width, height, placeholder = "", thumbnail, reduced = new Uint8Array() }: ReducedImages): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, value] of [width, height, placeholder.length, thumbnail.length, reduced.length].entries())
    header.writeUInt32LE(value, index * 4);
  return Buffer.concat([header, Buffer.from(placeholder), thumbnail, reduced]);
}

/**
 * Reads what the child process wrote; undefined if it has another form. A decoder that an image has taken over may have written it, so only the form
 * is trusted: two WebP files, which nothing here decodes.
 */
export function readOutput(output: Uint8Array): ReducedImages | undefined {
  if (output.length < HEADER_BYTES) return undefined;
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.length);
  const [width = 0, height = 0, ...sizes] = Array.from({ length: 5 }, (_, index) => bytes.readUInt32LE(index * 4));
  const [placeholderBytes = 0, thumbnailBytes = 0, reducedBytes = 0] = sizes;
  const [thumbnailAt, reducedAt] = [HEADER_BYTES + placeholderBytes, HEADER_BYTES + placeholderBytes + thumbnailBytes];
  if (reducedAt + reducedBytes !== bytes.length || thumbnailBytes > MAX_THUMBNAIL_BYTES) return undefined;
  const placeholder = bytes.toString("latin1", HEADER_BYTES, thumbnailAt);
  const [thumbnail, reduced] = [bytes.subarray(thumbnailAt, reducedAt), bytes.subarray(reducedAt)];
  const areSidesValid = [width, height].every((side) => side > 0 && side <= MAX_SIDE);
  const arePartsValid = isWebp(thumbnail) && (reducedBytes === 0 || isWebp(reduced));
  if (!areSidesValid || !arePartsValid || (placeholder !== "" && !PLACEHOLDER.test(placeholder))) return undefined;
  return { width, height, thumbnail, reduced: reducedBytes === 0 ? undefined : reduced, placeholder: placeholder || undefined };
}
