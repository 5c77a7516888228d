import { fileTypeFromBuffer } from "file-type";
import mime from "mime";

/** How many first bytes are enough to tell a type. */
export const SNIFF_BYTES = 4100;

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,100}$/;
const UNKNOWN = "application/octet-stream";

/** A file's type: from its bytes, else as sent, else by its name (decisions, "Uploads"). Never trusted for rendering. */
export async function detectContentType(
  head: Uint8Array,
  { sent, name }: { sent: string | null | undefined; name: string },
): Promise<string> {
  const sniffed = head.length > 0 ? await fileTypeFromBuffer(head) : undefined;
  if (sniffed) return sniffed.mime;
  const [media = ""] = (sent ?? "").split(";");
  const cleaned = media.trim().toLowerCase();
  if (MEDIA_TYPE.test(cleaned) && cleaned !== UNKNOWN) return cleaned;
  return mime.getType(name) ?? UNKNOWN;
}
