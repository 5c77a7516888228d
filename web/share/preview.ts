import { contentDisposition } from "../../src/http/bytes/content-disposition.ts";
import { signedQuery } from "../../src/http/bytes/download.ts";
import { bytesHeaders, etagOf, preconditionFailed, selectBytes, sendBytes } from "../../src/http/bytes/send-bytes.ts";
import { readConditions } from "../../src/http/reading/request-headers.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { bufferStream } from "../../src/http/responding/respond.ts";
import { respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { fileNotFound } from "../../src/service/downloads/download-rules.ts";
import { openEncrypted, openPreview, type Preview } from "../../src/service/downloads/open-preview.ts";
import { PREVIEW_PATH, REDUCED_PARAMETER } from "../../src/service/downloads/preview-url.ts";
import { findReducedImage, readPreviewText, readPreviewZip } from "../../src/service/downloads/read-preview.ts";
import { DOCUMENT_SANDBOX, PDF_SANDBOX } from "../preview/preview.tsx";
import { renderDecryptedPreview, renderPdfPreview, renderZipPreview } from "../preview/preview-document.tsx";
import { ASSETS_PATH } from "../site/assets.ts";

/**
 * Handles `GET /pv/:fileId/:name`: sends the bytes of an image, a sound, a video or a PDF for the element that shows them (previews, "Signed URLs"),
 * always through this server. Throws what `openPreview` throws, RANGE_NOT_SATISFIABLE and PRECONDITION_FAILED.
 */
export async function sendPreviewBytes(c: HttpContext): Promise<Response> {
  const { file, kind } = await open(c);
  if (kind === "text" || kind === "markdown" || kind === "zip") throw fileNotFound();
  if (kind === "image" && c.env.url.searchParams.has(REDUCED_PARAMETER)) return await sendReducedImage(c, file);
  const selection = selectBytes(c, readConditions(c), file);
  if (selection.status === 412) throw preconditionFailed(etagOf(file));
  // Only an image element or a player shows the other kinds. Opened alone, an SVG or a PDF is downloaded.
  const isPlain = kind !== "pdf" && !file.content_type.startsWith("image/svg");
  const headers = bytesHeaders(file, selection, await contentDisposition(file.name, isPlain ? "inline" : "attachment"));
  if (!isPlain)
    headers.set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:");
  if (c.req.method === "HEAD" || selection.status === 304) return new Response(null, { status: selection.status, headers });
  return await sendBytes(c, { file, selection, headers });
}

/**
 * Handles `GET /d/:shortId/encrypted/:fileId`: sends the bytes of an encrypted file, or a range of them, to the script of the page, which decrypts
 * them for a preview (encryption, "Previews of decrypted files"). Throws what `openEncrypted` throws, and RANGE_NOT_SATISFIABLE.
 */
export async function sendPreviewedBytes(c: HttpContext): Promise<Response> {
  const file = await openEncrypted(c.env.ctx, { fileId: c.req.param("fileId") ?? "", query: signedQuery(c.req.url) });
  const selection = selectBytes(c, readConditions(c), file);
  if (selection.status === 412) throw preconditionFailed(etagOf(file));
  const headers = bytesHeaders(file, selection, await contentDisposition(file.name, "attachment"));
  if (c.req.method === "HEAD" || selection.status === 304) return new Response(null, { status: selection.status, headers });
  return await sendBytes(c, { file, selection, headers });
}

/** Handles `GET /decrypted-preview`: sends the frame in which the page shows what it has decrypted, in a sandbox without an origin. */
export async function showDecryptedFrame(c: HttpContext): Promise<Response> {
  const assets = `*:*${ASSETS_PATH}`;
  const sources = `script-src ${assets}; style-src ${assets}; img-src blob: data:; media-src blob:; connect-src blob:; font-src data:`;
  return await respondPage(c, {
    html: renderDecryptedPreview(pageContext(c)),
    headers: {
      "Content-Security-Policy": `sandbox ${PDF_SANDBOX}; default-src 'none'; ${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'self', default-src 'self' data: blob:`,
      "Referrer-Policy": "no-referrer",
    },
  });
}

/** Sends the reduced image of a large image (previews, "Images"). Throws NOT_FOUND without one. */
async function sendReducedImage(c: HttpContext, file: Preview["file"]): Promise<Response> {
  const image = findReducedImage(c.env.ctx, file);
  if (!image) throw fileNotFound();
  const body = c.req.method === "HEAD" ? null : await bufferStream(image.read(), image.sizeBytes);
  return new Response(body, {
    headers: {
      "Content-Type": "image/webp",
      "Content-Length": String(image.sizeBytes),
      "Content-Disposition": "inline",
      "Cache-Control": "private, no-store",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Referrer-Policy": "no-referrer",
      "Cross-Origin-Resource-Policy": "cross-origin",
    },
  });
}

/** Handles `GET /pv/:fileId`: sends the document of a preview's frame, in a sandbox without the authority of this site. */
export async function showPreviewDocument(c: HttpContext): Promise<Response> {
  const preview = await open(c);
  return await respondPage(c, { html: await renderDocument(c, preview), headers: documentHeaders(preview) });
}

const open = (c: HttpContext): Promise<Preview> =>
  openPreview(c.env.ctx, { fileId: c.req.param("fileId") ?? "", query: signedQuery(c.req.url) });

async function renderDocument(c: HttpContext, { file, kind }: Preview): Promise<string> {
  const { ctx } = c.env;
  const { name } = file;
  switch (kind) {
    case "pdf":
      return renderPdfPreview(pageContext(c), { name, bytesUrl: `${file.id}/${encodeURIComponent(name)}?${signedQuery(c.req.url)}` });
    case "zip":
      return renderZipPreview(pageContext(c), { name, directory: await readPreviewZip(ctx, file) });
    case "text":
    case "markdown": {
      // The module is loaded on demand, because the languages have half a megabyte.
      const { renderText } = await import("../preview/render-text.ts");
      return await renderText(pageContext(c), { name, contentType: file.content_type, kind, ...(await readPreviewText(ctx, file)) });
    }
    default:
      throw fileNotFound();
  }
}

/**
 * Returns the policy of a frame's document. Its style sheet and scripts come from the assets' path, like those of pages; a PDF's script also loads
 * the PDF's bytes.
 */
function documentHeaders({ kind }: Preview): Readonly<Record<string, string>> {
  const assets = `*:*${ASSETS_PATH}`;
  const scripts = `script-src ${assets}; connect-src *:*${PREVIEW_PATH}; img-src data: blob:; font-src data:`;
  const [sandbox, sources] = kind === "pdf" ? [PDF_SANDBOX, `; ${scripts}`] : [DOCUMENT_SANDBOX, ""];
  return {
    "Content-Security-Policy": `sandbox ${sandbox}; default-src 'none'; style-src ${assets}${sources}; base-uri 'none'; form-action 'none', default-src 'self' data: blob:`,
    "Referrer-Policy": "no-referrer",
  };
}
