const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Size of the signature and the chunk `IHDR`, with which each image begins. */
const HEADER_BYTES = SIGNATURE.length + 25;
/** Size of the length, type and checksum of a chunk. */
const AROUND_CHUNK_BYTES = 12;

/** Returns the size of a PNG image in pixels, from its header; undefined if there is no valid header, or the bytes end before the image. */
export function readPngSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  if (bytes.length < HEADER_BYTES || SIGNATURE.some((byte, index) => bytes[index] !== byte)) return undefined;
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
