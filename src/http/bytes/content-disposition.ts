import { encodeExtended, format } from "content-disposition";
import { createLru } from "../../lib/concurrency/lru.ts";
import { toSafeSegment } from "../../lib/text/safe-segment.ts";

/** Characters with a meaning in a shell, and slashes, which would create folders. */
const FORBIDDEN = /[/'`$;&!#~]|^-/g;

/** A cache of headers, because popular files are downloaded repeatedly and a header takes a tenth of the time of a small download. */
const recent = createLru<string, { readonly header: string }>(1024);

/**
 * Returns the header `Content-Disposition` with the exact name and, for programs such as `curl -OJ`, a transliterated ASCII name that is safe in a
 * shell and on every file system (downloads, "Signed URLs").
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

/** Transliterates a name to ASCII. The tables of all scripts are loaded with the first name that requires them. */
async function transliterate(name: string): Promise<string> {
  if (/^\p{ASCII}*$/u.test(name)) return name;
  const { default: anyAscii } = await import("any-ascii");
  return anyAscii(name);
}
