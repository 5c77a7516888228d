import { encodeExtended, format } from "content-disposition";
import { createLru } from "../../lib/concurrency/lru.ts";
import { toSafeSegment } from "../../lib/text/safe-segment.ts";

/** Characters with a meaning in a shell, and slashes, which would make folders. */
const FORBIDDEN = /[/'`$;&!#~]|^-/g;

/** Popular files are downloaded again and again, and a header takes a tenth of the time of a small download. */
const recent = createLru<string, { readonly header: string }>(1024);

/**
 * The header `Content-Disposition` (downloads, "Signed URLs"): the name as it is, and before it one in ASCII for programs that know no other, such
 * as `curl -OJ`: transliterated, and safe in a shell and on every file system.
 */
export async function contentDisposition(name: string, type: "attachment" | "inline"): Promise<string> {
  const key = `${type} ${name}`;
  const known = recent.get(key);
  if (known) return known.header;
  const ascii = (await transliterate(name)).replace(FORBIDDEN, "_").replace(/[^\x20-\x7e]/g, "_");
  const filename = toSafeSegment(ascii);
  const header = format({ type, parameters: { filename: filename || "file", "filename*": encodeExtended(name) } }, { extended: false });
  recent.set(key, { header });
  return header;
}

/** The tables of all scripts are loaded with the first name that needs them. */
async function transliterate(name: string): Promise<string> {
  if (/^\p{ASCII}*$/u.test(name)) return name;
  const { default: anyAscii } = await import("any-ascii");
  return anyAscii(name);
}
