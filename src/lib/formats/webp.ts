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
