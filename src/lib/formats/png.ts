import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Size of the signature and the chunk `IHDR`, with which each image begins. */
const HEADER_BYTES = SIGNATURE.length + 25;
/** Size of the length, type and checksum of a chunk. */
const AROUND_CHUNK_BYTES = 12;

/** A chunk of a PNG: its type, and its bytes without the length, the type and the checksum. */
interface PngChunk {
  readonly type: string;
  readonly data: Uint8Array;
}

export const isPng = (bytes: Uint8Array): boolean => SIGNATURE.every((byte, index) => bytes[index] === byte);

/** Yields the chunks of a PNG, up to its end or to the first one that is incomplete. */
export function* readPngChunks(bytes: Uint8Array): Generator<PngChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = SIGNATURE.length; at + AROUND_CHUNK_BYTES <= bytes.length; ) {
    const end = at + AROUND_CHUNK_BYTES + view.getUint32(at);
    if (end > bytes.length) return;
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    yield { type, data: bytes.subarray(at + 8, end - 4) };
    at = end;
  }
}

/** Pixels of four bytes: red, green, blue and opacity, row by row from the top. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** Encodes pixels as a PNG without compression, for a program that reads it immediately. `profile` is the ICC profile of the colors. */
export function encodePng({ width, height, rgba }: Pixels, profile?: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, red, green, blue and opacity.
  header.set([8, 6, 0, 0, 0], 8);
  const stride = width * 4;
  const rows = Buffer.alloc(height * (1 + stride));
  for (let y = 0; y < height; y++) rows.set(rgba.subarray(y * stride, (y + 1) * stride), y * (1 + stride) + 1);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from(SIGNATURE),
      encodeChunk("IHDR", header),
      ...(profile ? [encodeChunk("iCCP", Buffer.concat([Buffer.from("profile\0\0"), deflateSync(profile)]))] : []),
      encodeChunk("IDAT", deflateSync(rows, { level: 0 })),
      encodeChunk("IEND", Buffer.alloc(0)),
    ]),
  );
}

function encodeChunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}

/** Decodes a PNG of eight bits per channel with red, green, blue and perhaps opacity, without interlacing. Throws for any other. */
export function decodePng(png: Uint8Array): Pixels {
  const chunks = [...readPngChunks(png)];
  const header = Buffer.from(chunks.find(({ type }) => type === "IHDR")?.data ?? []);
  const channels = { 2: 3, 6: 4 }[header[9] ?? 0];
  if (channels === undefined || header[8] !== 8 || header[12] !== 0) throw new Error("The PNG has another kind of pixels.");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const rows = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)));
  const stride = width * channels;
  const rgba = new Uint8Array(width * height * 4).fill(255);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const row = unfilterRow(rows[start] ?? 0, rows.subarray(start + 1, start + 1 + stride), above, channels);
    for (let x = 0; x < width; x++) rgba.set(row.subarray(x * channels, (x + 1) * channels), (y * width + x) * 4);
    above = row;
  }
  return { width, height, rgba };
}

/** Reverses the filter of a row. */
function unfilterRow(filter: number, bytes: Uint8Array, above: Uint8Array, channels: number): Uint8Array<ArrayBuffer> {
  const row = new Uint8Array(bytes.length);
  for (let x = 0; x < bytes.length; x++) {
    const left = row[x - channels] ?? 0;
    const up = above[x] ?? 0;
    const upLeft = above[x - channels] ?? 0;
    row[x] = (bytes[x] ?? 0) + ([0, left, up, (left + up) >> 1, predictPaeth(left, up, upLeft)][filter] ?? 0);
  }
  return row;
}

function predictPaeth(left: number, up: number, upLeft: number): number {
  const distance = (value: number): number => Math.abs(left + up - upLeft - value);
  return [left, up, upLeft].reduce((best, value) => (distance(value) < distance(best) ? value : best));
}

/** Returns the size of a PNG image in pixels, from its header; undefined if there is no valid header, or the bytes end before the image. */
export function readPngSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  if (bytes.length < HEADER_BYTES || !isPng(bytes)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const types: string[] = [];
  for (let at = SIGNATURE.length; at + AROUND_CHUNK_BYTES <= bytes.length; at += AROUND_CHUNK_BYTES + view.getUint32(at)) {
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    types.push(type);
    if (type === "IEND") break;
  }
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const isWhole = types[0] === "IHDR" && types.includes("IDAT") && types.at(-1) === "IEND";
  return isWhole && width > 0 && height > 0 ? { width, height } : undefined;
}
