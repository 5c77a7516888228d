/** @jsxImportSource preact */
import type { SponsorTexts } from "./texts/en.ts";

/** The path of the sponsor's document, from the site's root. */
export const SPONSOR_PATH = "/assets/sponsor.html";

/** Renders the sponsor below a share: a sandboxed frame with the sponsor's document. */
export function Sponsor({ texts: { label } }: { readonly texts: SponsorTexts }) {
  return (
    <aside class="sponsor" aria-labelledby="sponsor">
      <p class="quiet" id="sponsor">
        {label}
      </p>
      <iframe src={SPONSOR_PATH} title={label} sandbox="allow-popups allow-popups-to-escape-sandbox" />
    </aside>
  );
}

/** The fonts of the page around the frame, which make a plain fragment look the same. */
const STYLE =
  "body{margin:0;font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif;overflow-wrap:anywhere}" +
  "img{max-width:100%;height:auto}";

/** Renders the sponsor's document around the administrator's HTML fragment, which is not changed. Links open in new windows. */
export function renderSponsor(html: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Sponsor</title><base target="_blank"><style>${STYLE}</style></head><body>${html}</body></html>`;
}
