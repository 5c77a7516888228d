const NAMESPACE = "http://www.w3.org/2000/svg";
/** What may precede the root: declarations, comments, a document type. */
const PROLOG_PART = /\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^[>]*(?:\[.*?\]\s*)?>/isy;
const ROOT = /<(?:[\w.-]+:)?svg(?=[\s/>])[^>]*>/y;
const END = /<\/(?:[\w.-]+:)?svg\s*>/;

/** Whether bytes are an SVG image in UTF-8 or another encoding that contains ASCII, as far as its root and its end tell. */
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
