import assert from "node:assert/strict";
import { crc32, deflateSync, inflateSync } from "node:zlib";

type Rgb = readonly [red: number, green: number, blue: number];

const RED: Rgb = [255, 0, 0];
const BLUE: Rgb = [0, 0, 255];

/** Makes a PNG whose left half is red and whose right half is blue. `claimed` changes the size in the header alone. */
export function pngOf(width: number, height: number, claimed = { width, height }): Uint8Array<ArrayBuffer> {
  const row = Buffer.alloc(1 + 3 * width);
  for (let x = 0; x < width; x++) row.set(2 * x < width ? RED : BLUE, 1 + 3 * x);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(claimed.width, 0);
  header.writeUInt32BE(claimed.height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunkOf("IHDR", header), chunkOf("tEXt", Buffer.from(`Comment\0${SECRET}`)), chunkOf("IDAT", deflateSync(rows))];
  return new Uint8Array(Buffer.concat([signature, ...chunks, chunkOf("IEND", Buffer.alloc(0))]));
}

/** A text in the metadata of the images, which no thumbnail may contain. */
export const SECRET = "taken at 52.5163 N 13.3777 E";

function chunkOf(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const named = Buffer.concat([Buffer.from(type), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** Makes a JPEG of `pngOf`, with EXIF data that turn it by 90° clockwise and contain `SECRET`. */
export async function turnedJpeg(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const jpeg = await new Bun.Image(pngOf(width, height)).jpeg({ quality: 95 }).bytes();
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), exifSegment(6), jpeg.subarray(2)]));
}

function exifSegment(orientation: number): Buffer {
  const text = Buffer.from(`${SECRET}\0`);
  const tiff = Buffer.alloc(8 + 2 + 2 * 12 + 4);
  tiff.write("MM\0*", 0, "latin1");
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(2, 8);
  writeEntry(tiff, 10, { tag: 0x010e, type: 2, count: text.length, value: tiff.length });
  writeEntry(tiff, 22, { tag: 0x0112, type: 3, count: 1, value: orientation << 16 });
  const data = Buffer.concat([Buffer.from("Exif\0\0"), tiff, text]);
  const marker = Buffer.from([0xff, 0xe1, 0, 0]);
  marker.writeUInt16BE(2 + data.length, 2);
  return Buffer.concat([marker, data]);
}

interface ExifEntry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly value: number;
}

function writeEntry(tiff: Buffer, at: number, { tag, type, count, value }: ExifEntry): void {
  tiff.writeUInt16BE(tag, at);
  tiff.writeUInt16BE(type, at + 2);
  tiff.writeUInt32BE(count, at + 4);
  tiff.writeUInt32BE(value, at + 8);
}

/** Makes an animation of one pixel: red, then blue. */
export function animatedGif(): Uint8Array<ArrayBuffer> {
  const frame = (code: number): number[] => [0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, code, 1, 0];
  const header = [...Buffer.from("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0, ...RED, ...BLUE];
  return new Uint8Array([...header, ...frame(0x44), ...frame(0x4c), 0x3b]);
}

/** Reads the colors of an image that is reduced to `width` × `height` pixels, row by row. */
export async function colorsOf(image: Uint8Array<ArrayBuffer>, width: number, height: number): Promise<Rgb[]> {
  const png = Buffer.from(await new Bun.Image(image).resize(width, height, { filter: "box" }).png().bytes());
  assert.equal(png[24], 8);
  const channels = png[25] === 6 ? 4 : 3;
  const data = inflateSync(Buffer.concat([...chunksOf(png, "IDAT")]));
  const stride = width * channels;
  const rows: number[][] = [];
  for (let y = 0; y < height; y++) {
    const [filter = 0, ...bytes] = data.subarray(y * (stride + 1), (y + 1) * (stride + 1));
    rows.push(unfilter(filter, bytes, { above: rows[y - 1] ?? new Array<number>(stride).fill(0), channels }));
  }
  return rows.flatMap((row) => Array.from({ length: width }, (_, x) => row.slice(x * channels, x * channels + 3) as unknown as Rgb));
}

function* chunksOf(png: Buffer, type: string): Generator<Buffer> {
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === type) yield png.subarray(at + 8, at + 8 + length);
    at += 12 + length;
  }
}

/** Reverses the filter of a row of a PNG. */
function unfilter(filter: number, bytes: readonly number[], { above, channels }: { above: readonly number[]; channels: number }): number[] {
  const row: number[] = [];
  for (const [x, byte] of bytes.entries()) {
    const left = row[x - channels] ?? 0;
    const up = above[x] ?? 0;
    const upLeft = (x < channels ? undefined : above[x - channels]) ?? 0;
    const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter] ?? 0;
    row.push((byte + predicted) & 0xff);
  }
  return row;
}

function paeth(left: number, up: number, upLeft: number): number {
  const distance = (value: number): number => Math.abs(left + up - upLeft - value);
  return [left, up, upLeft].reduce((best, value) => (distance(value) < distance(best) ? value : best));
}

export const isReddish = ([red, , blue]: Rgb): boolean => red > 150 && blue < 100;
export const isBluish = ([red, , blue]: Rgb): boolean => blue > 150 && red < 100;
