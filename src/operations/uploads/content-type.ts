import { fileTypeFromBuffer } from "file-type";
import mime from "mime";

/** How many first bytes are enough to tell a type. */
export const SNIFF_BYTES = 4100;

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,100}$/;
const UNKNOWN = "application/octet-stream";

/** Extensions of text files that lists of media types give to video, Keynote, Publisher and others, or do not know. */
const TEXT_EXTENSIONS = /\.(?:[cm]?ts|tsx|rs|key|pub|py|go|rb)$/i;
const MPEG_STREAM = "video/mp2t";

/**
 * A file's type: from its bytes, else as sent, else by its name (decisions, "Uploads"). A name that means source code or a key is text where its
 * bytes are, whatever a list of types calls it. Never trusted for rendering.
 */
export async function detectContentType(
  head: Uint8Array,
  { sent, name }: { sent: string | null | undefined; name: string },
): Promise<string> {
  const isText = TEXT_EXTENSIONS.test(name) && looksLikeText(head);
  const sniffed = head.length > 0 ? await fileTypeFromBuffer(head) : undefined;
  // A stream is known by two bytes `G`, which a text can have in those places too.
  if (sniffed && !(isText && sniffed.mime === MPEG_STREAM)) return sniffed.mime;
  const [media = ""] = (sent ?? "").split(";");
  const cleaned = media.trim().toLowerCase();
  if (MEDIA_TYPE.test(cleaned) && cleaned !== UNKNOWN && (!isText || cleaned.startsWith("text/"))) return cleaned;
  return isText ? "text/plain" : (mime.getType(name) ?? UNKNOWN);
}

/** Whether there are no control characters but tabs, line ends, form feeds and escapes. */
const looksLikeText = (head: Uint8Array): boolean =>
  head.every((byte) => (byte >= 0x20 ? byte !== 0x7f : (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b));
