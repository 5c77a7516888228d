/** @jsxImportSource preact */

/** Where the sponsor's document is served, from the site's root. */
export const SPONSOR_PATH = "/assets/sponsor.html";

const LABEL = "From this server’s sponsor";

/** What stands below a share: a document of its own in a frame, which can do nothing here. */
export function Sponsor() {
  return (
    <aside class="sponsor" aria-labelledby="sponsor">
      <p class="quiet" id="sponsor">
        {LABEL}
      </p>
      <iframe src={SPONSOR_PATH} title={LABEL} sandbox="allow-popups allow-popups-to-escape-sandbox" />
    </aside>
  );
}

/** As the page around it, so that a plain fragment looks right, light or dark; links leave the frame. */
const STYLE =
  "body{margin:0;font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif;overflow-wrap:anywhere}" +
  "img{max-width:100%;height:auto}";

/** The whole document round an operator's fragment of HTML, which is taken as it is. */
export function renderSponsor(html: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${LABEL}</title><base target="_blank"><style>${STYLE}</style></head><body>${html}</body></html>`;
}
