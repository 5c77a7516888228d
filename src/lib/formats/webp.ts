/** Size of the largest header that `readWebpSize` reads. */
const HEADER_BYTES = 30;

/** Returns the size of a WebP image in pixels, from its header; undefined without a valid header. */
export function readWebpSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (start: number): string => String.fromCharCode(...bytes.subarray(start, start + 4));
  if (text(0) !== "RIFF" || text(8) !== "WEBP" || view.getUint32(4, true) !== bytes.length - 8) return undefined;
  const uint24 = (start: number): number => view.getUint16(start, true) | (view.getUint8(start + 2) << 16);
  switch (text(12)) {
    case "VP8 ":
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: uint24(24) + 1, height: uint24(27) + 1 };
    default:
      return undefined;
  }
}

/** A chunk of a WebP file: its type, and its bytes without the header. */
export interface WebpChunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** Size of the type and the length of a chunk. */
const CHUNK_HEADER_BYTES = 8;
/** Size of `RIFF`, the length and `WEBP`. */
const FILE_HEADER_BYTES = 12;
/** Size of the position, size, duration and flags of a frame, before its chunks. */
const FRAME_HEADER_BYTES = 16;
const OPACITY_FLAG = 0x10;

export function isWebp(bytes: Uint8Array): boolean {
  const text = (start: number): string => String.fromCharCode(...bytes.subarray(start, start + 4));
  return text(0) === "RIFF" && text(8) === "WEBP";
}

/** Yields the chunks of a WebP file, up to the first one that is incomplete. */
export const readWebpChunks = (webp: Uint8Array): Generator<WebpChunk> => readChunks(webp.subarray(FILE_HEADER_BYTES));

function* readChunks(bytes: Uint8Array): Generator<WebpChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + CHUNK_HEADER_BYTES <= bytes.length; ) {
    const sizeBytes = view.getUint32(at + 4, true);
    const start = at + CHUNK_HEADER_BYTES;
    if (start + sizeBytes > bytes.length) return;
    yield { type: String.fromCharCode(...bytes.subarray(at, at + 4)), data: bytes.subarray(start, start + sizeBytes) };
    at = start + sizeBytes + (sizeBytes % 2);
  }
}

/** The first frame of an animation. */
export interface WebpFrame {
  /** The frame alone, as a WebP file. */
  readonly webp: Uint8Array<ArrayBuffer>;
  /** The position of its upper left corner in the canvas, in pixels. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly canvas: { readonly width: number; readonly height: number };
}

/** Reads the first frame of an animation from its chunks; undefined if there is none within the canvas. */
export function readFirstFrame(chunks: readonly WebpChunk[]): WebpFrame | undefined {
  const find = (type: string): Buffer | undefined => {
    const found = chunks.find((chunk) => chunk.type === type)?.data;
    return found && Buffer.from(found.buffer, found.byteOffset, found.length);
  };
  const [header, frame] = [find("VP8X"), find("ANMF")];
  if (!header || !frame || header.length < 10 || frame.length < FRAME_HEADER_BYTES) return undefined;
  const canvas = { width: header.readUIntLE(4, 3) + 1, height: header.readUIntLE(7, 3) + 1 };
  const place = { left: 2 * frame.readUIntLE(0, 3), top: 2 * frame.readUIntLE(3, 3) };
  const size = { width: frame.readUIntLE(6, 3) + 1, height: frame.readUIntLE(9, 3) + 1 };
  if (place.left + size.width > canvas.width || place.top + size.height > canvas.height) return undefined;
  const parts = [...readChunks(frame.subarray(FRAME_HEADER_BYTES))].filter(({ type }) => ["ALPH", "VP8 ", "VP8L"].includes(type));
  const profile = chunks.filter(({ type }) => type === "ICCP");
  const extended = Buffer.alloc(10);
  extended[0] = (profile.length > 0 ? 0x20 : 0) | (parts.some(({ type }) => type !== "VP8 ") ? OPACITY_FLAG : 0);
  extended.writeUIntLE(size.width - 1, 4, 3);
  extended.writeUIntLE(size.height - 1, 7, 3);
  return { webp: joinChunks([{ type: "VP8X", data: extended }, ...profile, ...parts]), ...place, ...size, canvas };
}

function joinChunks(chunks: readonly WebpChunk[]): Uint8Array<ArrayBuffer> {
  const body = Buffer.concat(
    chunks.flatMap(({ type, data }) => {
      const header = Buffer.alloc(CHUNK_HEADER_BYTES);
      header.write(type, "latin1");
      header.writeUInt32LE(data.length, 4);
      return [header, data, Buffer.alloc(data.length % 2)];
    }),
  );
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  header.write("RIFF....WEBP", "latin1");
  header.writeUInt32LE(4 + body.length, 4);
  return new Uint8Array(Buffer.concat([header, body]));
}

/** Returns whether no pixel of a WebP image is transparent, according to its chunks. */
export const isOpaque = (webp: Uint8Array): boolean =>
  [...readWebpChunks(webp)].every(
    ({ type, data }) => type !== "VP8L" && type !== "ALPH" && !(type === "VP8X" && ((data[0] ?? 0) & OPACITY_FLAG) !== 0),
  );
