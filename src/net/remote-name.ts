import { parse } from "content-disposition";

/** Returns the name of a remote file: from Content-Disposition, otherwise from the final URL, otherwise from the requested URL. */
export function readRemoteName(disposition: string | undefined, urls: readonly URL[]): string {
  const named = disposition === undefined ? undefined : fromDisposition(disposition);
  if (named) return named;
  const names = urls.map(lastSegment);
  return names.find(hasExtension) ?? names.find((name) => name !== "") ?? "";
}

/** Returns whether the server declares the response a file to save, not a page. */
export const isAttachment = (disposition: string | undefined): boolean => /^\s*attachment\b/i.test(disposition ?? "");

/** Returns the last segment of a URL's path, decoded; empty if the path ends in a slash. */
export function lastSegment(url: URL): string {
  const segment = url.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const hasExtension = (name: string): boolean => /.\.\w{1,10}$/.test(name);

function fromDisposition(header: string): string | undefined {
  const { filename } = readParameters(header);
  return filename === undefined || filename === "" ? undefined : readUtf8(filename);
}

function readParameters(header: string): Readonly<Record<string, string>> {
  try {
    return parse(header).parameters;
  } catch {
    const [, quoted, bare] = /\bfilename\s*=\s*(?:"([^"]*)"|([^;]*))/i.exec(header) ?? [];
    return { filename: (quoted ?? bare ?? "").trim() };
  }
}

/** Decodes valid UTF-8 in a header, because many servers send it although headers are Latin-1. */
function readUtf8(text: string): string {
  if (/[^\p{ASCII}\u0080-\u00ff]/u.test(text) || !/[\u0080-\u00ff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}
