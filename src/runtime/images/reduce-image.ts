import type { ReducedImages } from "../../lib/formats/reduced-images.ts";
import { isOpaque, readWebpSize } from "../../lib/formats/webp.ts";
import { type ImageSource, readSource } from "./read-source.ts";

/** The longer side of a thumbnail, in pixels. */
const THUMBNAIL_SIDE = 480;
/** The longer side of a reduced image, in pixels. */
const REDUCED_SIDE = 1600;
const QUALITY = 80;
/** The largest file that a page shows as it is. */
const MAX_SHOWN_BYTES = 1024 ** 2;

/** Makes the thumbnail, and the reduced image of a large image. Throws if the image is damaged or exceeds a limit. */
export async function reduceImage(original: Uint8Array<ArrayBuffer>, maxPixels: number): Promise<ReducedImages> {
  const source = await readSource(original);
  const size = await new Bun.Image(source.bytes, { maxPixels, autoOrient: false }).metadata();
  const isLarge = Math.max(size.width, size.height) > REDUCED_SIDE || original.length > MAX_SHOWN_BYTES;
  const isWanted = source.isUnknownToBrowsers || (isLarge && !source.isAnimated);
  const made = isWanted ? await toWebp(source, REDUCED_SIDE, maxPixels) : undefined;
  // The large image is decoded once: its thumbnail is made of the reduced image.
  const thumbnail = made ? await toWebp({ bytes: made }, THUMBNAIL_SIDE, maxPixels) : await toWebp(source, THUMBNAIL_SIDE, maxPixels);
  return {
    thumbnail,
    reduced: source.isUnknownToBrowsers || (made && made.length < original.length) ? made : undefined,
    ...toShownSize(size, thumbnail),
    placeholder: isOpaque(thumbnail) ? await new Bun.Image(thumbnail).placeholder() : undefined,
  };
}

async function toWebp(
  { bytes, turn }: Pick<ImageSource, "bytes"> & Partial<ImageSource>,
  side: number,
  maxPixels: number,
): Promise<Uint8Array<ArrayBuffer>> {
  let image = new Bun.Image(bytes, { maxPixels, autoOrient: true });
  if (turn && turn.degrees !== 0) image = image.rotate(turn.degrees);
  if (turn?.mirrored === "vertically") image = image.flip();
  if (turn?.mirrored === "horizontally") image = image.flop();
  const resized = image.resize(side, side, { fit: "inside", withoutEnlargement: true });
  return new Uint8Array(await resized.webp({ quality: QUALITY }).bytes());
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Swaps the width and the height if the thumbnail shows that the image was turned by 90°. */
function toShownSize({ width, height }: Size, thumbnail: Uint8Array): Size {
  const made = readWebpSize(thumbnail);
  const isTurned = made !== undefined && Math.sign(made.width - made.height) === -Math.sign(width - height);
  return isTurned ? { width: height, height: width } : { width, height };
}
