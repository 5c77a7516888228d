import { fileTypeFromBuffer } from "file-type";
import mime from "mime";

/** The number of first bytes that `detectContentType` uses. */
export const SNIFF_BYTES = 4100;

export interface ContentTypeHints {
  /** The media type that the client sent. */
  readonly declared: string | null | undefined;
  readonly name: string;
  /** Whether text becomes `text/plain` if neither the client nor the name gives a type. */
  readonly sniffsText?: boolean;
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,100}$/;
/** The media type of unknown bytes. */
export const UNKNOWN_TYPE = "application/octet-stream";
const TEXT = "text/plain";
const XML = "application/xml";
const MPEG_STREAM = "video/mp2t";

/** Extensions of text files that lists of media types do not know, or assign to video, Keynote, Publisher and others. */
const TEXT_EXTENSIONS = /\.(?:[cm]?ts|tsx|rs|key|pub|py|go|rb)$/i;

/** Returns the media type of a file whose bytes have not arrived: the type that the client sent. */
export const declaredType = (type: string | null | undefined): string => type?.slice(0, 200) || UNKNOWN_TYPE;

/**
 * Detects a file's media type from its first bytes, otherwise from the declaration, otherwise from its name (uploads, "Name and type"). Text with the
 * extension of source code or a key is text. The result is never trusted for rendering.
 */
export async function detectContentType(head: Uint8Array, { declared, name, sniffsText = false }: ContentTypeHints): Promise<string> {
  const isText = TEXT_EXTENSIONS.test(name) && looksLikeText(head);
  const sniffed = head.length > 0 ? await fileTypeFromBuffer(head) : undefined;
  // The signature of an MPEG stream is the letter `G` at two offsets, which text can also contain.
  const isMisread = isText && sniffed?.mime === MPEG_STREAM;
  const [mediaType = ""] = (declared ?? "").split(";");
  const cleaned = mediaType.trim().toLowerCase();
  if (sniffed?.mime === XML) return [cleaned, mime.getType(name) ?? ""].find(isKindOfXml) ?? XML;
  if (sniffed && !isMisread) return sniffed.mime;
  if (MEDIA_TYPE.test(cleaned) && cleaned !== UNKNOWN_TYPE && (!isText || cleaned.startsWith("text/"))) return cleaned;
  if (isText) return TEXT;
  return mime.getType(name) ?? (sniffsText && cleaned === "" && looksLikeText(head) ? TEXT : UNKNOWN_TYPE);
}

/** Returns whether a type is a kind of XML, such as `image/svg+xml`, whose first bytes only show that they are XML. */
const isKindOfXml = (type: string): boolean => MEDIA_TYPE.test(type) && type.endsWith("+xml");

/** Returns whether the bytes contain no control characters except tabs, line ends, form feeds and escapes. */
const looksLikeText = (head: Uint8Array): boolean =>
  head.every((byte) => (byte >= 0x20 ? byte !== 0x7f : (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b));
