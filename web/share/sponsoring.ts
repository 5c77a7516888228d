import { renderSponsor } from "./sponsor.tsx";

/** Serves the sponsor's document, which share pages show in a frame. */
export function sponsorDocument(html: string): () => Response {
  const body = renderSponsor(html);
  return () => new Response(body, { headers: SPONSOR_HEADERS });
}

/**
 * Headers that sandbox the document wherever it is opened: without origin, scripts or forms. They allow inline styles, external images and links in
 * new windows.
 */
const SPONSOR_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "public, max-age=300",
  "Content-Security-Policy":
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  "Referrer-Policy": "no-referrer",
};
