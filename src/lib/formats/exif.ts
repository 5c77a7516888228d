const ORIENTATION_TAG = 0x0112;
const ENTRY_BYTES = 12;
const PREFIX = "Exif\0\0";

/** Returns the orientation (1 to 8) that EXIF data name, with or without the prefix that JPEG requires; 1 if they are invalid or name none. */
export function readExifOrientation(exif: Uint8Array): number {
  const hasPrefix = String.fromCharCode(...exif.subarray(0, PREFIX.length)) === PREFIX;
  const tiff = hasPrefix ? exif.subarray(PREFIX.length) : exif;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (tiff.length < 8) return 1;
  const isLittle = view.getUint16(0) === 0x4949;
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > tiff.length) return 1;
  const count = view.getUint16(directory, isLittle);
  for (let index = 0; index < count; index++) {
    const at = directory + 2 + index * ENTRY_BYTES;
    if (at + ENTRY_BYTES > tiff.length) return 1;
    if (view.getUint16(at, isLittle) !== ORIENTATION_TAG) continue;
    const value = view.getUint16(at + 8, isLittle);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
