import { fileTypeFromBuffer } from "file-type";
import mime from "mime";
import { findTextEncoding } from "../../lib/text/text-encoding.ts";

/** The number of first bytes that `detectContentType` uses. */
export const SNIFF_BYTES = 4100;

export interface ContentTypeHints {
  /** The media type that the client sent. */
  readonly declared: string | null | undefined;
  readonly name: string;
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,100}$/;
/** The media type of unknown bytes. */
export const UNKNOWN_TYPE = "application/octet-stream";
const TEXT = "text/plain";
const XML = "application/xml";
/** Formats with a signature whose files can be texts. Words can begin like the signatures of others, such as `BM` and `MZ`. */
const TEXT_FORMATS = /^(?:text\/.+|application\/(?:pdf|postscript|eps|rtf|xml|pgp-encrypted|x-ms-regedit))$/;

/** What programs declare for any file: of the bytes, or of the request that they usually send. */
const UNDECLARED = new Set([
  "",
  UNKNOWN_TYPE,
  "binary/octet-stream",
  "application/x-www-form-urlencoded",
  "application/unknown",
  "application/x-unknown",
  "application/force-download",
  "application/download",
  "application/x-download",
]);

/** Extensions of text files that lists of media types assign to video, Keynote, Publisher, Word and others, or do not know. */
const TEXT_EXTENSIONS = /\.(?:[cm]?ts|tsx|cjs|rs|key|pub|py|go|rb|bat|cmd|org|dot|pot|tpl|cu|ac|vhd|pem|crt|asc|sig|dist|dump|deploy)$/i;

/** Returns the media type of a file whose bytes have not arrived: the type that the client sent. */
export const declaredType = (type: string | null | undefined): string => type?.slice(0, 200) || UNKNOWN_TYPE;

/**
 * Detects a file's media type from its first bytes, otherwise from the declaration, otherwise from its name (uploads, "Name and type"). Text with the
 * extension of source code or a key is text. The result is never trusted for rendering.
 */
export async function detectContentType(head: Uint8Array, { declared, name }: ContentTypeHints): Promise<string> {
  const isText = findTextEncoding(head) !== undefined;
  const isSource = isText && TEXT_EXTENSIONS.test(name);
  const byName = mime.getType(name);
  const sniffed = head.length > 0 ? await fileTypeFromBuffer(head) : undefined;
  const [mediaType = ""] = (declared ?? "").split(";");
  const cleaned = mediaType.trim().toLowerCase();
  if (sniffed?.mime === XML) return [cleaned, byName ?? ""].find(isKindOfXml) ?? XML;
  if (sniffed && (!isText || TEXT_FORMATS.test(sniffed.mime) || (!isSource && sniffed.mime === byName))) return sniffed.mime;
  const isDeclared = MEDIA_TYPE.test(cleaned) && !UNDECLARED.has(cleaned) && (isText || cleaned !== TEXT);
  if (isDeclared && (!isSource || cleaned.startsWith("text/"))) return cleaned;
  return isSource ? TEXT : (byName ?? (isText ? TEXT : UNKNOWN_TYPE));
}

/** Returns whether a type is a kind of XML, such as `image/svg+xml`, whose first bytes only show that they are XML. */
const isKindOfXml = (type: string): boolean => MEDIA_TYPE.test(type) && type.endsWith("+xml");
