import type { DrawnThumbnail } from "./shown-content.ts";

/** The longest side of a thumbnail, as of those that the server makes. */
const MAX_SIDE_PX = 480;
/** The largest image with a thumbnail, as on the server. */
const MAX_PIXELS = 100_000_000;
const QUALITY = 0.8;

/** Draws the thumbnail of an image; undefined if the browser cannot show it, or gives other pixels than those that were drawn. */
export async function drawThumbnail(blob: Blob): Promise<DrawnThumbnail | undefined> {
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  try {
    await new Promise((resolve, reject) => Object.assign(image, { onload: resolve, onerror: reject }));
    const { naturalWidth, naturalHeight } = image;
    if (naturalWidth * naturalHeight > MAX_PIXELS) return undefined;
    const scale = Math.min(1, MAX_SIDE_PX / Math.max(naturalWidth, naturalHeight));
    const [width, height] = [naturalWidth, naturalHeight].map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    if (!context || !isReadable()) return undefined;
    context.drawImage(image, 0, 0, width, height);
    // JPEG has no transparent parts. Browsers that cannot make WebP make PNG.
    const type = isOpaque(context.getImageData(0, 0, width, height)) ? "image/jpeg" : "image/webp";
    return { url: canvas.toDataURL(type, QUALITY), width, height };
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

const isOpaque = ({ data }: ImageData): boolean => data.every((value, index) => index % 4 !== 3 || value === 255);

/** Whether the browser returns what was drawn. Some return random pixels, so that pages cannot recognize a device. */
function isReadable(): boolean {
  const context = Object.assign(document.createElement("canvas"), { width: 8, height: 8 }).getContext("2d");
  if (!context) return false;
  context.fillStyle = "#808080";
  context.fillRect(0, 0, 8, 8);
  return context.getImageData(0, 0, 8, 8).data.every((value, index) => Math.abs(value - (index % 4 === 3 ? 255 : 128)) < 16);
}
