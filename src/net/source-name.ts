import { parseParameters } from "../lib/http/parameters.ts";
import { decodeExtended, decodeName, decodePercentCodes } from "../lib/text/decode-name.ts";

/** Returns the name of a remote file: from Content-Disposition, otherwise from the final URL, otherwise from the requested URL. */
export function readSourceName(disposition: string | undefined, urls: readonly URL[]): string {
  const named = disposition === undefined ? undefined : fromDisposition(disposition);
  if (named) return named;
  const names = urls.map(lastSegment);
  return names.find(hasExtension) ?? names.find((name) => name !== "") ?? "";
}

/** Returns whether the server declares the response a file to save, not a page. */
export const isAttachment = (disposition: string | undefined): boolean => /^\s*attachment\b/i.test(disposition ?? "");

/** The last segment of a URL's path, decoded; empty if the path ends in a slash. */
export const lastSegment = (url: URL): string => decodePercentCodes(url.pathname.split("/").at(-1) ?? "");

const hasExtension = (name: string): boolean => /.\.\w{1,10}$/.test(name);

/** The exact name (`filename*`), otherwise `filename`, whose bytes are characters of Latin-1 in a header, whatever they encode. */
function fromDisposition(header: string): string | undefined {
  const parameters = parseParameters(header)?.parameters;
  const exact = decodeExtended(parameters?.get("filename*") ?? "");
  if (exact) return exact;
  const name = parameters?.get("filename") ?? readMalformed(header);
  return /[^\0-\xff]/.test(name) ? name : decodeName(Buffer.from(name, "latin1"));
}

function readMalformed(header: string): string {
  const [, quoted, bare] = /\bfilename\s*=\s*(?:"([^"]*)"|([^;]*))/i.exec(header) ?? [];
  return (quoted ?? bare ?? "").trim();
}
