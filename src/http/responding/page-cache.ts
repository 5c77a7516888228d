import type { Encoding } from "./compress.ts";
import { compressText, type EncodedText } from "./compress.ts";

/** Maximum number of cached pages. A page of a share has about 9 KB, and less than half of that compressed. */
const MAX_PAGES = 1000;

/** A rendered page with its headers, in the encodings that clients asked for. */
export interface CachedPage {
  readonly headers: Readonly<Record<string, string>>;
  encode(encoding: Encoding | undefined): Promise<EncodedText>;
}

/** A cache of rendered pages. The key contains everything that a page is rendered from, so a cached page is never outdated. */
export interface PageCache {
  /** Returns the page of the key, or renders it. */
  get(key: string, render: () => { readonly html: string; readonly headers: CachedPage["headers"] }): CachedPage;
}

export function createPageCache(): PageCache {
  const pages = new Map<string, CachedPage>();
  return {
    get(key, render) {
      const known = pages.get(key);
      if (known) return known;
      const { html, headers } = render();
      const page = { headers, encode: keepEncodings(html) };
      const [oldest] = pages.keys();
      if (pages.size >= MAX_PAGES && oldest !== undefined) pages.delete(oldest);
      pages.set(key, page);
      return page;
    },
  };
}

function keepEncodings(html: string): CachedPage["encode"] {
  const bytes = new TextEncoder().encode(html);
  const encoded = new Map<Encoding | undefined, Promise<EncodedText>>();
  return (encoding) => {
    const known = encoded.get(encoding) ?? compressText(bytes, encoding);
    encoded.set(encoding, known);
    return known;
  };
}
