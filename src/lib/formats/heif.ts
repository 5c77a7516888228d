/** The boxes of HEIF files, of which HEIC and AVIF are kinds (ISO/IEC 14496-12 and 23008-12). */
interface Box {
  readonly type: string;
  readonly data: Buffer;
}

/** What the properties of a HEIF file's primary image say about it. */
export interface HeifProperties {
  /** The counterclockwise turn in degrees. */
  readonly turnedDegrees: number;
  /** The axis at which the image is mirrored after the turn: upside down, or left to right. */
  readonly mirrored: "vertically" | "horizontally" | undefined;
  /** The ICC profile of its colors. */
  readonly profile: Uint8Array | undefined;
}

export interface HeifBrands {
  readonly codec: "avif" | "heic";
  readonly isAnimated: boolean;
}

/** Returns the kind of a HEIF file according to its brands; undefined for other files. */
export function readHeifBrands(bytes: Uint8Array): HeifBrands | undefined {
  const [first] = readBoxes(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)));
  if (first?.type !== "ftyp") return undefined;
  const brands = first.data.toString("latin1").match(/.{4}/gs) ?? [];
  const includes = (...names: readonly string[]): boolean => brands.some((brand) => names.includes(brand));
  const isAnimated = includes("avis", "hevc", "hevx", "msf1");
  if (includes("avif", "avis")) return { codec: "avif", isAnimated };
  return includes("heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1") ? { codec: "heic", isAnimated } : undefined;
}

const UNCHANGED: HeifProperties = { turnedDegrees: 0, mirrored: undefined, profile: undefined };

/** Reads the properties of the primary image. Those of a damaged file may be missing. */
export function readHeifProperties(bytes: Uint8Array): HeifProperties {
  const meta = find(readBoxes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)), "meta");
  const inMeta = meta ? readBoxes(meta.subarray(4)) : [];
  const primary = find(inMeta, "pitm");
  const properties = readBoxes(find(inMeta, "iprp") ?? Buffer.alloc(0));
  const associations = find(properties, "ipma");
  if (!primary || !associations || primary.length < 6) return UNCHANGED;
  const primaryId = primary[0] === 0 ? primary.readUInt16BE(4) : primary.readUIntBE(4, Math.min(4, primary.length - 4));
  const all = readBoxes(find(properties, "ipco") ?? Buffer.alloc(0));
  const own = listAssociated(associations, primaryId).flatMap((index) => all[index - 1] ?? []);
  const mirror = find(own, "imir")?.[0];
  const profile = own.find(({ type, data }) => type === "colr" && ["prof", "rICC"].includes(data.toString("latin1", 0, 4)));
  return {
    turnedDegrees: 90 * ((find(own, "irot")?.[0] ?? 0) & 3),
    mirrored: mirror === undefined ? undefined : (mirror & 1) === 0 ? "vertically" : "horizontally",
    profile: profile?.data.subarray(4),
  };
}

const find = (boxes: readonly Box[], type: string): Buffer | undefined => boxes.find((box) => box.type === type)?.data;

/** Reads boxes up to the first one that is incomplete. */
function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= bytes.length;
    const sizeBytes = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short;
    const start = at + (isLong ? 16 : 8);
    if (at + sizeBytes < start || at + sizeBytes > bytes.length) break;
    boxes.push({ type: bytes.toString("latin1", at + 4, at + 8), data: bytes.subarray(start, at + sizeBytes) });
    at += sizeBytes;
  }
  return boxes;
}

/** Lists the numbers, from 1, of the properties of an image. */
function listAssociated(ipma: Buffer, imageId: number): readonly number[] {
  if (ipma.length < 8) return [];
  const idBytes = ipma[0] === 0 ? 2 : 4;
  const indexBytes = ((ipma[3] ?? 0) & 1) === 0 ? 1 : 2;
  let at = 8;
  for (let left = ipma.readUInt32BE(4); left > 0 && at + idBytes < ipma.length; left--) {
    const id = ipma.readUIntBE(at, idBytes);
    const count = ipma[at + idBytes] ?? 0;
    at += idBytes + 1;
    if (at + count * indexBytes > ipma.length) return [];
    // The highest bit says whether a reader must know the property.
    const mask = indexBytes === 1 ? 0x7f : 0x7fff;
    if (id === imageId) return Array.from({ length: count }, (_, index) => ipma.readUIntBE(at + index * indexBytes, indexBytes) & mask);
    at += count * indexBytes;
  }
  return [];
}
