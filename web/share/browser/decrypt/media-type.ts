/** The formats of decrypted files that browsers show without running anything in them. SVG and HTML are shown as texts. */
import { findTextEncoding } from "../../../../src/lib/text/text-encoding.ts";

export type DecryptedKind = "image" | "audio" | "video" | "pdf" | "text";

export interface DecryptedType {
  readonly kind: DecryptedKind;
  /** The media type, which the content has and its name does not decide. */
  readonly type: string;
}

/** The first bytes of formats, as text of one character for each byte; `?` is any byte. */
const SIGNATURES: readonly (readonly [signature: string, kind: DecryptedKind, type: string])[] = [
  ["\x89PNG\r\n\x1a\n", "image", "image/png"],
  ["\xff\xd8\xff", "image", "image/jpeg"],
  ["GIF87a", "image", "image/gif"],
  ["GIF89a", "image", "image/gif"],
  ["RIFF????WEBP", "image", "image/webp"],
  ["????ftypavif", "image", "image/avif"],
  ["????ftypavis", "image", "image/avif"],
  ["\0\0\x01\0", "image", "image/x-icon"],
  ["%PDF-", "pdf", "application/pdf"],
  ["RIFF????WAVE", "audio", "audio/wav"],
  ["fLaC", "audio", "audio/flac"],
  ["ID3", "audio", "audio/mpeg"],
  ["????ftypM4A", "audio", "audio/mp4"],
  ["????ftypM4B", "audio", "audio/mp4"],
  ["????ftypqt", "video", "video/quicktime"],
  ["????ftypheic", "text", ""],
  ["????ftypmif1", "text", ""],
  ["????ftyp", "video", "video/mp4"],
  ["\x1aE\xdf\xa3", "video", "video/webm"],
  ["OggS", "audio", "audio/ogg"],
];
/** Formats whose signature is short, so that the extension must fit too. */
const BY_EXTENSION: readonly (readonly [extension: RegExp, signature: RegExp, kind: DecryptedKind, type: string])[] = [
  [/\.mp3$/i, /^\xff[\xe0-\xff]/, "audio", "audio/mpeg"],
  [/\.aac$/i, /^\xff[\xf0-\xff]/, "audio", "audio/aac"],
  [/\.bmp$/i, /^BM/, "image", "image/bmp"],
  [/\.og[vx]$/i, /^OggS/, "video", "video/ogg"],
];

/** Finds the format of a decrypted file from its first bytes; undefined if browsers do not show it. */
export function findDecryptedType(beginning: Uint8Array, name: string): DecryptedType | undefined {
  const start = String.fromCharCode(...beginning.subarray(0, 16));
  for (const [extension, signature, kind, type] of BY_EXTENSION) if (extension.test(name) && signature.test(start)) return { kind, type };
  const found = SIGNATURES.find(
    ([signature]) => start.length >= signature.length && [...signature].every((one, at) => one === "?" || one === start[at]),
  );
  if (found) return found[2] === "" ? undefined : { kind: found[1], type: found[2] };
  const isText = beginning.length > 0 && findTextEncoding(beginning.subarray(0, 4096)) !== undefined;
  return isText ? { kind: "text", type: "text/plain" } : undefined;
}
