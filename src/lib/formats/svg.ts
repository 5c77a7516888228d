const NAMESPACE = "http://www.w3.org/2000/svg";
/** A part that may precede the root: a declaration, a comment, a document type. */
const PROLOG_PART = /\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^[>]*(?:\[.*?\]\s*)?>/isy;
const ROOT = /<(?:[\w.-]+:)?svg(?=[\s/>])[^>]*>/y;
const END = /<\/(?:[\w.-]+:)?svg\s*>/;

/** Returns whether bytes appear to be an SVG image, by their root and their end, in UTF-8 or another encoding that contains ASCII. */
export function isSvg(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  let start = 0;
  do {
    PROLOG_PART.lastIndex = start;
    const part = PROLOG_PART.exec(text);
    if (part === null) break;
    start = PROLOG_PART.lastIndex;
  } while (start < text.length);
  ROOT.lastIndex = start;
  const root = ROOT.exec(text)?.[0];
  return root !== undefined && text.includes(NAMESPACE) && (root.endsWith("/>") || END.test(text));
}
