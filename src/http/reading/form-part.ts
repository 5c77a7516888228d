import { parseParameters, trimSpaces } from "../../lib/http/parameters.ts";
import { decodeExtended, decodeName } from "../../lib/text/decode-name.ts";

/** What the head of a form's part says (RFC 7578, 4). */
export interface FormPartHead {
  /** The name of the field, which is never empty. */
  readonly field: string;
  /** The sent file name; undefined if the part has none, empty if no file was chosen in a browser. */
  readonly fileName: string | undefined;
  /** The media type in lower case, without parameters; undefined if none is declared. */
  readonly type: string | undefined;
  /** The character set that the part declares. */
  readonly charset: string | undefined;
}

/** Reads the head of a part. Undefined if it is malformed, not one of a form, has no name of a field, or encodes the content. */
export function parsePartHead(head: Uint8Array): FormPartHead | undefined {
  // Each byte is a character: names can have any encoding.
  const lines = parseLines(Buffer.from(head).toString("latin1"));
  const disposition = lines && parseParameters(lines.get("content-disposition") ?? "");
  if (!lines || disposition?.value !== "form-data") return undefined;
  const type = parseParameters(lines.get("content-type") ?? "");
  const field = findName(disposition.parameters, "name");
  const fileName = findName(disposition.parameters, "filename");
  if (!type || !field || fileName === null || isEncoded(lines.get("content-transfer-encoding"))) return undefined;
  return { field, fileName, type: type.value || undefined, charset: type.parameters.get("charset") };
}

/** Returns the lines by name; undefined if one is malformed or repeated, because readers differ in which line they use. */
function parseLines(text: string): ReadonlyMap<string, string> | undefined {
  const lines = new Map<string, string>();
  const unfolded = text.replace(/\r\n[ \t]+/g, " ");
  for (const line of unfolded.split("\r\n")) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n\0]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || lines.has(name.toLowerCase())) return undefined;
    lines.set(name.toLowerCase(), trimSpaces(value));
  }
  return lines;
}

/** A name, or its extended form (RFC 8187), which takes precedence. Undefined if it is missing, null if it is malformed. */
function findName(parameters: ReadonlyMap<string, string>, name: string): string | undefined | null {
  const extended = parameters.get(`${name}*`);
  if (extended !== undefined) return decodeExtended(extended) ?? null;
  const sent = parameters.get(name);
  return sent === undefined ? undefined : decodeName(Buffer.from(sent, "latin1"));
}

/** Returns whether the content is encoded and not the bytes of the file. No known program sends encoded parts (RFC 7578, 4.7). */
const isEncoded = (encoding: string | undefined): boolean => encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(encoding);
