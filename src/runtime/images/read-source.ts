import { readExifOrientation } from "../../lib/formats/exif.ts";
import { type HeifProperties, readHeifBrands, readHeifProperties } from "../../lib/formats/heif.ts";
import { decodePng, encodePng, isPng, type Pixels, readPngChunks } from "../../lib/formats/png.ts";
import { isWebp, readFirstFrame, readWebpChunks, type WebpFrame } from "../../lib/formats/webp.ts";
import { decodeAvif, decodeHeic } from "./heif-decoders.ts";

/** A change of an image's position: a clockwise turn, then a mirroring. */
interface Turn {
  readonly degrees: 0 | 90 | 180 | 270;
  readonly mirrored?: "vertically" | "horizontally" | undefined;
}

/** An image that `Bun.Image` can decode. */
export interface ImageSource {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The change that shows the image upright. `Bun.Image` itself applies that of a JPEG. */
  readonly turn: Turn;
  /** Whether the image moves, so that a reduced image would show less. */
  readonly isAnimated: boolean;
  /** Whether browsers cannot show the original. */
  readonly isUnknownToBrowsers: boolean;
}

const UPRIGHT: Turn = { degrees: 0 };

/** The changes of the orientations 1 to 8 of EXIF. */
const TURNS: readonly Turn[] = [
  UPRIGHT,
  { degrees: 0, mirrored: "horizontally" },
  { degrees: 180 },
  { degrees: 0, mirrored: "vertically" },
  { degrees: 90, mirrored: "horizontally" },
  { degrees: 90 },
  { degrees: 90, mirrored: "vertically" },
  { degrees: 270 },
];

/** The largest number of pixels of an image that is composed here. */
const MAX_COMPOSED_PIXELS = 25_000_000;

/**
 * Reads an image of any supported format. An animation is its first frame, and HEIC and AVIF are decoded here. Throws if it is damaged. Recognizes
 * the format by the first bytes, and returns unknown ones unchanged.
 */
export async function readSource(bytes: Uint8Array<ArrayBuffer>): Promise<ImageSource> {
  const plain: ImageSource = { bytes, turn: UPRIGHT, isAnimated: false, isUnknownToBrowsers: false };
  if (isPng(bytes)) return { ...plain, ...readPng(bytes) };
  if (isWebp(bytes)) return { ...plain, ...(await readWebp(bytes)) };
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "GIF8") return { ...plain, isAnimated: true };
  const brands = readHeifBrands(bytes);
  if (!brands) return plain;
  const properties = readHeifProperties(bytes);
  const isHeic = brands.codec === "heic";
  const pixels = isHeic ? await decodeHeic(bytes) : await decodeAvif(bytes);
  return {
    bytes: encodePng(pixels, properties.profile),
    // The decoder of HEIC turns the image. EXIF data change neither format.
    turn: isHeic ? UPRIGHT : turnOf(properties),
    isAnimated: brands.isAnimated && !isHeic,
    isUnknownToBrowsers: isHeic,
  };
}

function readPng(bytes: Uint8Array): Partial<ImageSource> {
  const chunks = [...readPngChunks(bytes)];
  const exif = chunks.find(({ type }) => type === "eXIf");
  return { turn: toTurn(exif?.data), isAnimated: chunks.some(({ type }) => type === "acTL") };
}

async function readWebp(bytes: Uint8Array): Promise<Partial<ImageSource>> {
  const chunks = [...readWebpChunks(bytes)];
  const turn = toTurn(chunks.find(({ type }) => type === "EXIF")?.data);
  const frame = readFirstFrame(chunks);
  if (frame) return { bytes: await compose(frame), turn, isAnimated: true };
  return { turn, isAnimated: chunks.some(({ type }) => type === "ANIM") };
}

const toTurn = (exif: Uint8Array | undefined): Turn => (exif && TURNS[readExifOrientation(exif) - 1]) ?? UPRIGHT;

/** Returns the change of a HEIF image, whose turn is counterclockwise. */
function turnOf({ turnedDegrees, mirrored }: HeifProperties): Turn {
  return { degrees: ({ 90: 270, 180: 180, 270: 90 } as const)[turnedDegrees] ?? 0, mirrored };
}

/** Puts a frame onto its transparent canvas. */
async function compose({ webp, left, top, width, height, canvas }: WebpFrame): Promise<Uint8Array<ArrayBuffer>> {
  if (width === canvas.width && height === canvas.height) return webp;
  if (canvas.width * canvas.height > MAX_COMPOSED_PIXELS) throw new Error("The canvas is too large.");
  const { rgba }: Pixels = decodePng(await new Bun.Image(webp, { maxPixels: MAX_COMPOSED_PIXELS }).png().bytes());
  const composed = new Uint8Array(canvas.width * canvas.height * 4);
  for (let y = 0; y < height; y++) composed.set(rgba.subarray(y * width * 4, (y + 1) * width * 4), ((top + y) * canvas.width + left) * 4);
  return encodePng({ ...canvas, rgba: composed });
}
