import type { Pixels } from "../../lib/formats/png.ts";

/** Keeps the messages of a decoder from the standard output, which has the images. */
const SILENT = { print: () => undefined, printErr: () => undefined };

/** Decodes an AVIF image, without its turn. Throws if it is damaged. */
export async function decodeAvif(bytes: Uint8Array<ArrayBuffer>): Promise<Pixels> {
  const [{ default: create }, { default: path }] = await Promise.all([
    import("@jsquash/avif/codec/dec/avif_dec.js"),
    import("@jsquash/avif/codec/dec/avif_dec.wasm", { with: { type: "file" } }),
  ]);
  const program = new WebAssembly.Module(await Bun.file(path).arrayBuffer());
  const decoder = await create({
    ...SILENT,
    noInitialRun: true,
    instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(program, imports);
      receive(instance);
      return instance.exports;
    },
  });
  const image = decoder.decode(bytes, 8);
  if (!image) throw new Error("The AVIF image cannot be decoded.");
  return { width: image.width, height: image.height, rgba: toBytes(image.data) };
}

/** The part of libheif that its type declarations leave out. */
interface HeicLibrary {
  readonly HeifDecoder: new () => { decode(bytes: Uint8Array): readonly HeicImage[] };
}

interface HeicImage {
  is_primary(): boolean;
  get_width(): number;
  get_height(): number;
  /** Draws the image into `target`, and passes it on, or null if the image is damaged. */
  display(target: DrawnImage, receive: (drawn: DrawnImage | null) => void): void;
}

interface DrawnImage {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Decodes the primary image of a HEIC file, turned as its properties say. Throws if it is damaged. */
export async function decodeHeic(bytes: Uint8Array<ArrayBuffer>): Promise<Pixels> {
  const [{ default: create }, { default: path }] = await Promise.all([
    import("libheif-js/libheif-wasm/libheif.js"),
    import("libheif-js/libheif-wasm/libheif.wasm", { with: { type: "file" } }),
  ]);
  const library = create({ ...SILENT, wasmBinary: await Bun.file(path).arrayBuffer() }) as unknown as HeicLibrary;
  const images = new library.HeifDecoder().decode(bytes);
  const image = images.find((candidate) => candidate.is_primary()) ?? images[0];
  if (!image) throw new Error("The HEIC file has no image.");
  const [width, height] = [image.get_width(), image.get_height()];
  const drawn = await new Promise<DrawnImage | null>((resolve) => {
    image.display({ data: new Uint8ClampedArray(width * height * 4), width, height }, resolve);
  });
  if (!drawn) throw new Error("The HEIC image cannot be decoded.");
  return { width, height, rgba: toBytes(drawn.data) };
}

const toBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength);
